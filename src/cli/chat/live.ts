/** A conversation in this process: what is typed, one task after another, and what takes a new start. */
import process from "node:process";
import { Agent } from "../../app/agent.ts";
import { exit_code } from "../../app/exit_codes.ts";
import { permissions_of, type RunSettings } from "../../app/settings.ts";
import { message_of } from "../../config/text.ts";
import type { Mode } from "../../guards/rule.ts";
import type { Image } from "../../model/message.ts";
import { completions } from "../../ui/chat/complete.ts";
import { type EarlyFrame, HELLO } from "../../ui/chat/early.ts";
import { permission_words } from "../../ui/chat/status.ts";
import { ChatScreen } from "../../ui/chat/screen.ts";
import type { ThemeName } from "../../ui/chat/theme.ts";
import { flags_again, parse } from "../args/args.ts";
import { type Io, writer } from "../base/io.ts";
import { type Restart, restarter, sleeper } from "../base/restart.ts";
import { any_time, CHAT_COMMANDS, type ChatState, run_command } from "./commands.ts";
import { branch_of, images_in, workspace_files } from "./files.ts";
import { as_variable, type DoneFirst, type First } from "./first.ts";
import { is_first_start, model_choices, who_answers, write_choice } from "./models.ts";
import { accept_plan, go_back, pick_session } from "./picks.ts";
import { earlier_tasks } from "./saved.ts";
import { written_commands, written_task } from "./written.ts";
import { run_shell, told_of } from "./shell.ts";
import { read_images } from "../base/images.ts";

/** The modes that shift-tab goes through. */
const MODES: readonly Mode[] = ["auto", "plan", "ask"];
/** Flags that a start anew says for itself. */
const NOT_AGAIN: readonly string[] = ["resume", "continue", "fork", "mode", "verify"];

/** What a chat is made from. */
export interface ChatSetup {
  readonly opened: Pick<ConstructorParameters<typeof Agent>[0], "flags" | "overrides" | "resumed">;
  readonly settings: RunSettings;
  /** Whether the session is there to be resumed. */
  readonly begun: boolean;
  readonly argv: readonly string[];
  readonly done: DoneFirst | null;
  readonly first: First | null;
  readonly io: Io;
  readonly look: { readonly theme: ThemeName; readonly ascii: boolean };
  /** What is on the screen by now. */
  readonly early: EarlyFrame;
}

/** Lives one; returns the exit code. */
export async function live(setup: ChatSetup, task: string): Promise<number> {
  return await new Chat(setup).live(task);
}

/** One conversation in this process. What it can't do with the rights that it has left, it does by starting anew. */
class Chat implements ChatState {
  readonly agent: Agent;
  readonly screen: ChatScreen;
  readonly settings: RunSettings;
  readonly #setup: ChatSetup;
  readonly #restart: Restart | null;
  readonly #over = Promise.withResolvers<number>();
  #begun: boolean;
  #mode: Mode;
  /** The colors that were chosen here. */
  #theme: ThemeName | null;
  #verify: string;
  /** The mode that was asked for while a task was under way. */
  #wanted: Mode | null = null;
  /** What was asked for while a task was under way, and takes a new start. */
  #wants: "edit" | "image" | null = null;
  /** Whether a task or a command is under way. */
  #busy = false;
  /** What is to be done after that. */
  readonly #said: string[] = [];
  /** Whether another start takes the place of this one. */
  #leaving = false;
  /** Whether the server says that the model can't see. */
  #blind = false;
  #compacting = false;
  /** Ends the person's own command. */
  #shell: AbortController | null = null;
  /** What the model is told with the next message. */
  readonly #aside: string[] = [];

