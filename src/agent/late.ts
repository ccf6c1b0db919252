import { message_of } from "../config/text.ts";
import { type GuardLimits, guards } from "../guards/mod.ts";
import type { Mode } from "../guards/rule.ts";
import { gates, type GateSettings } from "../gates/mod.ts";
import { Approval, type ApprovalOptions } from "../permission/approval.ts";
import { prune_outputs } from "../permission/policy.ts";
import { settle } from "../permission/settle.ts";
import type { Policy } from "../sandbox/policy.ts";
import { lazy } from "../lazy.ts";
import { fault_of } from "../tools/check.ts";
import { EVERY_TOOL } from "../tools/every_tool.ts";
import { HatchError } from "../tools/failure.ts";
import { MEMORY_TOOLS } from "../tools/memory.ts";
import { session_search } from "../tools/session_search.ts";
import type { Store } from "../store/store.ts";
import { Hatch } from "../tools/hatch.ts";
import type { HatchOptions } from "../tools/hatch_options.ts";
import type { Hooks } from "../tools/hook.ts";
import { assistant, mended } from "./arguments.ts";
import { approver } from "./approve.ts";
import { execute } from "./execute.ts";
import { heed } from "./heed.ts";
import { tools_of } from "./mode.ts";
import { REMINDERS } from "./reminders.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { Late, Session } from "./session.ts";
import { Saver } from "./save.ts";
import { charge } from "./spending.ts";
import type { Tape } from "./tape.ts";
import { TapedFacts, TapedTools, type Tools } from "./taped_tools.ts";
import type { Unsaved } from "./unsaved.ts";

/** Makes the run's folders, starts the tools worker and puts up the gates. Rejects with `HatchError`. */
export async function begin_late(
  policy: Policy,
  options: {
    /** With what the server says of itself. */
    readonly endpoint: Endpoint;
    readonly hatch: Omit<HatchOptions, "hooks" | "first" | "record">;
    readonly hooks: Hooks;
    readonly gates: GateSettings;
    readonly guards: GuardLimits;
    readonly mode: Mode;
    /** Steps of one subagent; 0 is no limit. */
    readonly delegate_max_steps: number;
    readonly approval: ApprovalOptions;
    /** Where outputs are kept, for `spill_days` days; null where no home is known. */
    readonly data_dir: string | null;
    readonly spill_days: number;
    /** It is opened while the worker starts; null: nothing is to be kept, or there is no place for it. */
    readonly store: Promise<Store | null> | null;
    /** Whether there is to be a memory in it. */
    readonly memory: boolean;
    /** How much of the session the store has. */
    readonly saved: ConstructorParameters<typeof Saver>[2];
    readonly unsaved: Unsaved | null;
    readonly tape: Tape;
    /** The tools worker, which `make` starts; null: there is none, and all it would say is on the tape. Absent: it is started. */
    readonly tools?: (make: () => Tools) => Tools | null;
  },
): Promise<Late> {
  prune_outputs(options.data_dir, options.spill_days);
  // A dry run changes nothing, and nobody can tell that of a hook.
  const hooks = options.approval.dry_run ? null : switched_on(options.hooks);
  const { tape } = options;
  const make = () =>
    new Hatch(settled(policy), {
      ...options.hatch,
      ...(hooks === null ? {} : { hooks }),
      ...(options.store === null ? {} : { first: options.store }),
      ...(options.store === null || options.unsaved === null
        ? {}
        : { record: options.store.then((store) => store?.recorder ?? null) }),
    });
  const worker = options.tools === undefined ? make() : options.tools(make);
  const hatch = new TapedTools(tape, worker, { policy });
  const store = await options.store;
  const memory = store?.memory ?? null;
  const saver = store?.session === null || store === null || options.unsaved === null
    ? null
    : new Saver(store.session, options.unsaved, options.saved);
  return {
    hatch,
    store,
    memory: memory === null ? null : new TapedFacts(tape, memory),
    // A subagent's steps are part of the call that sent it.
    save: async (session, reason) => {
      if (session.subagent) return;
      // The store is closed after that.
      if (reason !== null) await hatch.recorded;
      await saver?.save(session, reason);
    },
    screen: hooks === null || hooks.pre_tool.length === 0 ? null : async (call, signal) => {
      const { screen } = await lazy<typeof import("./hooks.ts")>("./hooks.ts", import.meta.url);
      return await screen(call, { hooks: hooks.pre_tool, hatch, fault_of, signal });
    },
    fault_of,
    charge,
    heed: (session, usage) => heed({ ...session, endpoint: fuller(session, options) }, usage),
    mended,
    assistant,
    execute,
    approve: approver(new Approval(options.approval)),
    tools: tools_of(options.mode, EVERY_TOOL).filter((tool) =>
      (options.memory || !MEMORY_TOOLS.includes(tool)) &&
      (options.store !== null || tool !== session_search)
    ),
    guards: guards(options.guards),
    reminders: REMINDERS,
    subagent_guards: guards({
      ...options.guards,
      max_steps: options.delegate_max_steps,
      steps_setting: "agent.delegate_max_steps",
    }),
    ...gates(options.gates),
  };
}

/** What the server has said of itself may not have reached the session yet. */
function fuller({ endpoint }: Session, known: { readonly endpoint: Endpoint }): Endpoint {
  const { base_url, model } = known.endpoint;
  return endpoint.base_url === base_url && endpoint.model === model ? known.endpoint : endpoint;
}

/** Null where no hook is left. */
function switched_on({ post_edit, pre_tool, post_tool }: Hooks): Hooks | null {
  const on = {
    post_edit: post_edit.filter((hook) => hook.enabled),
    pre_tool: pre_tool.filter((hook) => hook.enabled),
    post_tool: post_tool.filter((hook) => hook.enabled),
  };
  return Object.values(on).every((hooks) => hooks.length === 0) ? null : on;
}

function settled(policy: Policy): Policy {
  try {
    return settle(policy);
  } catch (error) {
    const message = `the run's temporary folder cannot be made (TMPDIR): ${message_of(error)}`;
    throw new HatchError(message, "config_error");
  }
}
