/** Puts files of the workspace back, on a worker of its own with a narrow policy. Follows no links. */
import { at_end, attempt } from "../config/attempt.ts";
import { AT_FDCWD } from "../sandbox/kernel/fcntl.ts";
import { node_fs } from "../config/node.ts";
import { path } from "../config/path.ts";
import { is_gone, is_inside } from "../config/paths.ts";
import { message_of } from "../config/text.ts";
import { sha256 } from "../permission/content_hash.ts";
import { code_of, is_denied, is_full } from "../permission/file_faults.ts";
import { lstat_or_null } from "../permission/paths.ts";
import { give, overwrite, put_beside, write_all } from "../permission/put_beside.ts";
import { replace_or_overwrite } from "../permission/given_attributes.ts";
import { buffer_of, linux_libc } from "../sandbox/kernel/libc.ts";
import { open_plain } from "../sandbox/kernel/read_inside.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, same_state } from "../store/file_state.ts";
import { git_blobs, git_trees } from "./git_blobs.ts";
import type { Ignoring } from "./look_types.ts";
import { full_path, is_own_output } from "./file_names.ts";
import { Look } from "./look.ts";
import { FILE_TYPE, type Folders, LINK } from "./folders.ts";
import { content_now, file_state } from "./read_state.ts";
import { ChangedSince, take_place } from "./replace_file.ts";
import type { PathState, Put, PutBack, Undoing } from "./undo_protocol.ts";

/** Most file systems take names of 255 bytes. */
const NAME_CHARS = 60;
const RIGHTS = 0o7777;

const OWN = "it is hamr's own";
const GUARDED = "it runs, or decides what runs, later and outside the sandbox: put it back by hand";

/** Opened before the right to is given up. */
const libc = linux_libc();

/** The user's mask for new files; 0 where the system is not asked. It can only be read by setting it. */
function umask(): number {
  if (libc === null) return 0;
  const mask = libc.call("umask", [0o077]);
  libc.call("umask", [mask]);
  return mask;
}

interface RestoreTarget {
  readonly policy: Policy;
  readonly raw: Folders;
  readonly ignoring: Ignoring;
  /** Whether something is where only the user puts things. */
  readonly is_guarded: (full: string) => boolean;
}

export function undoing(place: RestoreTarget): Undoing {
  const { policy, raw } = place;
  const full = (given: string) => full_path(policy, given);
  return {
    look: (paths) => paths.map((path) => sight(path, place)),
    survey(since) {
      const look = new Look(policy.workspace, { ...place, listener: null }, null);
      look.look();
      // A file's times are those of the last tick, which was before the clock said so.
      return [...look.tree.changed_since(since - raw.tick_ms)].filter(([path]) =>
        !is_own_output(policy, path)
      )
        .map(([path, changed]) => [path, changed ? file_state(raw, full(path)) : null]);
    },
    contents: (paths) =>
      paths.map((path) =>
        sight(path, place).obstacle === null ? content_now(raw, full(path)) : null
      ),
    blobs: (ids) => git_blobs(policy, ids),
    trees: (ids) => git_trees(policy, ids, { mask: umask() }),
    put: (files) => files.map((file) => put(file, place)),
    remove_empty: (folders) => folders.forEach((folder) => remove_empty(folder, place)),
  };
}

/** How a path of the workspace is now. Nothing is opened that is not a regular file, and nothing behind a link. */
function sight(given: string, { policy, raw, is_guarded }: RestoreTarget): PathState {
  if (is_own_output(policy, given)) return { state: null, obstacle: OWN };
  const full = full_path(policy, given);
  const tops = [policy.workspace, ...policy.write === "all" ? [] : policy.write];
  const top = tops.find((top) => is_inside(full, top)) ?? full;
  const parts = full.slice(top === "/" ? 1 : top.length + 1).split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return { state: null, obstacle: "it is not a path in the workspace" };
  }
  if (is_guarded(full)) return { state: null, obstacle: GUARDED };
  for (let at = 1; at < parts.length; at++) {
    const above = parts.slice(0, at).join("/");
    const stat = seen(path.join(top, above));
    if (stat === null) return { state: null, obstacle: null };
    if (typeof stat === "string") return { state: null, obstacle: stat };
    if (stat.isDirectory) continue;
    return {
      state: null,
      obstacle: `${above} is ${stat.isSymlink ? "a link" : "not a folder"} now`,
    };
  }
  const stat = seen(full);
  if (stat === null) return { state: null, obstacle: null };
  if (typeof stat === "string") return { state: null, obstacle: stat };
  if (stat.isDirectory) return { state: null, obstacle: FOLDER };
  if (!stat.isFile && !stat.isSymlink) return { state: null, obstacle: SPECIAL };
  const state = file_state(raw, full);
  return { state, obstacle: state === null ? "it can't be looked at" : null };
}

