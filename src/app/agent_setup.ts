/** What a conversation is made from, and what remains of it from one task to the next. */
import type { Result } from "../agent/events.ts";
import { restore, session_now } from "../agent/saving/restore.ts";
import { taken_so_far } from "../agent/saving/save.ts";
import type { AskWords } from "../agent/session.ts";
import type { Steering } from "../agent/steering.ts";
import type { EditorFiles } from "../tools/editor.ts";
import type { AskPerson } from "../permission/approval.ts";
import type { AgentCallbacks } from "./agent_api.ts";
import type { Run } from "./run.ts";
import type { LeftByRun, RunOptions } from "./run_options.ts";

export interface AgentSetup extends Pick<RunOptions, "flags" | "overrides" | "io" | "resumed"> {
  /** Whether the program around it does other work, too, and keeps its rights. */
  readonly embedded: boolean;
  /** Who approves calls; null: nobody can be asked. */
  readonly ask: AskPerson | null;
  /** Who answers questions in words; null or absent: nobody. */
  readonly clarify?: AskWords | null;
  /** Told what is waited for before a task can begin: a server that loads its model. */
  readonly waits?: (words: string) => void;
  /** The editor that it was started from, where that shares its files. */
  readonly editor?: EditorFiles | null;
  /** ID of a new session; absent: a random one. */
  readonly session_id?: string;
  readonly callbacks?: AgentCallbacks;
}

export interface Live {
  readonly steering: Steering;
  readonly interrupt: AbortController;
  readonly result: Promise<Result>;
}

/** What a run leaves; `before`: what was left to it. */
export async function left_by(run: Run, before: LeftByRun | null): Promise<LeftByRun> {
  const { session, resources } = run;
  const left = { ...await resources.left(), session };
  const saved = session_now(session);
  if (saved === null) return { ...left, resumed: before?.resumed ?? null };
  const extent = await resources.started?.then((services) => services.saved(), () => null);
  const taken = taken_so_far(session);
  return {
    ...left,
    resumed: {
      reopened: null,
      warnings: [],
      saved: extent ?? { messages: 0, ledger: 0 },
      restore: (session) => restore(session, saved, taken),
    },
  };
}
