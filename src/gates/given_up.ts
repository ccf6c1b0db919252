/** Changes that failed, in a turn that has changed no file. */
import type { LedgerRow } from "../tools/ledger.ts";
import { effects_of } from "./commands.ts";
import { is_trace, made, unmade, works_elsewhere } from "./facts.ts";

/**
 * Files of which a change failed, where nothing was changed in another way: no file differs, and nothing else has changed since.
 * A command that leaves nothing to be seen is no such way, but for one that works elsewhere; with `acts`, for any that is not
 * known to only look, build or test.
 */
export function given_up(
  turn: readonly LedgerRow[],
  { acts }: { readonly acts: boolean },
): readonly string[] {
  const missing = unmade(turn, { seen: true });
  const last = turn.findLastIndex((row) =>
    row.kind === "attempt" && !row.ok && row.path !== undefined && missing.includes(row.path)
  );
  const other = made(turn).length > 0 ||
    turn.slice(last + 1).some((row) => is_other_way(row, acts));
  return other ? [] : missing;
}

function is_other_way(row: LedgerRow, acts: boolean): boolean {
  switch (row.kind) {
    case "attempt":
    case "verification":
      return false;
    case "command":
      return works_elsewhere(row.command) ||
        acts && row.exit_code === 0 && effects_of(row.command).has("act");
    case "path":
      return !is_trace(row.path);
    case "file":
      return false; // What differs is known by then.
    default:
      return true;
  }
}
