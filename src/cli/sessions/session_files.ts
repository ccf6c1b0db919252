/** The files that a session changed: the basis of `hamr diff` and `hamr undo`. */
import { json_output } from "../../config/json.ts";
import { is_inside } from "../../config/paths.ts";
import { cut, one_line, some_of } from "../../config/text.ts";
import {
  type Beside,
  type ChangeEvent,
  type ContentSource,
  type Cut,
  cuts_of,
  file_events,
  has_changes,
  rows_of,
} from "../../changes/events.ts";
import { found_since, is_lost } from "../../changes/since_cut.ts";
import {
  last_undo,
  type Left,
  left_by_all,
  left_by_step,
  left_by_undo,
} from "../../changes/remaining_changes.ts";
import type { Ask } from "../../changes/undo_protocol.ts";
import { names_in } from "../../permission/paths.ts";
import { denied_paths } from "../../permission/denied_paths.ts";
import { content_of, has_content } from "../../store/contents.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { type FileState, same_state, SOMETHING } from "../../store/file_state.ts";
import { is_running, type SessionLock } from "../../store/session_lock.ts";
import type { SessionWriter } from "../../store/session_writer.ts";
import { list_sessions, session_rows, type SessionInfo } from "../../store/sessions.ts";
import { ToolsClient } from "../../tools/worker/client.ts";
import { NO_RESULTS } from "../../tools/limits.ts";
import { type Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { enforceable_policy } from "../../app/policy.ts";
import { settled } from "../../app/command_policy.ts";
import {
  as_locked,
  lock_session,
  may_be_in,
  named_session,
  not_in,
  opened,
  type SavedSessions,
  sound,
  workspace_there,
} from "../../app/saved_sessions.ts";
import { clear_leftovers } from "../../app/persistence.ts";
import { load_settings, type RunSettings } from "../../app/settings.ts";
import { kept_refs } from "./kept_refs.ts";
import { StartError, UsageError } from "../../config/error.ts";

/** What is said about a file that is no longer as the session left it. */
export const SINCE = "changed by someone else since";

export interface SessionFiles {
  readonly db: DatabaseSync;
  readonly info: SessionInfo;
  readonly left: readonly Left[];
  /** Where contents are that are not stored by themselves, by their hashes. */
  readonly sources: ReadonlyMap<string, ContentSource>;
  readonly ask: Ask;
  /** What writes to the session, where it is open in this process already. */
  readonly writer?: SessionWriter;
  /** Folders besides the workspace in which files are put back, real paths. */
  readonly added: readonly string[];
  /** What was seen to change and is not put back, in words. */
  readonly not_covered: readonly string[];
  /** What a command that was cut off made of some files can't be told. */
  readonly is_partial: boolean;
  /** What was killed before: some files are as it was to make them. */
  readonly unfinished: "undo" | "redo" | null;
}

const MOST_NAMES = 20;
const TASK_CHARS = 80;

/** Does `work` on the session that the arguments name. Throws `StartError`, `UsageError` and `ConfigError`. */
export async function with_session<T>(
  parsed: Parsed,
  io: Io,
  { lock, work }: {
    /** Nobody else may work on it in the meantime. */
    lock: boolean;
    work: (files: SessionFiles) => Promise<T>;
  },
): Promise<T> {
  const saved = await opened(parsed, io);
  const { db, data_dir } = saved;
  let held: SessionLock | null = null;
  try {
    const { info, rows: found } = await meant(saved, parsed.operands[0]);
    refuse(info, parsed);
    const directory = parsed.flags.directory ?? workspace_there(info);
    const there = await load_settings({ ...parsed, flags: { ...parsed.flags, directory } }, io);
    if (directory === info.workspace && there.workspace !== directory) {
      const now = one_line(`${directory} is a link to ${there.workspace} now`);
      throw new StartError(`${now}: if the session's files are there, name that folder with -C`);
    }
    if (lock && !may_be_in(info, there.workspace)) {
      const where = not_in(info, there.workspace);
      throw new StartError(`${where}: without -C, what it changed is restored there`);
    }
    if (lock) {
      held = lock_session(data_dir, info);
      as_locked(db, info);
    }
    // Until it was locked someone may have worked on it.
    const rows = lock ? await sound(info, () => rows_of(db, info.id)) : found;
    const running = !lock && is_running(data_dir, info.uuid);
    if (running) {
      io.err("hamr: the session still runs: what its present call changes is not shown\n");
    }
    const cuts = running ? [] : await sound(info, () => cuts_of(db, rows));
    const cut_off = !running && info.stop_reason === null;
    const own = lock ? info.uuid : null;
    return await with_worker(
      { place: there, parsed, io, cut_off, own },
      async (ask, { added, spill }) => {
        const known = await changed_files_of({ db, info, rows, cuts, ask, added }, parsed);
        const copied = known.unfinished !== null && names_in(spill).length > 0
          ? [
            `what the last ${known.unfinished} overwrote before it was cut off: any copies are in ${spill}`,
          ]
          : [];
        const files = { ...known, not_covered: [...known.not_covered, ...copied] };
        const named = parsed.operands[0] !== undefined;
        if (!named && parsed.flags.output === "text" && files.left.length > 0) {
          io.err(`hamr: session ${info.uuid}: ${cut(one_line(info.task), TASK_CHARS)}\n`);
        }
        return await work(files);
      },
    );
  } finally {
    db.close();
    held?.release();
  }
}

export async function changed_files_of(
  { db, info, rows, cuts, ask, added }:
    & Pick<SessionFiles, "db" | "info" | "ask" | "added">
    & { readonly rows: readonly ChangeEvent[]; readonly cuts: readonly Cut[] },
  { flags: { step, since: from, redo } }: Parsed,
): Promise<SessionFiles> {
  const sources = new Map<string, ContentSource>();
  const fetch = (wanted: readonly ContentSource[]) => fetched(wanted, { db, ask });
  const since: Parameters<typeof file_events>[1][number][] = [];
  const unlisted = new Set<string>(), unsaved: string[] = [];
  for (const cut of cuts) {
    const found = await found_since(cut, { ask, fetch, sources });
    if (found === null) {
      unsaved.push(UNSAVED);
      continue;
    }
    since.push({ ...cut, found: found.files });
    for (const folder of found.unlisted) unlisted.add(folder);
  }
  const beside = redo ? undefined : await at_the_same_time(db, info);
  const undone = redo ? last_undo(rows) : null;
  const all_left = await sound(info, () => {
    if (redo) return undone === null ? [] : left_by_undo(undone);
    const events = file_events(rows, since, beside);
    return step === undefined ? left_by_all(events, from) : left_by_step(events, step);
  });
  const back = all_left.filter(({ was_back }) => was_back);
  const sights = back.length === 0 ? [] : await ask("look", back.map(({ path }) => path));
  const is_back = (one: Left) => same_state(sights[back.indexOf(one)]?.state ?? null, one.after);
  const left = all_left.filter((one) => one.was_back !== true || is_back(one));
  const only = (one: number) => !redo && (step === undefined ? one >= (from ?? 0) : one === step);
  const refs = await sound(info, () => kept_refs(db, { session: info.id, only }));
  const not_covered = redo ? [] : [
    ...beyond(rows.filter((row) => only(row.step))),
    ...refs,
    ...left_to_git(unlisted),
    ...unsaved.slice(-1),
  ];
  const is_partial = !redo && unlisted.size + unsaved.length > 0;
  const last = rows.at(-1);
  const unfinished = last !== undefined && "begun" in last ? last.kind : null;
  return { db, info, left, sources, ask, added, not_covered, is_partial, unfinished };
}

/** What other sessions did while this one went on. Those that are damaged tell nothing. */
async function at_the_same_time(db: DatabaseSync, info: SessionInfo): Promise<Beside> {
  const others = list_sessions(db, { workspace: info.workspace })
    .filter((one) => one.id !== info.id && !one.imported && one.began_ms <= info.saved_ms);
  const runs = others.filter(({ saved_ms }) => saved_ms >= info.began_ms)
    .map(({ id }) => rows_of(db, id).catch(() => []));
  const undos = others.filter(({ saved_ms }) => saved_ms < info.began_ms)
    .map(({ id }) => last_undos(db, id).catch(() => []));
  return { runs: (await Promise.all(runs)).flat(), undos: (await Promise.all(undos)).flat() };
}

/** The rows of undos, if nothing but them can have followed. */
async function last_undos(db: DatabaseSync, session: number): Promise<readonly ChangeEvent[]> {
  const [last] = await session_rows(db, { session, table: "changes", last: 1 });
  if (last === undefined || !UNDO_ROW.test(last.body)) return [];
  return (await rows_of(db, session)).filter(({ kind }) => kind === "undo" || kind === "redo");
}

/** Rows with thousands of files are not parsed for their kind. */
const UNDO_ROW = /^\{"kind":"(?:undo|redo)"/;

/** The session that is meant, without an id the newest of the workspace that changed a file, and its rows. */
async function meant(
  saved: SavedSessions,
  id: string | undefined,
): Promise<{ readonly info: SessionInfo; readonly rows: readonly ChangeEvent[] }> {
  const { db, workspace } = saved;
  const newest = named_session(saved, id);
  const first = await sound(newest, () => rows_of(db, newest.id));
  if (id !== undefined || has_changes(first)) return { info: newest, rows: first };
  for (const info of list_sessions(db, { workspace }).slice(1)) {
    const rows = await sound(info, () => rows_of(db, info.id));
    if (has_changes(rows)) return { info, rows };
  }
  return { info: newest, rows: first };
}

/** What states held, as far as it is kept in the store or in git; null if it is not. */
export async function contents_of(
  { db, sources, ask }: Pick<SessionFiles, "db" | "sources" | "ask">,
  states: readonly (FileState | null)[],
): Promise<readonly (Uint8Array | null)[]> {
  const place = (hash: string): ContentSource => sources.get(hash) ?? [hash, 0, Infinity];
  return await fetched(states.map((state) => place(state?.hash ?? "")), { db, ask });
}

async function fetched(
  sources: readonly ContentSource[],
  { db, ask }: Pick<SessionFiles, "db" | "ask">,
): Promise<readonly (Uint8Array | null)[]> {
  const ids = [...new Set(sources.filter((source) => typeof source === "string"))];
  const blobs = ids.length === 0 ? [] : await ask("blobs", ids);
  const found: (Uint8Array | null)[] = [];
  let pack = { hash: "", bytes: null as Uint8Array | null };
  for (const source of sources) {
    if (typeof source === "string") {
      found.push(blobs[ids.indexOf(source)] ?? null);
      continue;
    }
    const [hash, from, length] = source;
    // Most follow one another in the same. One that is damaged is as one that is missing.
    if (pack.hash !== hash) pack = { hash, bytes: await content_of(db, hash).catch(() => null) };
    found.push(pack.bytes?.slice(from, from + length) ?? null);
  }
  return found;
}

/** Tells of all files in the form that is asked for; what is not covered as text on stderr. */
export function print_files(
  { info, not_covered }: SessionFiles,
  { parsed, io, files }: { parsed: Parsed; io: Io; files: readonly object[] },
): void {
  const { output, step = null, since } = parsed.flags;
  if (output === "text") {
    return not_covered.forEach((line) => io.err(`hamr: not covered: ${line}\n`));
  }
  const whole = { session_id: info.uuid, step, since, files, not_covered };
  const rows = [...files, ...not_covered.map((line) => ({ not_covered: line }))];
  io.out(json_output(output, whole, rows));
}

/** Why a file can't be put back; null if it can. */
export function beyond_reach(
  { path }: Left,
  { added }: Pick<SessionFiles, "added">,
): string | null {
  const is_near = !path.startsWith("/") || added.some((folder) => is_inside(path, folder));
  return is_near ? null : "it is outside the workspace (--add-dir FOLDER reaches it)";
}

export function why_missing({ db }: Pick<SessionFiles, "db">, state: FileState | null): string {
  if (state?.mode === SOMETHING.mode) return "it may have existed before, where hamr did not look";
  if (is_lost(state)) return "its content was left to git, which no longer has it";
  if (state?.hash === null) return NOT_KNOWN;
  return has_content(db, state?.hash ?? "") ? "the saved copy is damaged" : NOT_KEPT;
}

const NOT_KNOWN = "its content is not known: it could not be read, or was too large to read";

export const NOT_KEPT =
  "its content was not saved: it is larger than 10 MB, one of too many, or the disk was full";

function refuse({ uuid, imported, steps }: SessionInfo, { command, flags }: Parsed): void {
  if (imported) {
    const [work] = command.split(" ");
    throw new StartError(
      `session ${uuid} was imported: the files it changed are not here, so hamr ${work} can't work`,
    );
  }
  const { step, since, redo } = flags;
  if ([step, since, redo || undefined].filter((one) => one !== undefined).length > 1) {
    throw new UsageError("--step, --since and --redo: give only one of them");
  }
  const number = step ?? since ?? 0;
  if (number > steps) {
    const flag = step === undefined ? "--since" : "--step";
    throw new UsageError(`${flag} ${number}: session ${uuid} has ${steps} steps`);
  }
}

/** Changes the workspace, what `--add-dir` names and nothing else, whatever the settings allow to commands. Git has to start, and to find its objects, as in the run. */
async function with_worker<T>(
  { place, parsed, io, cut_off, own }: {
    place: RunSettings;
    parsed: Parsed;
    io: Io;
    cut_off: boolean;
    /** The session, where nobody else may work on it, nor anything that it has left; else null. */
    own: string | null;
  },
  work: (ask: Ask, place: { added: readonly string[]; spill: string }) => Promise<T>,
): Promise<T> {
  const permissions = { ...place.settings.permissions, write: [], net: "none", env: [] } as const;
  const open = { ...permissions, read: "all", run: "all" } as const;
  // What is put back is put back, whatever mode runs are to have.
  const agent = { ...place.settings.agent, mode: "auto" } as const;
  const { policy } = await enforceable_policy(
    { ...place, settings: { ...place.settings, agent, permissions: open } },
    { flags: parsed.flags, io, session_id: `${parsed.command}-${own ?? crypto.randomUUID()}` },
  );
  // Of one that was killed in the middle of a file.
  if (own !== null) clear_leftovers(own, policy);
  const warn = (message: string) => io.err(`hamr: ${message}\n`);
  const { workspace, paths: { data_dir, config_file } } = place;
  const environ = io.environ();
  const home = environ["HOME"] ?? "";
  const deny_read = denied_paths(
    {
      ...{ read: [], write: place.settings.permissions.write },
      ...{ deny_read: permissions.deny_read, more_denied: parsed.flags.deny_read },
    },
    { workspace, environ, data_dir, config_file, home },
  );
  const tools_client = new ToolsClient(settled({ ...policy, deny_read }), {
    limits: NO_RESULTS,
    bash_timeout_s: 0,
    watch: { data_dir: place.paths.data_dir, warn, cut_off },
  });
  try {
    if (own !== null && tools_client.survivors > 0 && !parsed.flags.force) {
      throw new StartError(
        `nothing is undone while ${tools_client.survivors === 1 ? "it runs" : "they run"}: ` +
          `end ${tools_client.survivors === 1 ? "it" : "them"} first, or use --force`,
      );
    }
    const added = policy.write === "all" ? [] : policy.write;
    const { spill } = policy;
    return await work((kind, given) => tools_client.undo({ kind, given }), { added, spill });
  } finally {
    await tools_client.close(true);
    if (tools_client.violation !== null) warn(tools_client.violation);
  }
}

/** Of a command that never ended, as far as anybody knows. */
const UNSAVED = "what the last command changed: how the files were before could not be saved";

/** What git was to know of folders when a run was cut off, in a line. */
function left_to_git(folders: ReadonlySet<string>): readonly string[] {
  if (folders.size === 0) return [];
  const names = [...folders].sort().map((folder) => one_line(folder || "the workspace"));
  return [
    `what the run that was cut off changed among the files that git listed in ${
      some_of(names, MOST_NAMES)
    }: ` +
    "git no longer lists them",
  ];
}

/** What calls were seen to change besides, in a line. */
function beyond(rows: readonly ChangeEvent[]): readonly string[] {
  const paths = new Set(rows.flatMap((row) => row.kind === "done" ? row.beyond ?? [] : []));
  const unwatched = rows.some((row) => row.kind === "done" && row.overflow) ? [OVERFLOW] : [];
  if (paths.size === 0) return unwatched;
  // A folder stands for what is in it.
  const folders = [...paths].filter((path) => path.endsWith("/"));
  const outer = [...paths].filter((path) =>
    !folders.some((folder) => path !== folder && path.startsWith(folder))
  );
  const names = some_of(outer.sort().map((path) => one_line(path || ".")), MOST_NAMES);
  return [`ignored, closed, elsewhere, or without a readable name: ${names}`, ...unwatched];
}

const OVERFLOW = "changes of commands to files beyond those that hamr can watch";
