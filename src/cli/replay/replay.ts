/** `hamr replay`: runs a saved session again against its recording; no server is contacted. */
import { follow } from "../../permission/paths.ts";
import type { TapeRow } from "../../agent/tape/replay_tape.ts";
import { INSTRUCTION_FILES, instructions } from "../../agent/instructions.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { rows_in, type SessionInfo } from "../../store/sessions.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import { plural } from "../../ui/text.ts";
import type { Parsed } from "../args/args.ts";
import { exit_code } from "../../app/exit_codes.ts";
import type { Io } from "../base/io.ts";
import { type RecordedRun, Replay } from "./replay_run.ts";
import { named_session, opened, runs_of } from "../../app/saved_sessions.ts";
import { difference_text } from "./replay_report.ts";
import { StartError } from "../../config/error.ts";

/** Replays a session; 0 where every byte is the same, 2 where one is not. Throws `StartError` and `UsageError`. */
export async function replay(parsed: Parsed, io: Io): Promise<number> {
  using saved = await opened(parsed, io);
  const { db } = saved;
  const info = named_session(saved, parsed.operands[0]);
  const runs = await with_own_words(await recording(db, info), { db, info });
  const session = new Replay(io, info.uuid);
  let requests = 0;
  let cut = false;
  try {
    for (const [at, run] of runs.entries()) {
      const { requests: same, stopped } = await session.run(run);
      requests += same;
      cut = stopped?.kind === "cut";
      if (stopped === null || stopped.kind === "cut") continue;
      io.out(await difference_text(stopped, { run: at + 1, of: runs.length, requests }));
      return exit_code("verification_failed");
    }
  } finally {
    session.close();
  }
  const where = cut ? "; the recording ends there: the run was cut off, or has not ended" : "";
  io.out(
    `replayed ${plural(requests, "request")} of ${plural(runs.length, "run")}: ` +
      `every byte the same${where}\n`,
  );
  return 0;
}

/** What is recorded of each invocation of a session. Throws `StartError` if that is nothing. */
async function recording(
  db: DatabaseSync,
  { id: session, uuid }: SessionInfo,
): Promise<readonly RecordedRun[]> {
  const runs = await runs_of(db, session);
  const tapes: TapeRow[][] = [];
  for (const { body } of await rows_in(db, { session, table: "tape" })) {
    const row = JSON.parse(body) as TapeRow;
    if (row.kind === "begin") tapes.push([]);
    tapes.at(-1)?.push(row);
  }
  const recorded = runs.flatMap((run, at): RecordedRun[] => {
    const { inputs } = run;
    const tape = tapes[at];
    return inputs === undefined || tape === undefined ? [] : [{ run, inputs, tape }];
  });
  if (recorded[0]?.inputs.resumed) {
    throw new StartError(
      `session ${uuid} began with another one's messages (--fork): only that one can be replayed`,
    );
  }
  if (recorded.length > 0 && recorded.length === runs.length) return recorded;
  throw new StartError(`session ${uuid} has no recording to replay`);
}

/** With the workspace's own words as they are now: changed words are a changed prompt. Not where the session changed them itself. */
async function with_own_words(
  runs: readonly RecordedRun[],
  { db, info: { id: session, imported } }: { db: DatabaseSync; info: SessionInfo },
): Promise<readonly RecordedRun[]> {
  const [first, ...others] = runs;
  if (first === undefined || imported || !follow(first.inputs.workspace)?.isDirectory) return runs;
  const ledger = (await rows_in(db, { session, table: "ledger" }))
    .map(({ body }) => JSON.parse(body) as LedgerRow);
  const { inputs } = first;
  if (
    inputs.sources.is_judged ||
    ledger.some((row) => row.kind === "file" && INSTRUCTION_FILES.includes(row.path))
  ) return runs;
  const { own } = inputs.sources;
  const sources = { ...inputs.sources, instructions: instructions(inputs.workspace, own ?? null) };
  return [{ ...first, inputs: { ...inputs, sources } }, ...others];
}
