/** A conversation in this process: one task after another, and restarts when they are needed. */
import process from "node:process";
import { Agent, hold_still, is_spent, left_by_last } from "../../app/agent.ts";
import { branch_now } from "../../app/branch.ts";
import { exit_code } from "../../app/exit_codes.ts";
import { permissions_of, places_written, type RunSettings } from "../../app/settings.ts";
import { completion_provider } from "../../ui/chat/complete.ts";
import { reach_words } from "../../ui/chat/status.ts";
import { PlainLines } from "../../ui/chat/plain.ts";
import { type ChatHandlers, ChatScreen } from "../../ui/chat/screen.ts";
import type { ChatView } from "../../ui/chat/view.ts";
import type { ThemeName } from "../../ui/chat/theme.ts";
import { writer } from "../base/io.ts";
import { sleeper } from "../base/sleep.ts";
import { allowed_here } from "./allowed.ts";
import { Chosen } from "./chosen.ts";
import { AsideQuestions } from "./beside.ts";
import { BackgroundCommands } from "./background_commands.ts";
import { any_time, CHAT_COMMANDS, is_command, run_command } from "./commands.ts";
import type { ChatState } from "./state.ts";
import { shown_images, workspace_files } from "./files.ts";
import { Restarts } from "./restarts.ts";
import type { ConversationSpent, DraftProgram } from "./after_restart.ts";
import type { ChatSetup } from "./setup.ts";
import { meet } from "./models.ts";
import { accept_plan } from "./picks.ts";
import { offer_rights } from "./rights.ts";
import { hello_in, said_so_far } from "./earlier.ts";
import { earlier_tasks, is_unsaved } from "./saved.ts";
import { is_written } from "../servers/slash_commands.ts";
import { custom_task, resources_of, written_commands } from "./custom_commands.ts";
import { run_shell, shell_report } from "./shell.ts";
import { cost_words } from "./status.ts";

const MAKES_ROOM = "/rewind goes back to an earlier message, /new begins another conversation";

export async function live(setup: ChatSetup, task: string): Promise<number> {
  return await new Chat(setup).live(task);
}

/** One conversation in this process. What it can't do with the rights that it has left, it does by a restart. */
class Chat implements ChatState {
  readonly agent: Agent;
  readonly chosen: Chosen;
  readonly background: BackgroundCommands;
  readonly beside = new AsideQuestions(this);
  readonly screen: ChatView;
  readonly settings: RunSettings;
  readonly setup: ChatSetup;
  readonly #restarts: Restarts;
  readonly #over = Promise.withResolvers<number>();
  is_over = false;
  #begun: boolean;
  last_diff = "";
  chosen_theme: ThemeName | undefined;
  /** What was asked for while a task was under way, and takes a new start. */
  #wants: DraftProgram | null = null;
  #busy = false;
  /** What was said while a task was under way, to be done after it. */
  readonly #said: string[] = [];
  /** Whether the server says that the model can't see. */
  #blind = false;
  #compacting = false;
  /** Ends the person's own command. */
  #shell: AbortController | null = null;
  readonly aside: string[] = [];

