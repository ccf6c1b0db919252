/** Asks the `pre_tool` hooks about a call that is about to run. Loaded if there are any. */
import { cut } from "../config/text.ts";
import { is_for_tool } from "../tools/declared/every_tool.ts";
import type { HookRun, Hooks } from "../tools/hook.ts";
import type { LedgerFact } from "../tools/ledger.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import { not_run } from "../tools/work/runner.ts";
import type { Tools } from "./taped_tools.ts";
import type { Done, Tool } from "../tools/tool.ts";

export interface Screened {
  readonly call: CheckedCall;
  /** What it is answered with instead; null if it may run. */
  readonly answer: Done | null;
  /** Where the arguments are not those that the model gave: a note to it, behind the result. Absent: they are. */
  readonly rewritten?: string;
  readonly runs: readonly HookRun[];
  readonly facts: readonly LedgerFact[];
}

/** Asks about a call; null if no hook is for its tool. Throws `ToolsError`. */
export type ScreenCall = (call: CheckedCall, signal: AbortSignal) => Promise<Screened | null>;

const SHOWN_CHARS = 1000;

/** Has a call looked at by its hooks. What one of them rewrote is checked like what a model sends. */
export async function screen(call: CheckedCall, { hooks, tools_client, fault_of, signal }: {
  hooks: Hooks["pre_tool"];
  tools_client: Tools;
  fault_of: (tool: Tool<unknown>, args: unknown) => string | null;
  signal: AbortSignal;
}): Promise<Screened | null> {
  if (!hooks.some((hook) => is_for_tool(hook, call.tool))) return null;
  const { screening, runs, facts } = await tools_client.screen(call, signal);
  tools_client.hold();
  const as_it_is = { call, runs, facts };
  switch (screening.kind) {
    case "go_on":
      return { ...as_it_is, answer: null };
    case "stopped":
      return { ...as_it_is, answer: not_run() };
    case "refused":
      return { ...as_it_is, answer: refusal(screening.by, screening.reason) };
    case "rewritten": {
      const { args, by } = screening;
      const tool = find_tool(call.tool);
      const fault = tool === undefined ? null : fault_of(tool, args);
      if (fault !== null) {
        const reason = `the hook failed: its arguments do not fit ${call.tool}: ${fault}`;
        return { ...as_it_is, answer: refusal(by, reason) };
      }
      const rewritten = `\n\n[hook ${by} rewrote the arguments to ${
        cut(JSON.stringify(args), SHOWN_CHARS)
      }]`;
      return { call: { ...call, args }, answer: null, rewritten, runs, facts };
    }
  }
}

function refusal(by: string, reason: string): Done {
  const name = `hook ${by}`;
  return {
    ok: false,
    text: `Error: not run, refused by ${name}: ${reason}`,
    summary: `${name}: ${reason.split("\n")[0]}`,
    refused: name,
  };
}
