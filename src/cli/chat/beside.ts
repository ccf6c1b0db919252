/** `/btw`: questions beside the conversation, also while a task is under way. */
import { ask_beside } from "../../agent/beside.ts";
import { live_session } from "../../app/agent.ts";
import { message_of } from "../../config/text.ts";
import type { ChatState } from "./state.ts";

export class AsideQuestions {
  tokens = 0;
  /** Dollars. */
  cost = 0;
  #asked: AbortController | null = null;

  constructor(private readonly chat: Pick<ChatState, "agent" | "note" | "screen">) {}

  /** Shows the answer once all of it is there. */
  async ask(question: string): Promise<void> {
    const { chat } = this;
    if (question === "") return chat.note("/btw QUESTION asks about the task, beside it");
    if (this.#asked !== null) return chat.note("/btw: the last question is not answered yet");
    const session = live_session(chat.agent);
    if (session === null) {
      return chat.note("/btw: nothing was said since this start; ask it as a message");
    }
    chat.note(`/btw ${question}`);
    const { signal } = this.#asked = new AbortController();
    try {
      const { answer, tokens, cost } = await ask_beside(session, question, signal);
      this.tokens += tokens;
      this.cost += cost ?? 0;
      if (signal.aborted) return;
      if (typeof answer !== "string") return chat.note(`/btw: ${answer.fault}`);
      if (answer === "") return chat.note("/btw: no answer in words; ask it as a message");
      chat.screen.log.beside(question, answer);
      chat.screen.render();
    } catch (error) {
      chat.note(`/btw: ${message_of(error)}`);
    } finally {
      this.#asked = null;
    }
  }

  /** Nobody waits for the answer anymore. */
  end(): void {
    this.#asked?.abort();
  }
}