/** What is there; null if nothing is, a text if that can't be told. */
function seen(full: string): Deno.FileInfo | string | null {
  try {
    return Deno.lstatSync(full);
  } catch (error) {
    if (is_gone(error)) return null;
    return `it can't be looked at: ${words_of(error)}`;
  }
}

const FOLDER = "a folder is in its place now";
/** Such a thing can be taken away without being opened. */
const SPECIAL = "a pipe, a socket or a device is in its place now";

function put({ path: given, expected, known, to }: PutBack, place: RestoreTarget): Put {
  const { policy } = place;
  const whatever = expected === "whatever";
  const seen = sight(given, place);
  // A folder without a file can go, where nobody expects one.
  const makes_room = seen.obstacle === FOLDER && to !== null && (whatever || expected === null) &&
    attempt(() => is_hollow(full_path(policy, given)) && remove_hollow(given, place), false);
  const { state, obstacle } = makes_room ? sight(given, place) : seen;
  if (obstacle !== null && !(whatever && obstacle === SPECIAL)) {
    return { kind: "failed", why: obstacle };
  }
  if (obstacle === null && same_state(state, to?.state ?? null)) return { kind: "so_already" };
  if (!whatever && !same_state(state, expected)) return { kind: "changed" };
  if (to !== null && sha256(to.bytes) !== to.state.hash) {
    return { kind: "failed", why: "the saved copy is damaged" };
  }
  const full = full_path(policy, given);
  try {
    const copy = state === null || same_state(state, known) ? null : copied(full, given, policy);
    if (to === null) node_fs().unlinkSync(full);
    else make(full, to, { raw: place.raw, state, is_known: obstacle === null });
    return { kind: "done", was: state, copy };
  } catch (error) {
    if (error instanceof ChangedSince) return { kind: "changed" };
    return { kind: "failed", why: words_of(error) };
  }
}

/** Why a file was left alone; what the system says names one that is not the user's. */
function words_of(error: unknown): string {
  if (is_denied(error)) return "permission denied";
  if (is_full(error)) return "the disk is full";
  return code_of(error) === "EROFS" ? "the disk is read-only" : message_of(error);
}

/** Keeps what nobody has a copy of; gives where. An earlier undo, or a path like it, may have taken the name. */
function copied(full: string, given: string, { spill }: Policy): string {
  const name = `${spill}/${given.replaceAll("/", "_").slice(-NAME_CHARS)}`;
  let copy = name;
  for (let nth = 2; lstat_or_null(copy) !== null; nth++) copy = `${name}.${nth}`;
  if (lstat_or_null(full)?.isSymlink) {
    node_fs().writeFileSync(copy, node_fs().readlinkSync(full), { flag: "wx" });
  } else copy_plain(full, copy);
  return copy;
}

const PIECE_BYTES = 1024 * 1024;

/** Without waiting where a pipe has taken the file's place. */
function copy_plain(full: string, copy: string): void {
  const file = open_plain(full);
  using _file = at_end(() => file.close());
  if (!file.isFile) throw new ChangedSince();
  const fd = node_fs().openSync(copy, "wx", file.mode & 0o777);
  using _copy = at_end(() => node_fs().closeSync(fd));
  const piece = buffer_of(PIECE_BYTES);
  for (let at = 0, got = 1; got > 0; at += got) {
    got = file.read(piece, at);
    write_all(fd, piece.subarray(0, got), at);
  }
}

