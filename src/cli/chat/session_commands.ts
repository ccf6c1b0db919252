/** Commands of a chat that need its session in a process of its own: what was changed, and taking it back. */
import { message_of } from "../../config/text.ts";
import { lstat_or_null } from "../../permission/paths.ts";
import { line, plural } from "../../ui/text.ts";
import { parse } from "../args/args.ts";
import { type AfterRestart, already_there } from "./after_restart.ts";
import { done_here } from "./own_tools.ts";
import { has_only_talked, is_unsaved, last_changing_task, step_count, UNSAVED } from "./saved.ts";
import type { ChatState } from "./state.ts";

export const NOT_CHANGED = "nothing has been changed yet";
const TASK_CHARS = 60;

/** What needs the session, and rights that a conversation has given up. */
export async function in_session(
  chat: ChatState,
  { of_changes = false, ...first }: AfterRestart & {
    of_changes?: boolean;
  },
): Promise<void> {
  // A restart ends what is running: not for what is refused then.
  let number: number | undefined;
  try {
    const { step, since } = parse(first.args ?? []).flags;
    number = step ?? since;
  } catch (error) {
    return chat.note(message_of(error));
  }
  if (!chat.begun) return chat.note("nothing has been done yet");
  const steps = number === undefined ? null : await step_count(chat);
  if (steps !== null && number !== undefined && number > steps) {
    return chat.note(`there is no step ${number}: this session has ${plural(steps, "step")}`);
  }
  if (of_changes && await has_only_talked(chat)) return chat.note(NOT_CHANGED);
  if (first.file !== undefined && lstat_or_null(first.file) !== null) {
    return chat.note(already_there(first.file));
  }
  if (!await done_here(chat, first)) await chat.resume([], first);
}

/** Takes back what the last task changed whose changes are there, as `/diff` shows it; with `all`, or steps, as `hamr undo` does. */
export async function undo_last(chat: ChatState, given: readonly string[]): Promise<void> {
  if (is_unsaved(chat)) return chat.note(UNSAVED);
  const [first, ...others] = given;
  if (first !== undefined && first !== "all" && !first.startsWith("-")) {
    return chat.note(`no undo ${first}: /undo, or /undo all`);
  }
  const rest = first === "all" ? others : given;
  const args = ["undo", chat.agent.sessionId, ...rest];
  const undone = { args, told: "I ran `hamr undo` on what you changed:", of_changes: true };
  const named = first === "all" || rest.some((one) => /^--(?:step|since)\b/.test(one));
  const again = rest.includes("--force");
  const last = named || !chat.begun ? null : await last_changing_task(chat, { again });
  if (last === null) {
    const undid = given.length === 0 && chat.begun && !await has_only_talked(chat);
    if (undid) {
      return chat.note("nothing to undo; /undo all checks the whole session again");
    }
    return await in_session(chat, undone);
  }
  const { screen, setup: { look: { plain } } } = chat;
  screen.cleared.push(last.task);
  screen.remember([last.task]);
  await in_session(chat, {
    ...undone,
    args: [...args, "--since", `${last.since}`],
    say: `undo of: ${line(last.task.trim(), TASK_CHARS)}${plain ? "" : " (↑ brings it back)"}`,
  });
}
