/** What must hold of every run, whatever the model said. */
import { CODES } from "../support/output.ts";
import { extends_prefix } from "../support/history.ts";
import type { ModelServer, Recorded } from "../support/model_server.ts";

/** A question beside the conversation: also the one that finds out whether a server leaves out tools. */
const is_aside = ({ body: { tools, messages } }: Recorded) =>
  tools === undefined || messages[0]?.role !== "system";

/** What a strict server would refuse; that prefixes hold is looked at here, where compactions are known. */
export function wire_faults(server: ModelServer, compactions: number): string[] {
  const talk = server.requests.filter((request) => !is_aside(request));
  const breaks = talk.filter((request, at) => {
    const before = talk[at - 1];
    return before !== undefined && !extends_prefix(before.raw, request.raw);
  });
  return [
    ...server.violations.filter((line) =>
      !/do not begin with the bytes|: other tools$|has only \d+ replies/.test(line)
    ),
    ...(breaks.length > compactions
      ? [`${breaks.length} requests do not begin with the one before, ${compactions} compactions`]
      : []),
  ];
}

/** A server that fails is asked again, but nobody waits for it. */
export const NO_WAITS = { HAMR_RETRY_MAX_WAIT_S: "0.001" };

/** An event as far as it is looked at here. */
interface Told {
  readonly type: string;
  readonly finished?: unknown;
  readonly id?: unknown;
}

/** Told within a reply, too: that a call is being written is part of one, and its request ends before it is told whole. */
const BETWEEN: ReadonlySet<string> = new Set(["warning", "turn_diff", "writing", "request"]);

/** Each reply that was shown ends in exactly one `finished`; each call has one result. */
export function event_faults(events: readonly Told[]): string[] {
  const out: string[] = [];
  let open = false;
  for (const { type, finished } of events) {
    if (type === "text_delta" || type === "reasoning_delta") open = finished !== true;
    // What a step changed, and what a person should know, is told whenever it is known.
    else if (open && !BETWEEN.has(type)) out.push(`${type} within a reply`);
  }
  if (open) out.push("a reply without its end");
  const count = (type: string) => events.filter((event) => event.type === type).length;
  if (count("tool_call") !== count("tool_result")) out.push("calls and results differ in number");
  return out;
}

/** Whether a reason is one of the contract's. */
export function is_reason(reason: string): boolean {
  return Object.hasOwn(CODES, reason);
}
