/** The tools worker and the database as a run uses them, through its tape. */
import type { Fact, Memory, SavedFact, SaveHow } from "../store/memory.ts";
import type { ToolsClient } from "../tools/worker/client.ts";
import { ToolsError } from "../tools/failure.ts";
import type { CheckedCall, Verified } from "../tools/protocol.ts";
import type { ScreenOutcome } from "../tools/hook.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Patch } from "../changes/patch.ts";
import type { FileChange, RunChanges } from "../changes/turn_diff.ts";
import type { Tape } from "./tape.ts";

export type Tools = Pick<
  ToolsClient,
  | "ready"
  | "run"
  | "screen"
  | "verify"
  | "changes"
  | "outdated"
  | "end_step"
  | "diff"
  | "patch"
  | "is_busy"
  | "absent"
  | "violation"
  | "hold"
  | "recorded"
  | "close"
>;

export interface Facts extends Pick<Memory, "search" | "save"> {
  /** What a search finds; where it finds nothing, what `elsewhere` does. */
  find(query: string, elsewhere: () => Promise<string | null>): Promise<Found>;
  newest(count: number): readonly Fact[];
}

interface Found {
  readonly facts: readonly Fact[];
  readonly sessions?: string;
}

interface ToolAnswer<T> {
  readonly of: T;
  readonly outdated?: Tools["outdated"];
  readonly violation?: string;
}

/** The tools worker through a tape. Without a worker it is a replay: nothing is touched. */
export class TapedTools implements Tools {
  readonly ready: Tools["ready"];
  #outdated: Tools["outdated"] = [];
  #violation: string | null = null;

  constructor(
    private readonly tape: Tape,
    private readonly tools_client: Tools | null,
    { policy }: Pick<Awaited<Tools["ready"]>, "policy">,
  ) {
    this.ready = tools_client?.ready ?? Promise.resolve({ layers: [], policy });
  }

  async run(calls: readonly CheckedCall[], signal: AbortSignal): Promise<readonly ToolResult[]> {
    return await this.#told("run", (tools_client) => tools_client.run(calls, signal));
  }

  async screen(call: CheckedCall, signal: AbortSignal): Promise<ScreenOutcome> {
    return await this.#told("screen", (tools_client) => tools_client.screen(call, signal));
  }

  async verify(command: string, options: Parameters<Tools["verify"]>[1]): Promise<Verified> {
    return await this.#told("verify", (tools_client) => tools_client.verify(command, options));
  }

  changes(ends = false): Promise<RunChanges> {
    return this.tape.ask("changes", () => this.#worker().changes(ends));
  }

  diff(files: readonly FileChange[], chars: number): Promise<string> {
    return this.tape.ask("diff", () => this.#worker().diff(files, chars));
  }

  patch(files: readonly FileChange[], chars: number): Promise<Patch> {
    return this.tape.ask("patch", () => this.#worker().patch(files, chars));
  }

  /** Whether anything goes on beside the calls; null where only what was begun so can be seen. */
  is_busy(): Promise<boolean | null> {
    const none = Deno.build.os === "linux" ? false : null;
    return this.tape.ask("busy", async () => await this.#worker().is_busy() || none);
  }

  absent(paths: readonly string[]): Promise<readonly string[]> {
    return this.tape.ask("absent", () => this.#worker().absent(paths));
  }

  get outdated(): Tools["outdated"] {
    return this.#outdated;
  }

  get violation(): string | null {
    return this.tools_client?.violation ?? this.#violation;
  }

  hold(): void {
    if (this.#violation !== null) throw new ToolsError(this.#violation, "policy_violation");
  }

  end_step(...end: Parameters<Tools["end_step"]>): void {
    this.tools_client?.end_step(...end);
  }

  get recorded(): Promise<unknown> {
    return this.tools_client?.recorded ?? Promise.resolve();
  }

  async close(at_once?: boolean): Promise<void> {
    await this.tools_client?.close(at_once);
  }

  async #told<T>(
    question: "run" | "screen" | "verify",
    work: (tools_client: Tools) => Promise<T>,
  ): Promise<T> {
    const told = await this.tape.ask(question, async (): Promise<ToolAnswer<T>> => {
      const tools_client = this.#worker();
      const of = await work(tools_client);
      const { outdated, violation } = tools_client;
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
    if (this.tools_client === null) throw new TypeError("a replay has no tools worker");
    return this.tools_client;
  }
}

const NOTHING_KEPT = { kind: "refused", why: "a review keeps no facts" } as const;

export class TapedFacts implements Facts {
  constructor(
    private readonly tape: Tape,
    private readonly memory: Pick<Memory, "search" | "save" | "list">,
    /** Whoever writes a change could otherwise have its reviewer tell the next one what to think. */
    private readonly is_review = false,
  ) {}

  search(query: string, limit?: number): readonly Fact[] {
    return this.tape.ask_now("memory_search", () => this.memory.search(query, limit));
  }

  async find(query: string, elsewhere: () => Promise<string | null>): Promise<Found> {
    return await this.tape.ask<Found>("memory_search", async () => {
      const facts = this.memory.search(query);
      const sessions = facts.length > 0 ? null : await elsewhere();
      return { facts, ...(sessions === null ? {} : { sessions }) };
    });
  }

  save(text: string, how: SaveHow = {}): SavedFact {
    return this.tape.ask_now<SavedFact>(
      "memory_save",
      () => this.is_review ? NOTHING_KEPT : this.memory.save(text, how),
    );
  }

  newest(count: number): readonly Fact[] {
    return this.tape.ask_now("memory_list", () => this.memory.list().slice(0, count));
  }
}
