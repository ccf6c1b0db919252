/** What happened to files since a command began that never ended. */
import type { FileState } from "../store/file_state.ts";
import {
  as_far_as_known,
  type ContentSource,
  type Cut,
  type FilesAt,
  type FoundFile,
  type Then,
} from "./events.ts";
import { sha256 } from "../permission/content_hash.ts";
import type { Ask } from "./undo_protocol.ts";

const GROUP = 50;
/** Stands before the place of a content that is gone. */
const LOST = "lost:";
const TYPE_AND_RUN = 0o170100;

interface Pair {
  readonly path: string;
  readonly before: Then;
  readonly after: Then;
}

/** Whether a content is not where it was left, in git or in the store. */
export function is_lost(state: FileState | null): boolean {
  return state?.hash?.startsWith(LOST) === true;
}

/** Reads contents; null if one is gone. */
export type Fetch = (sources: readonly ContentSource[]) => Promise<readonly (Uint8Array | null)[]>;

interface FoundSince {
  readonly files: readonly FoundFile[];
  /** Folders that were left to git, which does not say now what was in them; `/` at the end, empty for the workspace. */
  readonly unlisted: readonly string[];
}

/** What differs since, null if nothing tells; and in `sources`, where what files held is, by their hashes. */
export async function found_since(
  cut: Cut,
  { ask, fetch, sources }: { ask: Ask; fetch: Fetch; sources: Map<string, ContentSource> },
): Promise<FoundSince | null> {
  if (cut.then === null) return null;
  const all_then = await with_trees(cut.then, ask);
  const next = cut.next === null ? null : await with_trees(cut.next, ask);
  const then = all_then.files;
  const pairs: Pair[] = [];
  for (const [path, { before: after }] of cut.later) {
    if (!path.startsWith("/")) pairs.push({ path, before: then.get(path) ?? null, after });
  }
  const rest = next === null ? await survey(cut, then, ask) : both(then, next.files);
  const others = rest.filter(({ path }) => !cut.later.has(path));
  const known = [...pairs, ...others].filter(({ path }) =>
    tells(all_then, path) && (next === null || cut.later.has(path) || tells(next, path))
  );
  const found: FoundFile[] = [];
  for (let at = 0; at < known.length; at += GROUP) {
    const group = known.slice(at, at + GROUP);
    const asked = group.flatMap(({ before, after }) => [before?.at, after?.at])
      .filter((source) => source !== undefined);
    const contents = await fetch(asked);
    const hashes = new Map<ContentSource, string>();
    for (const [nth, source] of asked.entries()) {
      const bytes = contents[nth] ?? null;
      const hash = bytes === null ? `${LOST}${source}` : sha256(bytes);
      hashes.set(source, hash);
      if (bytes !== null) sources.set(hash, source);
    }
    const state = (one: Then): FileState | null =>
      one?.at === undefined ? one : { mode: one.mode, hash: hashes.get(one.at) ?? null };
    for (const { path, before, after } of group) {
      const [was, is] = [state(before), state(after)];
      const later = cut.later.get(path);
      found.push({
        ...{ path, before: typeof before?.at === "string" ? as_git_has_it(was, is) : was },
        after: is,
        ...(later === undefined ? {} : { now: later.after }),
      });
    }
  }
  found.sort((a, b) => a.path < b.path ? -1 : 1);
  const overflow = cut.then.overflow || cut.next?.overflow === true;
  const unlisted = [...new Set([...all_then.unlisted, ...next?.unlisted ?? []])];
  return { files: as_far_as_known(found, overflow), unlisted };
}

function both(then: ReadonlyMap<string, Then>, next: ReadonlyMap<string, Then>): readonly Pair[] {
  return [...new Set([...then.keys(), ...next.keys()])].map((path) => ({
    path,
    before: then.get(path) ?? null,
    after: next.get(path) ?? null,
  })).filter(({ before, after }) =>
    before?.mode !== after?.mode || before?.hash !== after?.hash ||
    String(before?.at) !== String(after?.at)
  );
}

async function survey(
  cut: Cut,
  then: ReadonlyMap<string, Then>,
  ask: Ask,
): Promise<readonly Pair[]> {
  const now = new Map(await ask("survey", cut.at));
  const pair = (path: string, after: Then) => ({ path, before: then.get(path) ?? null, after });
  const to_look = [...now].filter(([path, state]) => state === null && !then.get(path))
    .map(([path]) => path);
  for (const [path, before] of then) if (before !== null && !now.has(path)) to_look.push(path);
  const sights = await ask("look", to_look);
  return [
    ...[...now].flatMap(([path, after]) => after === null ? [] : [pair(path, after)]),
    ...to_look.map((path, at) => pair(path, sights[at]?.state ?? null)),
  ];
}

/** Git knows of a mode only whether a file can be run. */
function as_git_has_it(before: FileState | null, after: FileState | null): FileState | null {
  const same = before !== null && after !== null &&
    (before.mode & TYPE_AND_RUN) === (after.mode & TYPE_AND_RUN) && before.hash === after.hash;
  return same ? after : before;
}

/** All files of a moment, as far as git lists them. */
interface AllFiles {
  readonly files: ReadonlyMap<string, Then>;
  /** Folders whose files git does not list. */
  readonly unlisted: readonly string[];
}

function tells({ files, unlisted }: AllFiles, path: string): boolean {
  return files.has(path) || !unlisted.some((folder) => path.startsWith(folder));
}

async function with_trees({ files, trees }: FilesAt, ask: Ask): Promise<AllFiles> {
  if (trees.length === 0) return { files, unlisted: [] };
  const listed = await ask("trees", trees.map(([, id]) => id));
  const all = new Map<string, Then>();
  for (const [at, [folder]] of trees.entries()) {
    for (const [path, mode, git] of listed[at] ?? []) {
      all.set(folder + path, { mode, hash: null, at: git });
    }
  }
  for (const [path, then] of files) all.set(path, then);
  return { files: all, unlisted: trees.flatMap(([folder], at) => listed[at] ? [] : [folder]) };
}
