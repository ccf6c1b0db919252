/** Hooks about the run itself. Their output is for the user, not for the model: a replay runs none. */
import { json_line } from "../config/json.ts";
import { one_line } from "../config/text.ts";
import type { RunHooks, Session } from "../agent/session.ts";
import type { Tools } from "../agent/taped_tools.ts";
import type { Settings } from "../config/keys.ts";

const SAID_CHARS = 300;
/** How much of the diff: nobody reads more, and git has all of it. */
const DIFF_CHARS = 1024 * 1024;

/** What runs them; null where there are none. A dry run has none either. */
export function run_hooks_of(hooks: Settings["hooks"], { tools, session_id, workspace, emit }: {
  tools: Tools;
  session_id: string;
  workspace: string;
  emit: Session["emit"];
}): RunHooks | null {
  const named = { session_start: hooks.session_start, turn_end: hooks.turn_end };
  const all = { ...named, notification: hooks.notification };
  if (Object.values(all).flat().every(({ enabled }) => !enabled)) return null;
  const signal = new AbortController().signal;
  return async (event, facts) => {
    // What a run has changed is asked beside its tape.
    const diff = facts.files === undefined
      ? {}
      : { diff: (await tools.patch(facts.files, DIFF_CHARS).catch(() => null))?.text ?? "" };
    for (const { name, command, timeout } of all[event].filter(({ enabled }) => enabled)) {
      const stdin = json_line({ event, session_id, workspace, ...facts, ...diff });
      // Where the tools are lost the run says so itself.
      const ran = await tools.verify(command, { timeout_s: timeout, signal, stdin })
        .catch(() => null);
      if (ran === null || ran.exit_code === 0) continue;
      const said = one_line(ran.output.trim().split("\n").at(-1) ?? "").slice(0, SAID_CHARS);
      const message = `the ${event} hook ${name}: ${ran.ending}${said === "" ? "" : `: ${said}`}`;
      emit({ type: "warning", message });
    }
  };
}
