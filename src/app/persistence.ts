/** Saves a run. Loaded once its first request is in flight. */
import { attempt } from "../config/attempt.ts";
import { recall } from "../agent/recall.ts";
import type { Reminder } from "../agent/reminders.ts";
import type { Tape } from "../agent/tape.ts";
import { TapedFacts } from "../agent/taped_tools.ts";
import { path } from "../config/path.ts";
import { clear_halves } from "../permission/unfinished_files.ts";
import type { Policy } from "../sandbox/policy.ts";
import { prune_sessions, type Retention } from "../store/retention.ts";
import { is_running } from "../store/session_lock.ts";
import { open_store as open, type Store } from "../store/store.ts";

/** Opens what a run needs, and lets go of sessions that were kept long enough; null if none of it opens. */
export async function open_run_store(
  options:
    & Omit<Parameters<typeof open>[0], "clear">
    & Pick<Retention, "keep_days" | "keep_bytes">
    & Pick<Policy, "tmp">,
  warn: (message: string) => void,
): Promise<Store | null> {
  const { data_dir, session, keep_days, keep_bytes, tmp } = options;
  clear_abandoned({ data_dir, tmp });
  const clear = (uuid: string) => clear_killed(uuid, { data_dir, tmp });
  const store = await open({ ...options, clear }, warn);
  if (store === null || session === null) return store;
  const keep = "uuid" in session ? session.uuid : session.info.uuid;
  const limits = { data_dir, keep_days, keep_bytes, now_ms: Date.now(), keep };
  // What is not removed now is at the next start.
  await prune_sessions(store.db, limits).catch(() => 0);
  return store;
}

/** Removes the temporary folders of killed runs and undos of a locked session, and files half written. `tmp`: one beside them. */
export function clear_leftovers(uuid: string, { tmp }: Pick<Policy, "tmp">): void {
  for (const folder of folders_of(uuid, tmp)) {
    clear_halves(folder);
    // There may be none; what cannot be taken away is said when it is made.
    attempt(() => Deno.removeSync(folder, { recursive: true }));
  }
}

function folders_of(uuid: string, tmp: string): readonly string[] {
  return ["hamr-", "hamr-undo-"].map((name) => path.join(path.dirname(tmp), `${name}${uuid}`));
}

/** What a killed run has left running may still want its temporary folder, but hardly for a day without a file in it. */
const IDLE_MS = 86_400_000;

/**
 * The same of a session that nobody goes on with: the files at once, the folders when they are empty and at rest.
 * @returns whether no folder is still to be looked at
 */
function clear_killed(
  uuid: string,
  { data_dir, tmp }: Pick<Policy, "tmp"> & { data_dir: string },
): boolean {
  const { uid } = Deno.lstatSync(data_dir);
  let cleared = true;
  for (const folder of folders_of(uuid, tmp)) {
    try {
      const found = Deno.lstatSync(folder);
      // Anyone can have made one of that name since.
      if (!found.isDirectory || found.uid !== uid) continue;
      clear_halves(folder);
      const rested = Date.now() - (found.mtime?.getTime() ?? 0) > IDLE_MS;
      if (rested) Deno.removeSync(folder);
      cleared &&= rested;
    } catch {
      // There is none, or something is in it.
    }
  }
  return cleared;
}

/** What systemd counts as abandoned in `/tmp`. */
const ABANDONED_MS = 10 * IDLE_MS;
const FOLDER = /^hamr-(?:undo-)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The empty folders of runs that were killed before they were saved, or were not to be: of those no lock tells that they are over. */
export function clear_abandoned(
  { data_dir, tmp }: Pick<Policy, "tmp"> & { data_dir: string },
): void {
  const place = path.dirname(tmp);
  // A folder that is closed, or another start was quicker: there is a next time.
  attempt(() => {
    const { uid } = Deno.lstatSync(data_dir);
    for (const { name, isDirectory } of Deno.readDirSync(place)) {
      const [, uuid] = FOLDER.exec(name) ?? [];
      // The run's own is as old as the clock of its disk has it.
      if (uuid === undefined || !isDirectory || name === path.basename(tmp)) continue;
      const found = Deno.lstatSync(`${place}/${name}`);
      const rested = Date.now() - (found.mtime?.getTime() ?? Date.now()) > ABANDONED_MS;
      if (found.uid !== uid || !rested || is_running(data_dir, uuid)) continue;
      const is_empty = [...Deno.readDirSync(`${place}/${name}`)].length === 0;
      if (is_empty) Deno.removeSync(`${place}/${name}`);
    }
  });
}

/** What memory holds on the task is part of the first request, so this is waited for where it is wanted. */
export function recall_from(store: Store | null, tape: Tape): readonly Reminder[] {
  return store === null || store.memory === null
    ? []
    : [recall(new TapedFacts(tape, store.memory))];
}