  constructor(setup: ChatSetup) {
    const { opened, settings, io, begun, done } = this.#setup = setup;
    this.settings = settings;
    this.#begun = begun;
    this.#theme = setup.first?.theme ?? null;
    this.#mode = settings.settings.agent.mode;
    this.#verify = settings.settings.verify.command;
    if (done !== null && done.told !== "") this.#aside.push(done.told);
    const environ = io.environ();
    // The library looks there while it draws; by then this thread may not.
    Object.defineProperty(process, "env", { value: environ });
    this.#restart = restarter(environ);
    const sleep = sleeper();
    const permissions = permission_words(permissions_of(settings, opened.flags));
    const screen = this.screen = new ChatScreen({
      submit: (text) => void this.submit(text),
      steer: (text) => this.#steer(text),
      interrupt: () => this.#interrupt(),
      next_mode: () => {
        const at = MODES.indexOf(this.#wanted ?? this.#mode);
        void this.set_mode(MODES[(at + 1) % MODES.length] ?? "auto");
      },
      rewind: () => void run_command("/rewind", this),
      edit: () => void this.#with_draft("edit"),
      paste_image: () => void this.#with_draft("image"),
      sleep() {
        if (sleep === null) return;
        screen.sleep();
        sleep();
        // It is awake again; or has never slept: where no shell could wake it, the system lets nothing sleep.
        screen.awake();
      },
      quit: () => this.quit(),
    }, {
      ...setup.look,
      theme: setup.first?.theme ?? setup.look.theme,
      notify: settings.settings.chat.notify,
      verbose: opened.flags.verbose,
      facts: () => ({ mode: this.#mode, permissions, branch: branch_of(settings.workspace) }),
      // Escape sequences are the screen's own: whatever others say was made harmless before.
      write: writer(Deno.stdout, { quiet: true }),
    });
    this.agent = new Agent({
      ...opened,
      io: { environ: () => environ },
      embedded: false,
      ask: settings.settings.agent.confirm === "refuse" ? null : screen.asking.leave,
      clarify: screen.asking.words,
    });
  }

  /** Until it is over; returns the exit code. */
  async live(first: string): Promise<number> {
    const { screen, agent, settings } = this;
    const { io, done, opened, first: before } = this.#setup;
    const { pick, wanted } = before ?? {};
    const leave = () => this.#over.resolve(exit_code("user_interrupt"));
    for (const name of ["SIGTERM", "SIGHUP", "SIGINT"] as const) {
      Deno.addSignalListener(name, leave);
    }
    Deno.addSignalListener("SIGCONT", () => screen.awake());
    screen.status.names(settings.settings.provider.model);
    screen.editor.setAutocompleteProvider(
      completions(
        [...CHAT_COMMANDS, ...written_commands(settings)],
        workspace_files(settings.workspace),
      ),
    );
    const id = agent.sessionId.slice(0, 8);
    const hello = done !== null && done.shown !== ""
      ? done.shown
      : this.#begun
      ? `Session ${id} continues.`
      : HELLO;
    screen.log.note(hello);
    this.#setup.early.clear({ leave: false });
    screen.start();
    if (done !== null) screen.editor.setText(done.draft);
    if (pick === "session") await pick_session(this, { opened, io, wanted });
    if (pick === "message") await go_back(this, { opened, io });
    if (first === "") void this.#meet();
    screen.remember(await earlier_tasks(opened, io).catch(() => []));
    if (first !== "") void this.submit(first);
    const code = await this.#over.promise;
    screen.leave();
    await agent.close();
    if (this.#begun) io.err(`To continue: hamr chat --resume ${id}\n`);
    return code;
  }

  /** Whether there is a session to be resumed. */
  get begun(): boolean {
    return this.#begun;
  }

  get own_mode(): readonly string[] {
    return this.#mode === "verify" ? [`--verify=${this.#verify}`] : ["--mode", this.#mode];
  }

  get mode(): Mode {
    return this.#mode;
  }

  quit(): void {
    this.#over.resolve(0);
  }

  note(text: string): void {
    this.screen.log.note(text);
    this.screen.render();
  }

  /** Another mode; where that takes other permissions, after a start anew. */
  async set_mode(next: Mode): Promise<void> {
    if (this.#busy) {
      this.#wanted = next;
      return this.note(`mode ${next} once the task has ended`);
    }
    // The kernel holds a plan to reading, and gives nothing back.
    const anew = this.#begun && (next === "plan") !== (this.#mode === "plan");
    this.#mode = next;
    if (anew) return await this.resume([]);
    this.agent.setMode(next);
    this.note(`mode ${next}`);
  }

  /** Ends this conversation, and begins another one in its place. */
  async again(args: readonly string[], first?: First): Promise<void> {
    if (this.#restart === null) {
      return this.note("that takes a restart: quit, and run hamr again");
    }
    if (this.#leaving) return;
    this.#leaving = true;
    this.screen.leave();
    await this.agent.close();
    const all = { ...first, ...(this.#theme === null ? {} : { theme: this.#theme }) };
    const variable = Object.keys(all).length === 0 ? undefined : as_variable(all);
    this.#restart(["chat", ...this.#flags(), ...args], variable);
    this.#over.resolve(exit_code("internal_error"));
  }

  /** Goes on with this conversation in a new start. */
  async resume(args: readonly string[], first?: First): Promise<void> {
    await this.again([...this.#as_it_is(), ...args], first);
  }

  async widen(flags: readonly string[]): Promise<void> {
    try {
      parse(["chat", ...flags]);
    } catch (error) {
      return this.note(message_of(error));
    }
    const otherwise = [...this.#flags(), ...this.#as_it_is()];
    await this.resume(flags, { otherwise });
  }

  set_theme(name: ThemeName): void {
    this.#theme = name;
    this.screen.theme.name = name;
    this.screen.redraw();
  }

  set_verify(command: string): void {
    this.#verify = command;
    this.#mode = command === "" ? "auto" : "verify";
    this.agent.setVerify(command);
  }

  /** Of flags that are given twice the last one counts. */
  #flags(): readonly string[] {
    return flags_again(
      this.#setup.argv,
      ({ name, commands }) => commands.includes("chat") && !NOT_AGAIN.includes(name),
    );
  }

  #as_it_is(): readonly string[] {
    return [
      ...(this.#begun ? ["--resume", this.agent.sessionId] : []),
      ...this.own_mode,
    ];
  }

  /** What the person says, or a command. What is said meanwhile comes after it. */
  async submit(text: string): Promise<void> {
    this.#said.push(text);
    if (this.#busy || this.#leaving) return;
    this.#busy = true;
    for (let next = this.#said.shift(); next !== undefined; next = this.#next()) {
      if (next.startsWith("/")) await this.#command(next);
      else if (next.startsWith("!")) await this.#run_shell(next.slice(1).trim());
      else await this.#task(next);
    }
    this.#busy = false;
    const wanted = this.#wanted;
    this.#wanted = null;
    if (wanted !== null && wanted !== this.#mode) await this.set_mode(wanted);
    if (this.#wants !== null) await this.#with_draft(this.#wants);
  }

  /** Does something with what was typed that takes a new start, and so the end of the task: the person's editor, or an image. */
  async #with_draft(what: "edit" | "image"): Promise<void> {
    this.#wants = this.#busy ? what : null;
    if (this.#busy) {
      const words = what === "edit" ? "the editor opens" : "the image is taken";
      return this.note(`${words} once the task has ended`);
    }
    const draft = this.screen.editor.getExpandedText();
    await this.resume([], what === "edit" ? { draft, edit: true } : { draft, image: true });
  }

  #next(): string | undefined {
    const queued = this.screen.end();
    if (queued !== undefined) this.#said.unshift(queued);
    return this.#leaving ? undefined : this.#said.shift();
  }

  async #command(text: string): Promise<void> {
    const [name] = text.slice(1).split(/\s/, 1);
    const own = CHAT_COMMANDS.some((one) => one.name === name);
    const written = !own && written_commands(this.settings).some((one) => one.name === name);
    if (!written) return await run_command(text, this);
    const task = await written_task(text, this);
    if (task !== null) await this.#task(task, text);
  }

  /** `typed`: how the person said it. */
  async #task(text: string, typed = text): Promise<void> {
    this.screen.begin(typed);
    const context = this.#aside.splice(0).join("\n\n");
    const images = await this.#shown(text);
    const run = this.agent.run(text, {
      talks: true,
      ...(context === "" ? {} : { context }),
      ...(images.length === 0 ? {} : { images }),
    });
    for await (const event of run) this.screen.hear(event);
    const { steps, status } = await run.result;
    this.#begun ||= steps > 0;
    const planned = this.#mode === "plan" && status === "success" && this.#wanted === null;
    if (planned && !this.screen.has_more) await accept_plan(this);
  }

  async compact(): Promise<void> {
    if (!this.#begun) return this.note("nothing to compact yet");
    this.screen.begin("/compact");
    this.#compacting = true;
    for await (const event of this.agent.compact()) this.screen.hear(event);
    this.#compacting = false;
  }

  /** The images that are named, for a model that may see them. */
  async #shown(text: string): Promise<readonly Image[]> {
    const paths = images_in(text, this.settings.workspace);
    if (paths.length === 0) return [];
    if (this.#blind) {
      this.note("this model can't see images: it is told their paths");
      return [];
    }
    try {
      return await read_images(paths);
    } catch (error) {
      this.note(message_of(error));
      return [];
    }
  }

  async #run_shell(command: string): Promise<void> {
    if (command === "") return this.note("!COMMAND runs a command, and tells the model of it");
    this.screen.begin(`!${command}`, command);
    const { signal } = this.#shell = new AbortController();
    const { agent, settings: { workspace } } = this;
    const read_only = this.#mode === "plan";
    const shell = { agent, argv: this.#setup.argv, workspace, read_only, signal };
    const outcome = await run_shell(command, shell);
    this.#shell = null;
    this.screen.log.printed(outcome.output, outcome.ending);
    this.#aside.push(told_of(command, outcome));
  }

  #steer(text: string): "told" | "done" | "wait" {
    if (any_time(text)) {
      void run_command(text, this);
      return "done";
    }
    const heard = !/^[/!]/.test(text) && !this.#compacting;
    return heard && this.agent.steer(text) ? "told" : "wait";
  }

  #interrupt(): boolean {
    if (this.#shell === null) return this.agent.interrupt();
    this.#shell.abort();
    return true;
  }

  /** Says who would answer. Where nobody ever chose, and there is a choice, asks for one. */
  async #meet(): Promise<void> {
    const { settings, screen } = this;
    const found = await who_answers(settings);
    if (typeof found === "string") return this.note(found);
    this.#blind = found.sees === false;
    screen.status.names(found.model, found.context_window);
    screen.render();
    const path = settings.paths.config_file;
    if (!is_first_start(settings) || path === null) return;
    const choices = await model_choices(settings, found);
    if (choices.length < 2 || this.#busy) return;
    const choice = await screen.picker.pick("Which model?", choices);
    if (choice === null) return;
    try {
      write_choice(path, choice);
    } catch (error) {
      return this.note(`${path}: ${message_of(error)}`);
    }
    this.note(`${choice.label} is your model from now on: ${path}`);
    await this.again([]);
  }
}
