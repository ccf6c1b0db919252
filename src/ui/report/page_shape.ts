/** Checks a page that was read from a file, which may be anybody's. Loaded only for that. */
import * as v from "valibot";
import type { Page } from "./page.ts";

const count = v.pipe(v.number(), v.finite());
const text = v.string();

const RESULT = v.looseObject({
  ...{ session_id: text, stop_reason: text, final_output: text, model: text, provider: text },
  schema: v.literal(1),
  status: v.picklist(["success", "partial", "failed"]),
  ...{ exit_code: count, steps: count, tool_calls: count, duration_ms: count },
  usage: v.looseObject({ input_tokens: count, output_tokens: count }),
  cost_usd: v.nullable(count),
  files_changed: v.array(v.looseObject({
    path: text,
    status: v.picklist(["added", "modified", "deleted"]),
    ...{ added: count, removed: count },
  })),
  verification: v.nullable(
    v.looseObject({ command: text, exit_code: v.nullable(count), attempts: count }),
  ),
  evidence: v.looseObject({ commands: count }),
  error: v.nullable(v.looseObject({ kind: text, message: text })),
});

const PAGE = v.looseObject({
  ...{ name: text, workspace: text, diff: text },
  result: RESULT,
  checks: v.array(v.looseObject({
    ...{ name: text, message: text, ms: count },
    ok: v.nullable(v.boolean()),
  })),
  lines: v.array(v.looseObject({ step: count, text })),
});

/** What is wrong with a page, in a few words; null if it is one. */
export function fault_of_page(page: Page): string | null {
  const { issues: [issue] = [] } = v.safeParse(PAGE, page);
  return issue === undefined ? null : `${v.getDotPath(issue) ?? "it"}: ${issue.message}`;
}
