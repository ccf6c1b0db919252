import type { Agent } from "../../app/agent.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { ThemeName } from "../../ui/chat/theme.ts";
import type { ChatView } from "../../ui/chat/view.ts";
import type { Chosen } from "./chosen.ts";
import type { AfterRestart, ConversationSpent } from "./after_restart.ts";
import type { ChatSetup } from "./setup.ts";

export interface ChatState {
  readonly agent: Agent;
  readonly screen: ChatView;
  readonly settings: RunSettings;
  readonly setup: ChatSetup;
  /** Whether there is a session to be resumed. */
  readonly begun: boolean;
  readonly chosen: Chosen;
  /** Tokens, dollars and the use of the window, with what earlier starts of this conversation have taken. */
  readonly spent: ConversationSpent;
  /** Of the last task since the start that changed files; empty for none, and once it was undone. */
  last_diff: string;
  /** Asks the model something that the conversation does not hear of. */
  readonly beside: { ask(question: string): Promise<void> };
  /** What the model is told with the next message. */
  readonly aside: string[];
  readonly allowed: readonly string[];
  /** What commands have left running, each in a line. */
  readonly background: { readonly commands: readonly string[] };
  note(text: string): void;
  /** Says it, as if it had been typed. */
  submit(text: string): Promise<void>;
  /** Cancels what is under way; false where nothing is. */
  interrupt(): boolean;
  /** From the next task on. */
  set_model(name: string): void;
  /** Makes the conversation smaller, as a run does where its window is full. */
  compact(): Promise<void>;
  set_theme(name: ThemeName): void;
  /** Goes on with these flags, if they can be used; `next` is said then. */
  widen(flags: readonly string[], next?: readonly string[]): Promise<void>;
  /** Begins another conversation in the place of this one. */
  again(args: readonly string[], first?: AfterRestart): Promise<void>;
  /** Goes on with this one in a new start. */
  resume(args: readonly string[], first?: AfterRestart): Promise<void>;
  quit(): void;
}
