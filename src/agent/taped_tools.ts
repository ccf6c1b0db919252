/** What a run uses of the tools worker and of the database, through its tape. */
import type { Fact, Memory, Saved } from "../store/memory.ts";
import type { Changes, Hatch } from "../tools/hatch.ts";
import { HatchError } from "../tools/failure.ts";
import type { CheckedCall, Verified } from "../tools/protocol.ts";
import type { ScreenOutcome } from "../tools/hook.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import type { Tape } from "./tape.ts";

/** What a run uses of the tools worker. */
export type Tools = Pick<
  Hatch,
  | "ready"
  | "run"
  | "screen"
  | "verify"
  | "changes"
  | "outdated"
  | "end_step"
  | "diff"
  | "is_busy"
  | "violation"
  | "hold"
  | "recorded"
  | "close"
>;

/** What a run uses of memory. */
export interface Facts extends Pick<Memory, "search" | "save"> {
  /** The newest of all facts, so many. */
  newest(count: number): readonly Fact[];
}

/** An answer of the worker, with what it says of the workspace besides. */
interface Told<T> {
  readonly of: T;
  /** Absent: nothing is out of date. */
  readonly outdated?: Tools["outdated"];
  /** Absent: there is none. */
  readonly violation?: string;
}

/** The tools worker through a tape. Without a worker it is a replay: nothing is touched. */
export class TapedTools implements Tools {
  readonly ready: Tools["ready"];
  #outdated: Tools["outdated"] = [];
  #violation: string | null = null;

  constructor(
    private readonly tape: Tape,
    private readonly hatch: Tools | null,
    { policy }: Pick<Awaited<Tools["ready"]>, "policy">,
  ) {
    this.ready = hatch?.ready ?? Promise.resolve({ layers: [], policy });
  }

  async run(calls: readonly CheckedCall[], signal: AbortSignal): Promise<readonly ToolResult[]> {
    return await this.#told("run", (hatch) => hatch.run(calls, signal));
  }

  async screen(call: CheckedCall, signal: AbortSignal): Promise<ScreenOutcome> {
    return await this.#told("screen", (hatch) => hatch.screen(call, signal));
  }

  async verify(command: string, options: Parameters<Tools["verify"]>[1]): Promise<Verified> {
    return await this.#told("verify", (hatch) => hatch.verify(command, options));
  }

  changes(): Promise<Changes> {
    return this.tape.ask("changes", () => this.#worker().changes());
  }

  diff(files: readonly FileChange[], chars: number): Promise<string> {
    return this.tape.ask("diff", () => this.#worker().diff(files, chars));
  }

  is_busy(): Promise<boolean> {
    return this.tape.ask("busy", () => this.#worker().is_busy());
  }

  get outdated(): Tools["outdated"] {
    return this.#outdated;
  }

  get violation(): string | null {
    return this.hatch?.violation ?? this.#violation;
  }

  hold(): void {
    if (this.#violation !== null) throw new HatchError(this.#violation, "policy_violation");
  }

  end_step(...end: Parameters<Tools["end_step"]>): void {
    this.hatch?.end_step(...end);
  }

  get recorded(): Promise<void> {
    return this.hatch?.recorded ?? Promise.resolve();
  }

  async close(at_once?: boolean): Promise<void> {
    await this.hatch?.close(at_once);
  }

  async #told<T>(
    question: "run" | "screen" | "verify",
    work: (hatch: Tools) => Promise<T>,
  ): Promise<T> {
    const told = await this.tape.ask(question, async (): Promise<Told<T>> => {
      const hatch = this.#worker();
      const of = await work(hatch);
      const { outdated, violation } = hatch;
      return {
        of,
        ...(outdated.length === 0 ? {} : { outdated }),
        ...(violation === null ? {} : { violation }),
      };
    });
    this.#outdated = told.outdated ?? [];
    this.#violation = told.violation ?? null;
    return told.of;
  }

  #worker(): Tools {
    if (this.hatch === null) throw new TypeError("a replay has no tools worker");
    return this.hatch;
  }
}

/** Memory through a tape. */
export class TapedFacts implements Facts {
  constructor(
    private readonly tape: Tape,
    private readonly memory: Pick<Memory, "search" | "save" | "list">,
  ) {}

  search(query: string, limit?: number): readonly Fact[] {
    return this.tape.ask_now("memory_search", () => this.memory.search(query, limit));
  }

  save(text: string): Saved {
    return this.tape.ask_now("memory_save", () => this.memory.save(text));
  }

  newest(count: number): readonly Fact[] {
    return this.tape.ask_now("memory_list", () => this.memory.list().slice(0, count));
  }
}
