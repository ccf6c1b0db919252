/** Background commands: started, read, ended. All of them end with the run. */
import { within } from "../../config/within.ts";
import { message_of } from "../../config/text.ts";
import { hints } from "../../permission/hints.ts";
import type { BackgroundArgs, BashArgs } from "../declared/machine_tools.ts";
import { ToolFailure } from "../failure.ts";
import type { Done } from "../tool.ts";
import { ending } from "./shell/ending.ts";
import type { Machine } from "./machine/machine.ts";
import { Pump } from "./shell/pump.ts";
import { runner } from "./runner.ts";
import {
  type CommandBegun,
  type CommandResult,
  ProcessGroupEnd,
  type Shell,
} from "./shell/shell.ts";

/** What does not start at all says so in this time; nothing depends on it, as the next look says it, too. */
const FIRST_LOOK_MS = 250;
/** After the shell has ended, what is still in its pipe is waited for this long. */
const DRAIN_MS = 100;
/** Of a command, where it is named. */
const NAMED_CHARS = 60;

const BEGUN = new WeakMap<Shell, Map<string, BackgroundCommand>>();

class BackgroundCommand {
  readonly #stop = new AbortController();
  readonly #over: Promise<void>;
  #output: ReturnType<CommandBegun["output"]>;
  /** Null while it runs. */
  #ended: Pick<CommandResult, "exit_code" | "signal" | "ended_by"> | null = null;
  /** Its end has been reported. */
  #told = false;

  /** `timeout_s` 0 is no limit: it ends with the run. */
  constructor(
    readonly id: string,
    private readonly given: {
      readonly command: string;
      readonly timeout_s: number;
      readonly begun: CommandBegun;
      readonly over: () => void;
    },
  ) {
    this.#output = given.begun.output();
    this.#over = this.#run(given.begun);
  }

  get pid(): number {
    return this.given.begun.child.pid;
  }

  get runs(): boolean {
    return this.#ended === null;
  }

  get named(): string {
    const line = this.given.command.split("\n")[0] ?? "";
    return `${this.id} (${line.length > NAMED_CHARS ? `${line.slice(0, NAMED_CHARS)}…` : line})`;
  }

  /** SIGTERM, and SIGKILL where that is not enough. Comes when it has ended. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#over;
  }

  /** Comes when it has ended, or when so much time is over, or nobody waits for it anymore. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await within(ms, Promise.race([this.#over, promise]));
  }

  /** What it has printed since this was last asked, and how it is. */
  news(machine: Machine): Done {
    const text = this.#output.finish();
    this.#output = this.given.begun.output();
    const printed = text.replace(/\n$/, "");
    const said = (state: string, notes: readonly string[] = []) =>
      [printed, `[${this.id} ${state}]`, ...notes.map((note) => `[${note}]`)]
        .filter((part) => part !== "").join("\n");
    const ended = this.#ended;
    if (ended === null) {
      const how =
        `bash {"id": "${this.id}"} reads what it prints next; "end": true ends it, and so does the end of hamr`;
      return { ok: true, text: said(`runs: ${how}`), summary: `${this.id} runs` };
    }
    const { command, timeout_s } = this.given;
    if (ended.ended_by === "cancel") {
      this.#told = true;
      return { ok: true, text: said("was ended"), summary: `${this.id} was ended` };
    }
    const { exit_code } = ended;
    const result = { ...ended, output: text, background: false, errors: "" };
    const how = ending(result, timeout_s);
    const ok = exit_code === 0 && ended.ended_by === "itself";
    const state = how.startsWith("ended") ? how : `ended: ${how}`;
    const facts = this.#told
      ? []
      : [{ kind: "command", command, exit_code: ok ? 0 : exit_code } as const];
    this.#told = true;
    return {
      ok,
      text: said(state, ok ? [] : hints({ command, ...result }, machine.policy)),
      summary: `${this.id} ${state}`,
      facts,
    };
  }

  async #run({ child, complaint }: CommandBegun): Promise<void> {
    const { timeout_s } = this.given;
    const ending = new ProcessGroupEnd(child.pid, { timeout_s, signal: this.#stop.signal });
    const pump = new Pump(child.stdout, (bytes) => this.#output.push(bytes));
    const said: Uint8Array[] = [];
    const complaints = new Pump(child.stderr, (bytes) => void said.push(bytes.slice()));
    const status = await Promise.race([child.status, ending.given_up]);
    ending.over();
    await pump.settle(Math.max(DRAIN_MS, ending.time_left()));
    await complaints.settle(DRAIN_MS);
    ending.all_over();
    for (const bytes of said) this.#output.push(complaint(bytes));
    this.#ended = {
      exit_code: status.signal === null && ending.by === "itself" ? status.code : null,
      signal: status.signal,
      ended_by: ending.by,
    };
    this.given.over();
  }
}

/** Begins one, and says what became of it in its first moment. */
export async function begin_background(
  { command, timeout = 0 }: BashArgs,
  machine: Machine,
): Promise<Done> {
  const background = begun_by(machine.shell);
  const id = `b${background.size + 1}`;
  const tell = () => machine.tell({ type: "background", commands: running(background) });
  try {
    const begun = machine.shell.begin(command);
    const one = new BackgroundCommand(id, { command, timeout_s: timeout, begun, over: tell });
    background.set(id, one);
    tell();
    await one.wait(FIRST_LOOK_MS, machine.signal);
    return one.news(machine);
  } catch (error) {
    throw new ToolFailure(`it could not be started: ${message_of(error)}`);
  }
}

/** Reads on, or ends one. */
export const run_background = runner<BackgroundArgs>(async ({ id, timeout = 0, end }, machine) => {
  const all = begun_by(machine.shell);
  const one = all.get(id);
  if (one === undefined) {
    const others = running(all);
    const there = others.length === 0 ? "none is running" : `there is ${others.join(", ")}`;
    throw new ToolFailure(`no background command is called ${JSON.stringify(id)}; ${there}`);
  }
  if (end === true) await one.end();
  else if (timeout > 0) await one.wait(timeout * 1000, machine.signal);
  return one.news(machine);
});

function running(all: ReadonlyMap<string, BackgroundCommand>): readonly string[] {
  return [...all.values()].filter(({ runs }) => runs).map(({ named }) => named);
}

/** The background commands that run: the ids of their shells, which lead sessions of their own, and what they are called. */
export function background_of(shell: Shell): {
  readonly pids: readonly number[];
  readonly names: readonly string[];
} {
  const all = begun_by(shell);
  return { pids: [...all.values()].map(({ pid }) => pid), names: running(all) };
}

function begun_by(shell: Shell): Map<string, BackgroundCommand> {
  const known = BEGUN.get(shell);
  if (known !== undefined) return known;
  const none = new Map<string, BackgroundCommand>();
  BEGUN.set(shell, none);
  return none;
}
