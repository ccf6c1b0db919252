/** What a person picks in a chat: another session, an earlier message, the fate of a plan. */
import type { ChatState } from "./state.ts";
import { done_here } from "./own_tools.ts";
import { is_unsaved, said_choices, type SaidHere, saved_choices, UNSAVED } from "./saved.ts";

/** Goes on with another session: the one whose ID begins as `wanted`, else the one that is picked of those that hold it in their line. */
export async function pick_session(chat: ChatState, wanted: string): Promise<void> {
  const choices = await saved_choices(chat);
  const others = choices.filter(({ value }) => value !== chat.agent.sessionId);
  const go_on = (id: string) => chat.again(["--resume", id], { shows: true });
  if (others.length === 0) return chat.note("no other session of this workspace");
  const [named, ...more] = others.filter(({ value }) => wanted !== "" && value.startsWith(wanted));
  if (named !== undefined && more.length === 0) return await go_on(named.value);
  const held = wanted.toLowerCase();
  const found = others.filter(({ value, label, description = "" }) =>
    value.startsWith(held) || `${label} ${description}`.toLowerCase().includes(held)
  );
  if (found.length === 0) return chat.note(`no other session here has ${wanted} in its ID or task`);
  const choice = await chat.screen.picker.pick("Continue which session?", found);
  if (choice !== null) await go_on(choice.value);
}

/** Goes back to an earlier message: in another session, with the files as they were then, or both. */
export async function go_back(chat: ChatState): Promise<void> {
  const { agent: { sessionId: id }, screen: { picker } } = chat;
  const choices = await said_choices(chat);
  if (choices.length === 0) return chat.note("there is no earlier message to go back to");
  const message = await picker.pick("Go back to before:", choices);
  if (message === null) return;
  const { until, task, whole, steps } = JSON.parse(message.value) as SaidHere;
  const what = await picker.pick("Restore what?", [
    ...(whole && steps.length > 0
      ? [{ value: "both", label: "the conversation and the files" }]
      : []),
    ...(whole ? [{ value: "conversation", label: "only the conversation" }] : []),
    ...(steps.length > 0 ? [{ value: "files", label: "only the files" }] : []),
  ]);
  if (what === null) return;
  const args = ["undo", id, "--since", String(Math.min(...steps))];
  if (what.value === "files") {
    const first = { args, told: "I ran `hamr undo` on what you changed:" };
    return void (await done_here(chat, first) || await chat.resume([], first));
  }
  const undo = what.value === "conversation" ? [] : [args];
  const fork = until === 0 ? [] : ["--fork", id];
  const say = `back to before: ${task}`;
  await chat.again([...fork, ...chat.chosen.flags], { before: undo, until, draft: task, say });
}

/** Goes on in another session that begins with all of this one. */
export async function go_on_in_copy(chat: ChatState): Promise<void> {
  const { agent: { sessionId: id }, chosen: { flags }, aside, spent, screen: { log } } = chat;
  if (!chat.begun) return chat.note("nothing has been done yet");
  if (is_unsaved(chat)) return chat.note(UNSAVED);
  const say = `this is a copy: /resume ${id.slice(0, 8)} goes back to the session as it was`;
  await chat.again(["--fork", id, ...flags], { aside, spent, say, answer: log.answer });
}

/** What becomes of a plan; another message changes it. True: it is to be carried out. */
export async function accept_plan({ screen }: Pick<ChatState, "screen">): Promise<boolean> {
  const choice = await screen.picker.pick("The plan:", [
    { value: "do", label: "carry it out" },
    { value: "change", label: "change it: say how" },
    { value: "drop", label: "drop it" },
  ], { unasked: true });
  return choice?.value === "do";
}
