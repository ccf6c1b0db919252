/** What a person picks in a chat: another session, an earlier message, what becomes of a plan. */
import type { opened } from "../../app/saved_sessions.ts";
import type { Environment } from "../../app/settings.ts";
import type { ChatState } from "./state.ts";
import { said_choices, type SaidHere, saved_choices } from "./saved.ts";

/** Where saved sessions are looked for. */
interface Where {
  readonly opened: Parameters<typeof opened>[0];
  readonly io: Environment;
}

/** Goes on with another session: the one whose ID begins as `wanted`, else the one that is picked. */
export async function pick_session(
  chat: ChatState,
  { opened, io, wanted }: Where & { readonly wanted: string | undefined },
): Promise<void> {
  const choices = await saved_choices(opened, io).catch(() => []);
  const others = choices.filter(({ value }) => value !== chat.agent.sessionId);
  if (wanted !== undefined) {
    const [found, ...more] = others.filter(({ value }) => value.startsWith(wanted));
    if (found === undefined) return chat.note(`no other session here begins with ${wanted}`);
    if (more.length > 0) return chat.note(`several sessions begin with ${wanted}`);
    return await chat.again(["--resume", found.value]);
  }
  if (others.length === 0) return chat.note("no other session of this workspace");
  const choice = await chat.screen.picker.pick("Continue which session?", others);
  if (choice !== null) await chat.again(["--resume", choice.value]);
}

/** Goes back to an earlier message: in another session, with the files as they were then, or both. */
export async function go_back(chat: ChatState, { opened, io }: Where): Promise<void> {
  const { agent: { sessionId: id }, screen: { picker } } = chat;
  const choices = await said_choices(opened, io, id);
  if (choices.length === 0) return chat.note("there is no earlier message to go back to");
  const message = await picker.pick("Go back to before:", choices);
  if (message === null) return;
  const { until, task, whole, steps } = JSON.parse(message.value) as SaidHere;
  const both = { value: "both", label: "the conversation and the files" };
  const said = { value: "conversation", label: "only the conversation" };
  const files = { value: "files", label: "only the files" };
  const what = await picker.pick(
    "Restore what?",
    [
      ...(whole && steps.length > 0 ? [both] : []),
      ...(whole ? [said] : []),
      ...(steps.length > 0 ? [files] : []),
    ],
  );
  if (what === null) return;
  const undo = what.value === "conversation"
    ? []
    : steps.toReversed().map((step) => ["undo", id, "--step", String(step)]);
  if (what.value === "files") {
    return await chat.resume([], { before: undo, told: "I ran `hamr undo` on what you changed:" });
  }
  const fork = until === 0 ? [] : ["--fork", id];
  await chat.again([...fork, ...chat.own_mode], { before: undo, until, draft: task });
}

/** What becomes of a plan; another message changes it. */
export async function accept_plan(chat: ChatState): Promise<void> {
  const choice = await chat.screen.picker.pick("The plan:", [
    { value: "do", label: "carry it out" },
    { value: "change", label: "change it: say how" },
  ]);
  if (choice?.value !== "do") return;
  await chat.again(["--resume", chat.agent.sessionId, "--mode", "auto", "Carry out the plan."]);
}
