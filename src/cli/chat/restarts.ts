/** Restarts a conversation for what its process can no longer do with the rights it has left. */
import { exit_code } from "../../app/exit_codes.ts";
import { places_written } from "../../app/settings.ts";
import { type Environ, real_or, workspace_dir } from "../../config/paths.ts";
import { message_of } from "../../config/text.ts";
import { flags_again, parse, type Parsed } from "../args/args.ts";
import { Footing, type Restart, restarter } from "../base/restart.ts";
import type { BackgroundCommands } from "./background_commands.ts";
import { type AfterRestart, as_variable, is_too_long } from "./after_restart.ts";
import { is_unsaved, UNSAVED } from "./saved.ts";
import { type ChatSetup, kept_flags } from "./setup.ts";
import type { ChatState } from "./state.ts";
import { UsageError } from "../../config/error.ts";

/** The conversation, as far as the next start takes it over. */
interface Passing extends ChatState {
  readonly setup: ChatSetup;
  readonly next: readonly string[];
  readonly background: BackgroundCommands;
  readonly chosen_theme: AfterRestart["theme"];
  readonly is_over: boolean;
  end(code: number): void;
}

/** Of what was cleared, the last texts, and the longest of them, and the longest answer: all of it has to fit into a variable. */
const CLEARED = 5, CLEARED_CHARS = 4000, ANSWER_CHARS = 16_000;

/** Restarts the chat, once, with all that was typed and queued. */
export class Restarts {
  readonly #restart: Restart | null;
  readonly footing = new Footing();
  /** What is allowed is a place: a link may lead elsewhere by the next start. */
  readonly #flags: readonly string[];
  #leaving = false;

  /** While this thread may still open a library. */
  constructor(private readonly chat: Passing, environ: Environ) {
    this.#restart = restarter(environ, places_written(chat.settings));
    this.#flags = places_in(kept_flags(chat.setup.argv), real_or("."));
  }

  get leaving(): boolean {
    return this.#leaving;
  }

  over(): void {
    this.#leaving = true;
  }

  async again(args: readonly string[], first?: AfterRestart): Promise<void> {
    const { chat } = this;
    if (this.#restart === null) return chat.note("that needs a restart: quit, and run hamr again");
    if (this.#leaving) return;
    try {
      const { workspace } = chat.settings;
      if (workspace_dir(workspace) !== workspace) {
        throw new UsageError(`${workspace} is a link to another folder now`);
      }
      this.footing.regain();
    } catch (error) {
      return chat.note(message_of(error));
    }
    const variable = this.#carried(args, first);
    if (variable !== undefined && is_too_long(variable)) {
      return chat.note("what you typed is too long to keep across a restart: send it first");
    }
    this.#leaving = true;
    const { commands } = chat.background;
    if (commands.length > 0) chat.note(`ended: ${commands.join(", ")}`);
    await chat.screen.leave();
    await chat.agent.close();
    const over = () => chat.is_over;
    const carried = () => {
      const typed = chat.screen.late();
      return typed === "" ? variable : this.#carried(args, { ...first, typed });
    };
    await this.#restart(["chat", ...this.#kept(), ...args], { variable: carried, over });
    chat.end(exit_code("internal_error"));
  }

  async resume(args: readonly string[], first?: AfterRestart): Promise<void> {
    if (is_unsaved(this.chat)) return this.chat.note(UNSAVED);
    const { spent, aside, screen: { log } } = this.chat;
    const answer = log.answer.length <= ANSWER_CHARS ? log.answer : "";
    await this.again([...this.#as_it_is(), ...args], { aside, answer, spent, ...first });
  }

  /** Resumes with more rights, if these flags can be used; `next` is said then. */
  async widen(given: readonly string[], next: readonly string[] = []): Promise<void> {
    const { chat } = this;
    try {
      const parsed = parse(["chat", ...given]);
      const [word] = parsed.operands;
      if (word !== undefined) throw new UsageError(`${word} is not a flag such as --allow-net`);
      const flags = places_in(given, chat.settings.workspace);
      const allowed = [...this.#lists(parsed), ...flags];
      const say = `from now on: ${flags.join(" ")}`;
      await this.resume(allowed, { widens: true, say, next: [...next, ...chat.next] });
    } catch (error) {
      chat.note(message_of(error));
    }
  }

  /** What is allowed already in the lists that are added to, as flags. */
  #lists({ overrides }: Pick<Parsed, "overrides">): readonly string[] {
    const { read, write, run, env } = this.chat.settings.settings.permissions;
    return Object.entries({ read, write, run, env }).flatMap(([name, allowed]) => {
      const more = overrides.some(({ key }) => key === `permissions.${name}`);
      const list = allowed === "all" ? "" : `=${allowed.join(",")}`;
      return !more || list === "=" ? [] : [`--allow-${name}${list}`];
    });
  }

  #carried(args: readonly string[], first: AfterRestart = {}) {
    const { screen, next, chosen_theme: theme, settings: { workspace } } = this.chat;
    const cleared = screen.cleared.filter(({ length }) => length <= CLEARED_CHARS).slice(-CLEARED);
    return as_variable({
      draft: screen.editor.getExpandedText(),
      ...{ next, theme, cleared, workspace },
      otherwise: args.length > 0 ? [...this.#kept(), ...this.#as_it_is()] : [],
      ...first,
    });
  }

  /** A session that goes on has a folder of its own, wherever this program was started. */
  #kept(): readonly string[] {
    return [...this.#flags, "--directory", this.chat.settings.workspace];
  }

  #as_it_is(): readonly string[] {
    const { begun, agent, chosen } = this.chat;
    return [...(begun ? ["--resume", agent.sessionId] : []), ...chosen.flags];
  }
}

/** Flags whose relative paths are in a folder, as the person sees it, wherever this program was started. */
function places_in(given: readonly string[], folder: string): readonly string[] {
  return flags_again(["chat", ...given], () => true).map((one) => {
    const [, flag, paths] = /^(--(?:allow-read|allow-write|deny-read|add-dir))=(.+)$/s.exec(one) ??
      [];
    const placed = paths?.split(",").map((path) => {
      const whole = /^[/~$]/.test(path) ? path : `${folder}/${path}`;
      return flag === "--deny-read" ? whole : real_or(whole);
    });
    return placed === undefined ? one : `${flag}=${placed.join(",")}`;
  });
}
