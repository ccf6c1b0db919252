/** How a run is kept. Loaded once its first request is on its way. */
import { recall } from "../agent/recall.ts";
import type { Reminder } from "../agent/reminders.ts";
import type { Session } from "../agent/session.ts";
import type { Tape } from "../agent/tape.ts";
import { TapedFacts } from "../agent/taped_tools.ts";
import { type PendingWrites, TapeRecorder } from "../agent/pending_writes.ts";
import { branch_of } from "./branch.ts";
import { clear_halves } from "../permission/halves.ts";
import type { Policy } from "../sandbox/policy.ts";
import { prune_sessions, type Retention } from "../store/retention.ts";
import { open_store as open, type Store } from "../store/store.ts";
import { inputs_of } from "./run_inputs.ts";
import { saved_run } from "./saved_flags.ts";

/** Opens what a run needs, and lets go of sessions that were kept long enough; null if none of it opens. */
export async function open_store(
  options: Parameters<typeof open>[0] & Pick<Retention, "keep_days" | "keep_bytes">,
  warn: (message: string) => void,
): Promise<Store | null> {
  const store = await open(options, warn);
  const { data_dir, session, keep_days, keep_bytes } = options;
  if (store === null || session === null) return store;
  const keep = "uuid" in session ? session.uuid : session.info.uuid;
  const limits = { data_dir, keep_days, keep_bytes, now_ms: Date.now(), keep };
  // What is not removed now is at the next start.
  await prune_sessions(store.db, limits).catch(() => 0);
  return store;
}

/** What the run was started with, for whoever continues with it. */
export function note_run(
  pending: PendingWrites,
  run: Parameters<typeof inputs_of>[0],
  { state: { steps }, tape }: Pick<Session, "state" | "tape">,
): void {
  if (tape instanceof TapeRecorder) tape.begin();
  const branch = branch_of(run.place.workspace);
  const row = { ...saved_run(run), ...(branch === null ? {} : { branch }) };
  pending.add("runs", steps, { ...row, inputs: inputs_of(run) });
}

/** Takes away the temporary folder of a run that was killed, and the file it was writing: the session is locked, so nobody is using them. */
export function clear_leftovers({ tmp }: Pick<Policy, "tmp">): void {
  clear_halves(tmp);
  try {
    Deno.removeSync(tmp, { recursive: true });
  } catch {
    // There is none; what cannot be taken away is said when it is made.
  }
}

/** What memory holds on the task is part of the first request: who wants that waits for it. */
export function recall_from(store: Store | null, tape: Tape): readonly Reminder[] {
  return store === null || store.memory === null
    ? []
    : [recall(new TapedFacts(tape, store.memory))];
}
