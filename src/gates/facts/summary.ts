/** The facts in a few words, for a message to the model. Only what was seen, so that nothing unknown is asserted. */
import { json_object } from "../../dialects/repair.ts";
import type { Action, View } from "../../guards/rule.ts";
import { short_line } from "../../model/errors.ts";
import type { CommandRow } from "../../tools/ledger.ts";
import { is_trace } from "./effects.ts";
import { effect_of } from "./commands.ts";
import { changed, left } from "./facts.ts";
import { commands, failed_parts, skipped_parts } from "./outcomes.ts";
import { unmade } from "./failed_changes.ts";

/** Items named in a message, and how much of a command: enough to recognize them. */
const NAMED = 3;
const COMMAND_CHARS = 60;

export function facts_text({ run: ledger, steps, run_steps, actions }: View): string {
  const planned = ledger.filter(({ kind }) => kind === "planned").length;
  if (planned > 0) return `Calls planned in this dry run: ${planned}.`;
  // What a chat, or a session that was resumed, has seen before is not told again, and is not denied.
  const since = steps > run_steps ? " since the last task was given" : "";
  const others = [
    ...left(ledger, "ref").map(({ ref }) => ref),
    ...left(ledger, "path").map(({ path }) => path).filter((path) => !is_trace(path)),
  ];
  const failed = ledger.filter((row) => row.kind === "attempt" && !row.ok).length;
  const missing = unmade(ledger, { seen: true });
  const ran = commands(ledger).map((row) =>
    `\`${short_line(row.command, COMMAND_CHARS)}\` (${outcome(row)})`
  );
  const refused = actions.filter((action) => action.refused).map(told);
  const served = ledger.flatMap((row) =>
    row.kind === "served" ? [`${row.tool} (${row.ok ? "ok" : "failed"})`] : []
  );
  return [
    `Files seen to change${since}: ${listed(changed(ledger))}.`,
    ...(others.length > 0 ? [`Also changed: ${listed([...new Set(others)])}.`] : []),
    ...(failed > 0 ? [`Edits that failed: ${failed}${after_failed(missing)}.`] : []),
    `Commands run: ${listed(ran)}.`,
    ...(refused.length > 0 ? [`Refused, and not run: ${listed(refused)}.`] : []),
    ...(served.length > 0 ? [`Calls of MCP servers: ${listed(served)}.`] : []),
  ].join(" ");
}

function told({ name, args }: Action): string {
  const { command, path } = json_object(args) ?? {};
  return [command, path, name].flatMap((one) =>
    typeof one === "string" ? [`\`${short_line(one, COMMAND_CHARS)}\``] : []
  )[0] ?? name;
}

function after_failed(missing: readonly string[]): string {
  return missing.length > 0 ? ` (no change seen since: ${listed(missing)})` : "";
}

function listed(items: readonly string[]): string {
  if (items.length === 0) return "none";
  const shown = items.slice(-NAMED).join(", ");
  return items.length > NAMED ? `${items.length}, last ${shown}` : shown;
}

/** How a command ended, and what else is known of that. */
export function outcome(
  row: Pick<
    CommandRow,
    "command" | "exit_code" | "failed" | "skipped" | "tells_failure" | "ran_no_test"
  >,
): string {
  const { exit_code, tells_failure, ran_no_test } = row;
  if (exit_code === null) return "ended by a signal or a time limit";
  // A look that ends in another code has seen that something is not so.
  const [failed] = failed_parts(row).filter((part) => effect_of(part) !== "look");
  const [skipped] = skipped_parts(row).filter((part) => effect_of(part) !== "look");
  const undone = failed ?? skipped;
  const but = undone !== undefined
    ? `, \`${short_line(undone, COMMAND_CHARS)}\` in it ${failed ? "failed" : "did not run"}`
    : tells_failure
    ? ", its output reports a failure"
    : ran_no_test
    ? ", its output reports no test"
    : "";
  return `exit code ${exit_code}${but}`;
}
