/** The data of a report about one run, gathered from its events, live or saved. */
import { type EventOf, type Result, type Stamped, unstamped } from "../../agent/events.ts";
import { plural } from "../../config/text.ts";

/** Something that was looked at: the verify command, or the opinion of a judge. */
export interface Check {
  readonly kind: "verification" | "evaluation";
  readonly name: string;
  /** Null: nobody could say. */
  readonly ok: boolean | null;
  readonly message: string;
  readonly ms: number;
  /** The end of what it printed, where it failed. */
  readonly output?: string;
}

export interface Line {
  readonly step: number;
  readonly kind: "task" | "text" | "call" | "output" | "note";
  readonly text: string;
  /** How a call went; null before it has a result. */
  readonly ok?: boolean | null;
}

export interface Page {
  /** The task, or the name of the file it was read from. */
  readonly name: string;
  readonly workspace: string;
  readonly result: Result;
  readonly checks: readonly Check[];
  readonly lines: readonly Line[];
  /** Unified; empty if nothing was changed, or nobody knows what. */
  readonly diff: string;
  /** The diff for `git apply`, with the contents of binary files. */
  readonly patch?: string;
  readonly saved?: boolean;
}

/** Without a patch of the whole run, a diff is that of each step: the same lines may change twice. */
export const diff_title = (patch?: string) => patch === undefined ? "Diff, step by step" : "Diff";

const OUTPUT_LINES = 10;
/** Lines of what a verification printed: compilers and test runners say at the end what failed, and more than a screen is read elsewhere. */
const CHECK_LINES = 50;

/** In a patch: what `git apply` makes a binary file of. */
const BINARY = /^index .*\nGIT binary patch\n(?:literal \d+\n(?:\S+\n)*\n){2}/gm;

export class PageBuilder {
  #workspace = "";
  #checks: Check[] = [];
  #lines: Line[] = [];
  #text = "";
  #diffs: string[] = [];
  #whole: string | null = null;
  #result: Result | null = null;
  readonly #calls = new Map<string, number>();

  /** `task`: empty where it is not known; then `name` stands for it. */
  constructor(private readonly name: string, task = "") {
    if (task !== "") this.#lines.push({ step: 0, kind: "task", text: task });
  }

  readonly hear = (event: Stamped): void => {
    // A subagent's steps are part of the call that sent it.
    if (event.agent !== undefined) return;
    switch (event.type) {
      case "session_start":
        this.#workspace = event.workspace;
        return;
      case "text_delta":
        this.#text += event.text;
        if (event.finished) this.#say(event);
        return;
      case "tool_call":
        this.#calls.set(event.id, this.#lines.length);
        this.#lines.push({
          ...{ step: event.step, kind: "call", ok: null },
          text: `${event.name} ${JSON.stringify(event.arguments)}`,
        });
        return;
      case "tool_result":
        return this.#ended(event);
      case "detail":
        if (event.kind !== "output") return;
        return this.#add(event, "output", event.lines.slice(-OUTPUT_LINES).join("\n"));
      case "verification": {
        const { command: name, exit_code, ms } = event;
        const message = exit_code === null ? "did not end" : `exit code ${exit_code}`;
        this.#checks.push({ kind: "verification", name, ok: exit_code === 0, message, ms });
        return this.#add(event, "note", `verify: ${name}: ${message}`);
      }
      case "output": {
        const check = this.#checks.at(-1);
        const output = event.text.trimEnd().split("\n").slice(-CHECK_LINES).join("\n");
        if (check === undefined || event.ok || output === "") return;
        this.#checks[this.#checks.length - 1] = { ...check, output };
        return this.#add(event, "output", output);
      }
      case "evaluation": {
        const { name, holds, verdict, message, ms } = event;
        const words = `${verdict} ${message}`.trim();
        this.#checks.push({ kind: "evaluation", name, ok: holds, message: words, ms });
        return this.#add(event, "note", `${name}: ${words}`);
      }
      case "warning":
        return this.#add(event, "note", `warning: ${event.message}`);
      case "turn_diff":
        this.#diffs.push(event.diff);
        return;
      case "patch":
        this.#whole = event.diff;
        return;
      case "result":
        this.#result = unstamped(event);
    }
  };

  /** The page; null before the result. */
  page(): Page | null {
    const result = this.#result;
    if (result === null) return null;
    return {
      name: this.name,
      workspace: this.#workspace,
      result,
      checks: this.#checks.length > 0 ? this.#checks : last_check(result),
      lines: this.#lines,
      diff: this.#whole?.replace(BINARY, "Binary files differ\n") ?? this.#diffs.join(""),
      ...(this.#whole === null ? {} : { patch: this.#whole }),
    };
  }

  #add({ step }: { step: number }, kind: Line["kind"], text: string): void {
    this.#lines.push({ step, kind, text });
  }

  #say(event: { step: number }): void {
    if (this.#text.trim() !== "") this.#add(event, "text", this.#text.trim());
    this.#text = "";
  }

  #ended({ id, ok, summary }: EventOf<"tool_result">): void {
    const at = this.#calls.get(id);
    const call = at === undefined ? undefined : this.#lines[at];
    if (at === undefined || call === undefined) return;
    const why = ok ? "" : `: ${summary}`;
    this.#lines[at] = { ...call, ok, text: call.text + why };
  }
}

/** A result alone has the last verification. */
function last_check({ verification }: Result): readonly Check[] {
  if (verification === null) return [];
  const { command: name, exit_code, attempts } = verification;
  const message = `exit code ${exit_code ?? "none"}, run ${attempts}×`;
  return [{ kind: "verification", name, ok: exit_code === 0, message, ms: 0 }];
}

export function verdict_of({ status, stop_reason, error }: Result): string {
  if (status === "success") return "done";
  return error === null ? stop_reason : `${stop_reason}: ${error.message}`;
}

export function basis_of({ steps, verification, evidence, files_changed }: Result): string {
  if (steps === 0) return "no step was taken";
  if (verification?.exit_code === 0) return `verified: ${verification.command}`;
  const parts = [
    ...(files_changed.length > 0 ? [`${plural(files_changed.length, "file")} changed`] : []),
    ...(evidence.commands > 0 ? [`${plural(evidence.commands, "command")} ran`] : []),
  ];
  return parts.length === 0 ? "the model's word" : `${parts.join(", ")}; not verified`;
}