  constructor(setup: ChatSetup) {
    const { opened, settings, io, begun, done } = this.setup = setup;
    this.settings = settings;
    this.#begun = begun;
    this.chosen_theme = setup.first?.theme;
    this.#said.push(...setup.first?.next ?? []);
    this.aside.push(...setup.first?.aside ?? []);
    if (done !== null && done.told !== "") this.aside.push(done.told);
    const environ = io.environ();
    // The library looks there while it draws; by then this thread may not.
    Object.defineProperty(process, "env", { value: environ });
    this.#restarts = new Restarts(this, environ);
    const sleep = sleeper((on) => hold_still(this.agent, on));
    const permissions = permissions_of(settings, opened.flags);
    const rights = () =>
      reach_words({
        ...permissions,
        read_only: opened.flags.read_only === true || this.chosen.mode === "plan",
      });
    const branch = branch_now(settings.workspace);
    const handlers: ChatHandlers = {
      submit: (text) => void this.submit(text),
      steer: (text) => this.#steer(text),
      tell: (text) => this.agent.steer(text),
      take_back: (text) => this.agent.takeBack(text),
      interrupt: () => this.interrupt(),
      next_mode: () => {
        this.chosen.next_mode();
        this.screen.render();
      },
      rewind: () => void run_command("/rewind", this),
      edit: () => void this.#with_draft("editor"),
      paste_image: () => void this.#with_draft("clipboard"),
      sleep: () => void sleep?.(screen),
      quit: () => this.quit(),
      gone: () => this.#gone(),
    };
    const view = {
      ...setup.look,
      theme: setup.first?.theme ?? setup.look.theme,
      colors: environ["COLORFGBG"] ?? "",
      notify: settings.settings.chat.notify,
      title: settings.settings.chat.title ? settings.workspace.replace(/^.*\//, "") : "",
      verbose: opened.flags.verbose,
      typed_ahead: setup.early.typed_ahead,
      facts: () => ({
        ...{ mode: this.chosen.mode, permissions: rights(), branch: branch() },
        background: this.background.commands,
      }),
      // Escape sequences are the screen's own: whatever others say was made harmless before.
      write: writer(Deno.stdout, { quiet: true }),
      prompt: Deno.stdout.isTerminal(),
      greets: setup.first === null || setup.first.shows === true,
    };
    const screen: ChatView = this.screen = view.plain
      ? new PlainLines(handlers, view)
      : new ChatScreen(handlers, view);
    if (sleep !== null) Deno.addSignalListener("SIGTSTP", handlers.sleep);
    this.agent = new Agent({
      ...opened,
      io: { environ: () => environ },
      embedded: false,
      ask: settings.settings.agent.confirm === "refuse" ? null : screen.asking.leave,
      clarify: screen.asking.words,
      waits: (words) => this.note(words),
    });
    this.background = new BackgroundCommands(this.agent, () => screen.render());
    this.chosen = new Chosen(this.agent, settings.settings);
  }

  /** Until it is over; returns the exit code. */
  async live(first: string): Promise<number> {
    const { screen, agent, settings } = this;
    const { io, done, first: before } = this.setup;
    const leave = () => this.#gone();
    for (const name of ["SIGTERM", "SIGHUP"] as const) Deno.addSignalListener(name, leave);
    Deno.addSignalListener("SIGINT", () => screen.signaled() || leave());
    Deno.addSignalListener("SIGCONT", () => screen.awake());
    screen.status.names(settings.settings.provider.model);
    screen.editor.setAutocompleteProvider(
      completion_provider(
        () => [...CHAT_COMMANDS, ...written_commands(this)],
        workspace_files(settings.workspace),
        () => Deno.consoleSize().columns,
      ),
    );
    const id = agent.sessionId.slice(0, 8);
    if (before !== null) screen.log.gap();
    if (before === null || before.shows) {
      await said_so_far(this);
      screen.log.note(hello_in(this.setup, id));
    }
    if (before?.args?.[0] === "diff") screen.log.diff(done?.shown ?? "");
    else screen.log.note(done?.shown ?? "");
    if (before?.spent !== undefined) screen.status.resume(before.spent);
    screen.log.answer ||= before?.answer ?? "";
    this.setup.early.clear({ leave: false });
    if (done !== null) screen.editor.setText(done.draft);
    screen.start(before?.typed ?? "");
    const begin = async () => {
      if (first === "" && this.#said.length === 0) {
        void meet(this, () => this.#busy).then((sees) => this.#blind = !sees);
      }
      const { cleared = [] } = before ?? {};
      screen.cleared.unshift(...cleared);
      screen.remember([...await earlier_tasks(this), ...cleared]);
      if (first !== "") this.#said.unshift(first);
      await this.#work();
    };
    // A signal, and the end of the terminal, end it also where something is to be picked.
    begin().catch(this.#over.reject);
    const code = await this.#over.promise;
    // Nobody is left to hear what is queued.
    this.#restarts.over();
    this.beside.end();
    await screen.leave();
    const goes_on = this.#begun && !is_unsaved(this);
    const cost = this.spent.cost === null ? "" : `${cost_words(this)}\n`;
    await agent.close();
    if (goes_on) io.err(`\n${cost}To continue: hamr chat --resume ${id}\n`);
    return code;
  }

  get begun(): boolean {
    return this.#begun;
  }

  get spent(): ConversationSpent {
    const { tokens = 0, cost = null, beside = 0, part = this.setup.begun } =
      this.setup.first?.spent ?? {};
    const { totalTokens, totalCost } = this.agent;
    const { used } = this.screen.status.window;
    return {
      ...{ cost: totalCost ?? cost, used, part },
      tokens: tokens + totalTokens + this.beside.tokens,
      beside: beside + this.beside.cost,
    };
  }

  get allowed(): readonly string[] {
    return allowed_here(this.settings, { flags: this.setup.opened.flags, mode: this.chosen.mode });
  }

  set_model(name: string): void {
    this.chosen.model = name;
    this.screen.status.names(name);
    const kept = `[provider] model = ${JSON.stringify(name)} in your settings keeps it`;
    this.note(`model ${name} from the next task on; ${kept}`);
  }

  quit(): void {
    this.end(0);
  }

  #gone(): void {
    this.end(exit_code("user_interrupt"));
  }

  /** Ends it; of several reasons the first counts. */
  end(code: number): void {
    this.is_over = true;
    this.#over.resolve(code);
  }

  note(text: string): void {
    this.screen.log.note(text);
    this.screen.render();
  }

  get next(): readonly string[] {
    return [...this.#said, ...this.screen.queued];
  }

  readonly again: ChatState["again"] = (args, first) => this.#restarts.again(args, first);
  readonly resume: ChatState["resume"] = (args, first) => this.#restarts.resume(args, first);
  readonly widen: ChatState["widen"] = (flags, next) => this.#restarts.widen(flags, next);

  set_theme(name: ThemeName): void {
    this.chosen_theme = name;
    this.screen.theme.name = name;
    this.screen.redraw();
  }

  /** What the person says, or a command. What is said meanwhile comes after it. */
  async submit(text: string): Promise<void> {
    this.#said.push(text);
    await this.#work();
  }

  async #work(): Promise<void> {
    if (this.#busy || this.#restarts.leaving) return;
    this.#busy = true;
    for (let next = this.#said.shift(); next !== undefined; next = this.#next()) {
      if (!is_command(next) && !this.#goes_on()) await this.#resume_with(next);
      else if (is_command(next)) await this.#command(next);
      else if (next.startsWith("!")) await this.#run_shell(next.slice(1).trim());
      else await this.#task(next);
    }
    this.#busy = false;
    if (this.#wants !== null) await this.#with_draft(this.#wants);
  }

  /** Says it in a new start; where there can be none, that was said, and ↑ brings it back. */
  async #resume_with(text: string): Promise<void> {
    this.#said.unshift(text);
    await this.resume([]);
    if (!this.#restarts.leaving) this.#said.shift();
  }

  /** Whether this process can do a task in that mode: once the kernel holds commands to reading, for a plan, nothing is given back. */
  #goes_on(): boolean {
    if (is_spent(this.agent) || this.#restarts.footing.lost) return false;
    const policy = left_by_last(this.agent)?.enforced.policy;
    const read_only = this.setup.opened.flags.read_only === true || this.chosen.mode === "plan";
    return policy === undefined || (policy.read_only ?? false) === read_only;
  }

  /** Does something with what was typed that takes a new start, and so the end of the task: the person's editor, or an image. */
  async #with_draft(program: DraftProgram): Promise<void> {
    this.#wants = this.#busy ? program : null;
    if (this.#busy) {
      const words = program === "editor" ? "the editor opens" : "the image is taken";
      return this.note(`${words} once the task has ended`);
    }
    const draft = this.screen.editor.getExpandedText();
    // A session that goes on may have been begun with more than the next start's flags say.
    await this.resume([], { draft, through: { program, places: places_written(this.settings) } });
  }

  #next(): string | undefined {
    const queued = this.screen.end();
    if (queued !== undefined) this.#said.unshift(queued);
    return this.#restarts.leaving ? undefined : this.#said.shift();
  }

  async #command(text: string): Promise<void> {
    const [name = ""] = text.slice(1).split(/\s/, 1);
    const own = CHAT_COMMANDS.some((one) => one.name === name);
    if (own || !is_written(name, this.settings)) return await run_command(text, this);
    const task = await custom_task(text, this);
    if (task === null) return;
    await (this.#goes_on() ? this.#task(task, text) : this.#resume_with(text));
  }

  /** `typed`: how the person said it. */
  async #task(text: string, typed = text): Promise<void> {
    const mode = this.chosen.mode;
    this.screen.begin(typed);
    const named = await resources_of(text, this);
    const context = [...this.aside.splice(0), ...named].join("\n\n");
    // A command of the repository, or a prompt of a server, names no file in the name of the person.
    const images = await shown_images(typed, this, { blind: this.#blind });
    if (this.#restarts.leaving) return;
    const run = this.agent.run(text, {
      talks: true,
      ...(context === "" ? {} : { context }),
      ...(images.length === 0 ? {} : { images }),
    });
    const refused = new Set<string>();
    for await (const event of run) {
      if (event.type === "background") this.background.commands = event.commands;
      if (event.type === "refusal") event.flags.forEach((flag) => refused.add(flag));
      this.screen.hear(event);
    }
    const { steps, status, stop_reason } = await run.result;
    await this.background.look();
    this.last_diff = this.agent.lastTurnDiff || this.last_diff;
    // Saved, though its only answer was interrupted, or never came.
    const saved = left_by_last(this.agent)?.store?.session ?? null;
    this.#begun ||= steps > 0 || saved !== null;
    // In no session: ↑ has it in the next start, too, such as with the model that was missing.
    if (saved === null) this.screen.cleared.push(typed);
    if (this.next.length > 0 || stop_reason === "user_interrupt") return;
    if (["context_full", "budget_exhausted"].includes(stop_reason)) this.note(MAKES_ROOM);
    if (mode === "plan") {
      if (status !== "success" || mode !== this.chosen.mode || !await accept_plan(this)) return;
      this.chosen.mode = "auto";
      this.#said.unshift("Carry out the plan.");
    } else if (refused.size > 0) await offer_rights(this, { flags: [...refused], status });
  }

  async compact(): Promise<void> {
    if (!this.#begun) return this.note("nothing to compact yet");
    this.screen.begin("/compact");
    this.#compacting = true;
    for await (const event of this.agent.compact()) this.screen.hear(event);
    this.#compacting = false;
  }

  async #run_shell(command: string): Promise<void> {
    if (command === "") return this.note("!COMMAND runs a command, and tells the model about it");
    this.screen.begin(`!${command}`, command);
    const { signal } = this.#shell = new AbortController();
    const { agent, settings } = this;
    const read_only = this.chosen.mode === "plan";
    const printed = (text: string) => this.screen.hear_command(text);
    const shell = { agent, argv: this.setup.argv, settings, read_only, signal, printed };
    const outcome = await run_shell(command, shell);
    this.#shell = null;
    await this.background.look();
    this.screen.log.printed(outcome.output, outcome.ending);
    this.aside.push(shell_report(command, outcome));
  }

  #steer(text: string): "told" | "done" | "wait" {
    if (any_time(text, this)) {
      void run_command(text, this);
      return "done";
    }
    const heard = !text.startsWith("!") && !is_command(text) && !this.#compacting;
    return heard && this.agent.steer(text) ? "told" : "wait";
  }

  interrupt(): boolean {
    if (this.#shell === null) return this.agent.interrupt();
    this.#shell.abort();
    return true;
  }
}
