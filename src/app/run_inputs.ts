/** What an invocation begins with besides its arguments, saved for replay. Contains no keys. */
import type { PromptSources } from "../agent/prompt.ts";
import type { Said } from "../agent/run.ts";
import { endpoint_facts, type EndpointFacts } from "../agent/tape/taped_fallbacks.ts";
import type { Settings } from "../config/keys.ts";
import { origin, type Source } from "../config/load.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { reaches_web } from "../permission/web.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { RunParts } from "./run.ts";
import type { RunOptions } from "./run_options.ts";

/** Sections of the settings that shape requests. Not those of providers: the outcome of these is on the tape. */
const KEPT = [
  ...["agent", "tools", "verify", "guards", "context", "budget", "retry", "memory"] as const,
  ...["reminders", "auxiliary", "hooks"] as const,
] as const;
type KeptSettings = Pick<Settings, (typeof KEPT)[number]>;

const WHOSE = ["agent.confirm", "verify.command"] as const;

/** The inputs of an invocation. Plain data. */
export interface RunInputs extends Omit<Said, "task">, Pick<RunOptions, "talks" | "compacts"> {
  readonly workspace: string;
  /** Empty if none is known. */
  readonly home: string;
  readonly resumed: boolean;
  /** The model's server as it was known at first, and with what it said of itself. */
  readonly endpoint: { readonly first: EndpointFacts; readonly full: EndpointFacts };
  readonly sources: PromptSources;
  readonly settings: KeptSettings;
  readonly origins: Readonly<Record<(typeof WHOSE)[number], Source>>;
  readonly memory: boolean;
  readonly person?: true;
  /** Where `web_fetch` could go; absent: nowhere, or there was none yet. */
  readonly web?: Pick<Policy, "net" | "web">;
  /** Names of MCP servers; absent: there were none. */
  readonly mcp?: readonly string[];
}

/** `full`: its server with what that has said of itself. */
export function inputs_of(
  run: RunParts,
  { full, memory }: { full: Endpoint; memory: boolean },
): RunInputs {
  const { place, enforced: { policy }, first, sources, images, context, before, resumed } = run;
  const { talks, compacts, clarify, mcp_names } = run;
  const origins = Object.fromEntries(WHOSE.map((key) => [key, origin(place, key).source]));
  return {
    workspace: place.workspace,
    home: policy.env["HOME"] ?? "",
    resumed: resumed !== undefined,
    ...{ images, context, before },
    endpoint: { first: endpoint_facts(first), full: endpoint_facts(full) },
    sources,
    settings: kept_of(place.settings),
    origins: origins as RunInputs["origins"],
    memory,
    ...(talks ? { talks } : {}),
    ...(compacts ? { compacts } : {}),
    ...(clarify === undefined ? {} : { person: true }),
    ...(reaches_web(policy) ? { web: { net: policy.net, web: policy.web ?? [] } } : {}),
    ...(mcp_names.length === 0 ? {} : { mcp: mcp_names }),
  };
}

/** Which hooks there are shapes a run; a command may hold a key. */
function kept_of(settings: Settings): KeptSettings {
  const hooks = Object.entries(settings.hooks)
    .map(([event, all]) => [event, all.map((hook) => ({ ...hook, command: "" }))]);
  const kept = Object.fromEntries(KEPT.map((section) => [section, settings[section]]));
  return { ...kept, hooks: Object.fromEntries(hooks) } as KeptSettings;
}
