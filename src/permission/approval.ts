/** Decides whether a call that changes something may run: by the table of dangerous commands, and by asking the user. */
import type { DangerKind } from "./dangerous.ts";

/** When the user is asked. `refuse`: nobody is asked, and what is dangerous is refused; `never`: nobody is asked, and it runs. */
export type Confirm = "refuse" | "sensitive" | "all" | "never";

/** What the user is asked about a call of a tool that may change something. */
export interface Question {
  /** The ID of the call, as in events; what hamr itself runs, such as a verify command, has its own. */
  readonly id: string;
  /** Name of the tool. */
  readonly tool: string;
  /** A summary of the call. */
  readonly summary: string;
  /** Why the user is asked about this one; null if they want to be asked about all. */
  readonly why: string | null;
  /** The lines it would change, after `- ` or `+ `; empty if that is not known. */
  readonly diff: readonly string[];
  /** Whether the tool itself changes files of the workspace, so that `edits` is an answer. */
  readonly edits: boolean;
  /** The command line of `bash`; null for other tools, and if the answer may not replace it. */
  readonly command: string | null;
}

/** A call of a tool that may change something; its command is there even if the user can't change it. */
export interface Deed extends Omit<Question, "why"> {
  /** It runs unchanged or not at all: the user can't change the command. */
  readonly fixed?: true;
  /** The hash of an MCP server's description of the tool: "always" holds for that description only. */
  readonly definition?: string;
}

/**
 * `always`: yes, and to all of this kind until the run ends; of what is not dangerous, until the conversation ends. `edits`: yes,
 * and to all changes of files until the conversation ends.
 * `nobody`: there is no terminal to ask on. `no` with words: those are for the model. `instead`: another command is run.
 */
export type PersonAnswer =
  | "yes"
  | "no"
  | "always"
  | "edits"
  | "nobody"
  | { readonly no: string }
  | { readonly instead: string };

/** Asks the user. The signal withdraws the question; a later answer is ignored. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<PersonAnswer>;

type ApprovalRuling =
  /** `instead`: the command to run in place of the one asked about. */
  | { readonly kind: "run"; readonly instead?: string }
  | { readonly kind: "dry_run" }
  | { readonly kind: "stopped" }
  /** `command`: refused by the table; `approval`: asked, and nobody said yes. */
  | {
    readonly kind: "refused";
    readonly by: "command" | "approval";
    readonly text: string;
    readonly advice: string;
  };

/** What each kind of dangerous command does, to follow "it". */
const DOES: Readonly<Record<DangerKind, string>> = {
  push: "sends commits to another repository",
  publish: "publishes something to others, or unpublishes it",
  removal: "removes the workspace, its .git, what is around it or a folder of the system",
  ignored: "removes all that git ignores, such as .env, which hamr undo can't bring back",
  history: "rewrites history",
};

/** Stands for all edits among the granted kinds. */
const EDITS = "edits";
const RUN: ApprovalRuling = { kind: "run" };
const CHANGED = "its server describes this tool differently than when you said always";
const LEAVE_IT = "Leave it to them, and say so.";

/** Programs that change nothing and start nothing, whatever their arguments. */
const HARMLESS = new Set(
  "cat cmp date df diff du echo false file grep head id ls printf pwd stat tail tree true uname wc which"
    .split(" "),
);

/** Whether a command is one of these with plain words, none of them special to the shell. */
function is_plain(command: string): boolean {
  const [program = ""] = command.trim().split(" ");
  return HARMLESS.has(program) && /^[\w .,:=/@%+-]+$/.test(command);
}

export interface ApprovalOptions {
  readonly confirm: Confirm;
  /** Nothing runs; nobody is asked. */
  readonly dry_run: boolean;
  /** `known`: they have said it in an earlier run of the conversation, and the answer is yes. */
  ask(question: Question, signal: AbortSignal, known: boolean): Promise<PersonAnswer>;
  /** Kinds of deeds, none of them dangerous, to which they said "always" in the conversation. */
  readonly granted: Set<string>;
  readonly workspace: string;
  readonly home: string;
}

export class Approval {
  /** Kinds of deeds to which the user said "always" in this run. */
  readonly #granted = new Set<string>();

  constructor(private readonly options: ApprovalOptions) {}

  /** Judges a call; asks the user if they want to be asked. */
  async judge(deed: Deed, signal: AbortSignal): Promise<ApprovalRuling> {
    const { confirm, dry_run } = this.options;
    const danger = confirm === "never" || deed.command === null || is_plain(deed.command)
      ? null
      : await this.#danger_of(deed.command);
    const why = danger === null ? null : `\`${danger.command}\` ${DOES[danger.kind]}`;
    if (confirm === "refuse" && why !== null) {
      return {
        kind: "refused",
        by: "command",
        text: `refused: ${why}; the user can allow it with --yolo, or be asked with ` +
          "--confirm sensitive",
        advice: LEAVE_IT,
      };
    }
    if (dry_run) return { kind: "dry_run" };
    if (why === null && confirm !== "all") return RUN;
    return await this.#ask({ deed, why, kind: danger?.kind ?? deed.tool }, signal);
  }

  async #ask(
    asked: { readonly deed: Deed; readonly why: string | null; readonly kind: string },
    signal: AbortSignal,
  ): Promise<ApprovalRuling> {
    const { deed } = asked;
    const { id, tool, summary, diff, edits, definition = "" } = deed;
    const kind = asked.kind + definition;
    if (this.#granted.has(kind) || (deed.edits && this.#granted.has(EDITS))) return RUN;
    const { granted: before } = this.options;
    const known = asked.why === null && (before.has(kind) || (edits && before.has(EDITS)));
    const was_granted = definition !== "" &&
      (this.#granted.has(asked.kind) || before.has(asked.kind));
    // The command stands above it.
    const why = asked.why?.replace(`\`${deed.command}\``, "it") ?? (was_granted ? CHANGED : null);
    const command = deed.fixed ? null : deed.command;
    const question = { id, tool, summary, why, diff, edits, command };
    const answer = await this.options.ask(question, signal, known);
    if (signal.aborted) return { kind: "stopped" };
    if (typeof answer === "object") return in_words(answer, command);
    switch (answer) {
      case "always":
        return this.#grant(why === null, asked.kind, kind);
      case "edits":
        return this.#grant(true, EDITS);
      case "yes":
        return RUN;
      case "no":
        return refused("the user said no", "Do not try it another way; go on without it.");
      case "nobody":
        return refused(
          `no one can be asked here${why === null ? "" : ` (${why})`}; ` +
            "the user can allow it with --yolo",
          LEAVE_IT,
        );
    }
  }

  #grant(lasts: boolean, ...kinds: readonly string[]): ApprovalRuling {
    for (const kind of kinds) {
      this.#granted.add(kind);
      if (lasts) this.options.granted.add(kind);
    }
    return RUN;
  }

  /** The parser is loaded by the first command that needs one: 10 ms and 8 MB. */
  async #danger_of(command: string) {
    const { danger_of } = await import("./dangerous.ts");
    return danger_of(command, this.options);
  }
}

function in_words(answer: Extract<PersonAnswer, object>, command: string | null): ApprovalRuling {
  if ("no" in answer) return refused(`the user said no: ${answer.no}`, "Do as they say.");
  if (command === null) return refused("the user said no", "Go on without it.");
  return answer.instead === command ? RUN : { kind: "run", instead: answer.instead };
}

function refused(why: string, advice: string): ApprovalRuling {
  return { kind: "refused", by: "approval", text: `refused: ${why}`, advice };
}
