/** Stands between a checked call and the tools worker: what the user did not allow does not get there. */
import { cut, one_line } from "../config/text.ts";
import type { Approval } from "../permission/approval.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import type { BashArgs } from "../tools/declared/machine_tools.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import { not_run } from "../tools/work/runner.ts";
import type { Done } from "../tools/tool.ts";
import { diff_detail, named_file, planned_diff } from "./call_detail.ts";
import type { Event } from "./events.ts";
import type { State } from "./state.ts";

interface Notes {
  readonly state: State;
  readonly emit: (event: Event) => void;
}

/** A call that the user put in the place of another. */
interface Instead {
  readonly call: CheckedCall;
  readonly note: string;
}

/** The answer to a call that is not run, or what is run instead; null if it may be run. `fixed`: nothing else may be run. */
export type Approve = (
  call: CheckedCall,
  run: Notes & { readonly signal: AbortSignal; readonly fixed?: true },
) => Promise<Done | Instead | null>;

/** Length of a command in a warning, and in the answer to the model, which knows it. */
const SUMMARY_CHARS = 200;

/** Asks `approval` about every call that does more than read. */
export function approver(approval: Approval): Approve {
  return async (call, { state, emit, signal, fixed }) => {
    const name = call.tool;
    const tool = find_tool(name);
    // What nobody knows may change anything.
    if ((call.mcp ?? tool)?.read_only) return null;
    const summary = tool?.summary(call.args) ?? JSON.stringify(call.args);
    const command = name === "bash" ? (call.args as BashArgs).command : null;
    const diff = planned_diff(call);
    const deed = {
      id: call.id,
      tool: name,
      summary,
      command,
      diff,
      edits: tool?.changes !== undefined,
      ...(call.mcp === undefined ? {} : { definition: call.mcp.definition }),
    };
    const ruling = await approval.judge({ ...deed, ...(fixed ? { fixed } : {}) }, signal);
    const { ledger, steps: step } = state;
    switch (ruling.kind) {
      case "run": {
        if (ruling.instead === undefined) return null;
        const note = `\n\n[the user changed the command to: ${ruling.instead}]`;
        emit({ type: "warning", message: `run instead: ${one_line(ruling.instead)}` });
        return {
          call: { ...call, args: { ...(call.args as BashArgs), command: ruling.instead } },
          note,
        };
      }
      case "stopped":
        return not_run();
      case "refused": {
        // A change was tried: an ending that claims it, or passes over it, does not hold.
        if (command === null) {
          const file = named_file({ tool: name, args: call.args });
          ledger.push({ kind: "attempt", step, call: call.id, tool: name, ok: false, ...file });
        }
        const { text, advice, by: refused } = ruling;
        return { ok: false, text: `Error: ${text}. ${advice}`, summary: text, refused };
      }
      case "dry_run": {
        const shown = cut(one_line(summary), SUMMARY_CHARS);
        ledger.push({ kind: "planned", step, call: call.id, tool: name });
        emit({ type: "warning", message: `dry run: ${name} → ${shown}` });
        const detail = diff_detail(diff);
        if (detail !== null) emit({ type: "detail", id: call.id, ok: true, ...detail });
        const verb = command === null ? name : "run";
        return {
          ok: true,
          text: `[dry run] not executed: would ${verb} ${shown}`,
          summary: "dry run",
        };
      }
    }
  };
}
