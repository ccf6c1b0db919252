/** What is known about a call besides its result. */
import { find_tool } from "../declared/every_tool.ts";
import type { Looked } from "../../changes/uncounted_paths.ts";
import type { LedgerFact } from "../ledger.ts";
import type { Done } from "../tool.ts";
import type { CheckedCall } from "../protocol.ts";

/** Whether a call changes nothing, whatever it is given. */
export function only_reads({ tool }: Pick<CheckedCall, "tool">): boolean {
  return find_tool(tool)?.read_only === true;
}

/** The command that a call runs; empty where it runs none. */
export function command_of({ tool, args }: Pick<CheckedCall, "tool" | "args">): string {
  const { command, background } = args as { command?: unknown; background?: unknown };
  return tool === "bash" && typeof command === "string" && background !== true ? command : "";
}

export interface SeenAround {
  readonly facts: readonly LedgerFact[];
  readonly looked?: Looked;
}

/** The facts of a call: what its tool did, what was seen around it, and how its command ended. */
export function in_their_order(
  done: Done,
  { facts: seen, looked }: SeenAround,
): readonly LedgerFact[] {
  const is_seen = looked !== undefined && !done.goes_on;
  const ends: LedgerFact[] = [], rest: LedgerFact[] = [];
  for (const fact of done.facts ?? []) {
    if (fact.kind !== "command") rest.push(fact);
    else ends.push(is_seen ? { ...fact, looked } : fact);
  }
  return [...rest, ...seen, ...ends];
}
