import { type GuardLimits, guards } from "../guards/mod.ts";
import type { Mode } from "../guards/rule.ts";
import type { GateSettings } from "../gates/mod.ts";
import { Approval, type ApprovalOptions } from "../permission/approval.ts";
import { reaches_web } from "../permission/web.ts";
import type { Policy } from "../sandbox/policy.ts";
import { lazy } from "../lazy.ts";
import { fault_of } from "../tools/check.ts";
import { EVERY_TOOL } from "../tools/declared/every_tool.ts";
import type { Store } from "../store/store.ts";
import type { Hooks } from "../tools/hook.ts";
import { assistant, repair_calls } from "../agent/arguments.ts";
import { approver } from "../agent/approve.ts";
import { execute } from "../agent/execute.ts";
import { check_usage } from "../agent/check_usage.ts";
import { tools_of } from "../agent/mode.ts";
import { REMINDERS } from "../agent/reminders.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import type { Gates, Services, Session } from "../agent/session.ts";
import { Saver } from "../agent/saving/save.ts";
import { charge } from "../agent/spending.ts";
import type { Tape } from "../agent/tape.ts";
import { TapedFacts, TapedTools, type Tools } from "../agent/taped_tools.ts";
import type { PendingWrites } from "../agent/pending_writes.ts";

/** Puts up what the first request did not need. */
export async function begin_services(
  policy: Policy,
  options: {
    /** With the server's own details. */
    readonly endpoint: Endpoint;
    /** The tools worker; null: there is none, and all it would say is on the tape. */
    readonly tools: Tools | null;
    /** Null where there are none. */
    readonly mcp: Services["mcp"];
    /** Likewise. */
    readonly skills: Services["skills"];
    /** Null where there are none. */
    readonly run_hooks: Services["run_hooks"];
    /** Agents with a name. */
    readonly roles: Services["roles"];
    /** Whether somebody can answer. */
    readonly person: boolean;
    /** Null where there are none. */
    readonly hooks: Hooks | null;
    readonly gates: GateSettings;
    readonly guards: GuardLimits;
    readonly mode: Mode;
    /** The tools that the user has named; null: all. */
    readonly only_tools: readonly string[] | null;
    /** Steps of one subagent; 0 is no limit. */
    readonly delegate_max_steps: number;
    readonly approval: ApprovalOptions;
    /** It is opened while the worker starts; null: nothing is to be kept, or there is no place for it. */
    readonly store: Promise<Store | null> | null;
    /** Whether there is to be a memory in it. */
    readonly memory: boolean;
    /** How much of the session the store has. */
    readonly saved: ConstructorParameters<typeof Saver>[2];
    readonly pending: PendingWrites | null;
    readonly tape: Tape;
  },
): Promise<Services> {
  const { tape, hooks } = options;
  const store = await options.store;
  const memory = store?.memory ?? null;
  const saver = store?.session === null || store === null || options.pending === null
    ? null
    : new Saver(store.session, options.pending, options.saved);
  let judges: Promise<Gates> | null = null;
  /** What asks the tools worker, each time through a tape. */
  const heard_on = (tape: Tape): Pick<Services, "tools_client" | "screen"> => {
    const tools_client = new TapedTools(tape, options.tools, { policy });
    const none = hooks === null || hooks.pre_tool.length === 0;
    return {
      tools_client,
      screen: none ? null : async (call, signal) => {
        const { screen } = await lazy<typeof import("../agent/hooks.ts")>(
          "../agent/hooks.ts",
          import.meta.url,
        );
        return await screen(call, { hooks: hooks.pre_tool, tools_client, fault_of, signal });
      },
    };
  };
  const services: Services = {
    ...heard_on(tape),
    store,
    memory: memory === null ? null : new TapedFacts(tape, memory),
    // A subagent's steps are part of the call that sent it.
    save: async (session, reason) => {
      if (session.subagent) return;
      // The store is closed after that.
      if (reason !== null) await services.tools_client.recorded;
      await saver?.save(session, reason);
    },
    settle: async (session) => {
      await saver?.settle(session);
      // What it could not write down so far.
      await store?.recorder?.take({ kind: "changes", rows: [] });
    },
    saved: () => saver?.extent ?? null,
    fault_of,
    run_agent_tools: async (...asked) => {
      const { run_agent_tools } = await lazy<typeof import("../agent/tools/agent_tools.ts")>(
        "../agent/tools/agent_tools.ts",
        import.meta.url,
      );
      return await run_agent_tools(...asked);
    },
    on_tape: (tape) => ({ ...services, ...heard_on(tape) }),
    charge,
    check_usage: (session, reply) =>
      check_usage({ ...session, endpoint: fuller(session, options) }, reply),
    repair_calls,
    assistant,
    execute,
    approve: approver(new Approval(options.approval)),
    tools: tools_of(options.mode, EVERY_TOOL).filter(({ needs }) =>
      (needs !== "memory" || options.memory) && (needs !== "store" || options.store !== null) &&
      (needs !== "person" || options.person) && (needs !== "net" || reaches_web(policy))
    ).filter(({ name }) =>
      options.only_tools?.includes(name === "background" ? "bash" : name) ?? true
    ),
    guards: guards(options.guards),
    mcp: options.mcp,
    skills: options.skills,
    roles: options.roles,
    run_hooks: options.run_hooks,
    reminders: REMINDERS,
    subagent_guards: (role) => {
      const { delegate_max_steps: most } = options;
      const own = role?.max_steps ?? 0;
      // An agent of the workspace can't raise what the user allows.
      return role !== null && own > 0 && (most === 0 || own < most)
        ? guards({ ...options.guards, max_steps: own, steps_setting: `max_steps of ${role.name}` })
        : guards({
          ...options.guards,
          max_steps: most,
          steps_setting: "agent.delegate_max_steps",
        });
    },
    gates: () => judges ??= load_gates(options.gates),
  };
  return services;
}

async function load_gates(settings: GateSettings): Promise<Gates> {
  const { gates } = await lazy<typeof import("../gates/mod.ts")>(
    "../gates/mod.ts",
    import.meta.url,
  );
  return gates(settings);
}

/** What the server has said of itself may not have reached the session yet. */
function fuller({ endpoint }: Session, known: { readonly endpoint: Endpoint }): Endpoint {
  const { base_url, model } = known.endpoint;
  return endpoint.base_url === base_url && endpoint.model === model ? known.endpoint : endpoint;
}
