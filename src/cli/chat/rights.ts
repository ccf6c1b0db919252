/** Offers the person what the sandbox has refused the model, to allow it from then on. */
import type { Result } from "../../agent/events.ts";
import type { ChatState } from "./state.ts";

/** Asks, where the task was not done; else it is only said how. */
export async function offer_rights(
  chat: ChatState,
  { flags, status }: { flags: readonly string[]; status: Result["status"] },
): Promise<void> {
  // `writing /srv`, `the network`.
  const refused = flags.map((flag) =>
    flag.replace("--allow-write=", "writing ").replace(/^--allow-net=?/, "the network ").trim()
  ).join(" and ");
  const how = `To allow that: /permissions ${flags.join(" ")}`;
  if (status === "success") return chat.note(`The sandbox refused ${refused}. ${how}`);
  const choice = await chat.screen.picker.pick(`The sandbox refused ${refused}.`, [
    { value: "no", label: "leave it as it is" },
    { value: "yes", label: "allow it from now on, and go on", description: flags.join(" ") },
  ], { unasked: true });
  if (choice?.value !== "yes") return;
  await chat.widen(flags, [`You may do that now: I have allowed ${refused}. Go on.`]);
}
