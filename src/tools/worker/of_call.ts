/** What there is to know of a call besides its result. */
import { find_tool } from "../declared/every_tool.ts";
import type { Fact } from "../ledger.ts";
import type { CheckedCall } from "../protocol.ts";

/** Whether a call changes nothing, whatever it is given. */
export function only_reads({ tool }: Pick<CheckedCall, "tool">): boolean {
  return find_tool(tool)?.read_only === true;
}

/** The facts of a call: what its tool did, what was seen around it, and how its command ended. */
export function in_their_order(of_tool: readonly Fact[], seen: readonly Fact[]): readonly Fact[] {
  const [ends, rest] = [true, false].map((is_end) =>
    of_tool.filter(({ kind }) => (kind === "command") === is_end)
  ) as [Fact[], Fact[]];
  return [...rest, ...seen, ...ends];
}