/** Under another name first, so that the name never leads to half a file; other names of the old one keep what they have. */
function make(full: string, { state, bytes }: NonNullable<PutBack["to"]>, old: {
  readonly raw: Folders;
  readonly state: FileState | null;
  /** Whether that is what is there, and not something that only can be taken away. */
  readonly is_known: boolean;
}): void {
  node_fs().mkdirSync(path.dirname(full), { recursive: true });
  const is_seen = old.state === null
    ? null
    : () => same_state(file_state(old.raw, full), old.state);
  // A content that nobody has read can't be compared.
  const is_compared = old.is_known && old.state?.hash !== null;
  const is_link = (state.mode & FILE_TYPE) === LINK;
  const make_new = (made: string) =>
    is_link
      ? make_link(made, new TextDecoder().decode(bytes))
      : make_file(made, { bytes, state, old: lstat_or_null(full) });
  const plain = is_link || old.state === null ? null : full;
  replace_or_overwrite(plain, {
    replace() {
      const take = is_compared
        ? (made: string) => take_place(made, full, { libc, is_seen })
        : undefined;
      put_beside(full, make_new, take);
    },
    overwrite(error) {
      // Neither takes the place of what somebody makes there now.
      if (old.is_known && old.state === null) return make_new(full);
      // As `edit` has written it, perhaps.
      if (plain === null || lstat_or_null(full)?.isFile !== true) throw error ?? new ChangedSince();
      if (is_compared && is_seen?.() === false) throw new ChangedSince();
      make_in_place(full, { state, bytes });
    },
  });
}

function make_in_place(full: string, { state, bytes }: NonNullable<PutBack["to"]>): void {
  overwrite(full, bytes, (fd) => {
    const { nlink, mode } = node_fs().fstatSync(fd);
    if (nlink !== 1) throw new Error("it has other names, and can't be replaced");
    if (((mode ^ state.mode) & RIGHTS) !== 0) node_fs().fchmodSync(fd, state.mode & RIGHTS);
  });
}

function make_file(
  made: string,
  { bytes, state, old }: { bytes: Uint8Array; state: FileState; old: Deno.FileInfo | null },
): void {
  const fd = node_fs().openSync(made, "wx", state.mode & 0o777);
  try {
    write_all(fd, bytes);
    const now = node_fs().fstatSync(fd);
    const { uid = null, gid = null } = old?.isFile ? old : {};
    if (uid !== null && gid !== null && (uid !== now.uid || gid !== now.gid)) {
      give(fd, { uid, gid });
    }
    // Some file systems let nobody set a mode afterwards, such as a drive of Windows in WSL.
    const { mode } = node_fs().fstatSync(fd);
    if (((mode ^ state.mode) & RIGHTS) !== 0) node_fs().fchmodSync(fd, state.mode & RIGHTS);
  } catch (error) {
    node_fs().unlinkSync(made);
    throw error;
  } finally {
    node_fs().closeSync(fd);
  }
}

/** Deno's own wants the right to read and write everything. */
function make_link(made: string, to: string): void {
  if (libc === null) return node_fs().symlinkSync(to, made);
  const result = libc.call("symlinkat", [to, AT_FDCWD, made]);
  if (result !== 0) throw new Error(`the link could not be made (error ${libc.errno()})`);
}

/** Whether nothing but folders is in it, however deep. */
function is_hollow(full: string): boolean {
  return [...Deno.readDirSync(full)].every(({ name, isDirectory }) =>
    isDirectory && is_hollow(`${full}/${name}`)
  );
}

function remove_hollow(folder: string, place: RestoreTarget): boolean {
  for (const { name } of Deno.readDirSync(full_path(place.policy, folder))) {
    remove_hollow(`${folder}/${name}`, place);
  }
  return remove_empty(folder, place);
}

/** False if something is in it. */
function remove_empty(folder: string, place: RestoreTarget): boolean {
  const { state, obstacle } = sight(`${folder}/_`, place);
  if (state !== null || obstacle !== null) return false;
  return attempt(() => {
    node_fs().rmdirSync(full_path(place.policy, folder));
    return true;
  }, false);
}
