/** What tests of changes share. */
import type { NewContent } from "../store/content.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import { type Bench, sh } from "../tools/_testing.ts";
import { type ChangeFact, Changes } from "./changes.ts";
import type { ChangeEvent } from "./events.ts";
import type { Folders } from "./folders.ts";
import { open_folders } from "./linux_folders.ts";

/** This system's. */
export const raw = open_folders();

/** What is written down, in memory. */
export class Store {
  readonly contents = new Map<string, NewContent>();
  readonly rows: ChangeEvent[] = [];

  take(request: RecordRequest): Promise<RecordAnswer> {
    const unknown = request.kind === "unknown"
      ? request.hashes.filter((hash) => !this.contents.has(hash))
      : [];
    if (request.kind === "contents") {
      for (const content of request.contents) this.contents.set(content.hash, content);
    }
    if (request.kind === "changes") {
      for (const row of request.rows) this.rows.push({ ...row, step: this.rows.length });
    }
    return Promise.resolve({ ok: true, unknown });
  }
}

/** The changes of a run on a bench. */
export function changes_of(b: Bench, store: Store | null = null, by: Folders = raw): Changes {
  const write_down = store === null ? null : (request: RecordRequest) => store.take(request);
  return new Changes({ policy: b.policy, raw: by, ignoring: () => b.machine.ignore, write_down });
}

/** Facts in words. */
export const told = (facts: readonly ChangeFact[]): string[] =>
  facts.map((fact) =>
    fact.kind === "file"
      ? `file ${fact.path}`
      : fact.kind === "ref"
      ? `ref ${fact.ref}`
      : `${fact.became} ${fact.path}`
  );

/** What a command of the shell changes. */
export async function ran(b: Bench, changes: Changes, command: string): Promise<string[]> {
  const work = () => Promise.resolve(sh(command, b.workspace));
  await changes.begin("c");
  await work();
  return told(await changes.end("c"));
}
