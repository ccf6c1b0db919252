import type { Editor } from "@earendil-works/pi-tui";
import type { Stamped } from "../../agent/events.ts";
import type { AskWords } from "../../agent/session.ts";
import type { AskPerson } from "../../permission/approval.ts";
import type { Choice } from "./picker.ts";
import type { StatusLine } from "./status.ts";
import type { Theme } from "./theme.ts";

/** What a person sees of a chat and types into: a screen, or plain lines. */
export interface ChatView {
  readonly log: {
    /** The last answer; empty before the first. */
    answer: string;
    /** Leaves a line empty, once something comes after it. */
    gap(): void;
    /** A line of hamr's own; nothing for nothing. */
    note(text: string): void;
    diff(text: string): void;
    /** An answer that is no part of the conversation. */
    beside(question: string, answer: string): void;
    said(text: string): void;
    hear(event: Stamped): void;
    printed(output: string, ending: string): void;
  };
  readonly status: Pick<StatusLine, "model" | "names" | "resume" | "window">;
  readonly editor: Pick<Editor, "getExpandedText" | "setText" | "setAutocompleteProvider">;
  readonly asking: { readonly leave: AskPerson; readonly words: AskWords };
  readonly picker: {
    pick(
      title: string,
      choices: readonly Choice[],
      options?: { readonly unasked?: boolean },
    ): Promise<Choice | null>;
  };
  readonly theme: Pick<Theme, "name">;
  /** What was said and waits for the end of the task. */
  readonly queued: readonly string[];
  /** What was typed, and cleared, the newest last. */
  readonly cleared: string[];
  /** `typed`: before that, and not read by it. */
  start(typed: string): void;
  /** Gives the terminal back, until `awake`. */
  sleep(): void | Promise<void>;
  awake(): void;
  /** Gives the terminal back for good. */
  leave(): void | Promise<void>;
  /** What was typed since then: it is for whoever comes next. */
  late(): string;
  render(): void;
  redraw(): void;
  /** Gives the last answer to the clipboard; in words, what came of it. */
  copy(): string;
  hear(event: Stamped): void;
  /** The end of what the person's own command has printed so far. */
  hear_command(printed: string): void;
  /** What was typed in earlier conversations, the newest last. */
  remember(texts: readonly string[]): void;
  /** A task is under way; or a command of the person's, which is named then. */
  begin(text: string, command?: string): void;
  /** It has ended, if there was one; gives what comes next, if something is queued. */
  end(): string | undefined;
  /** SIGINT: whether it was for what is under way. */
  signaled(): boolean;
}
