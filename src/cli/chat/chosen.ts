/** What the person has chosen for the coming tasks. */
import type { Agent } from "../../app/agent.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { Mode } from "../../guards/rule.ts";

const MODES: readonly Mode[] = ["auto", "plan", "ask"];

export class Chosen {
  #mode: Mode;
  #verify: string;
  #effort: string | undefined;
  /** Model and effort, by the flags that set them. */
  readonly #named = new Map<string, string>();

  constructor(
    private readonly agent: Agent,
    { agent: { mode, reasoning_effort }, verify }: RunSettings["settings"],
  ) {
    [this.#mode, this.#verify, this.#effort] = [mode, verify.command, reasoning_effort];
  }

  get flags(): readonly string[] {
    const mode = this.#mode === "verify" ? [`--verify=${this.#verify}`] : ["--mode", this.#mode];
    return [...mode, ...[...this.#named].flat()];
  }

  get mode(): Mode {
    return this.#mode;
  }

  set mode(mode: Mode) {
    this.#mode = mode;
    this.agent.setMode(mode);
  }

  next_mode(): void {
    this.mode = MODES[MODES.indexOf(this.#mode) + 1] ?? "auto";
  }

  /** The command that has to pass at the end of each task; empty: none. */
  get verify(): string {
    return this.#verify;
  }

  set verify(command: string) {
    this.#verify = command;
    this.#mode = command === "" ? "auto" : "verify";
    this.agent.setVerify(command);
  }

  set model(name: string) {
    this.#named.set("--model", name);
    this.agent.setModel(name);
  }

  /** How hard the model thinks; undefined: as its server has it. */
  get effort(): string | undefined {
    return this.#effort;
  }

  set effort(effort: string) {
    this.#named.set("--reasoning-effort", this.#effort = effort);
    this.agent.setEffort(effort);
  }
}
