/**
 * Puts files of the workspace back as they were. Loaded by the tools worker for that alone, and under a policy that lets it reach
 * nothing else. No link is followed: somebody may have put one in the place of a file or of a folder above it.
 */
import fs from "node:fs";
import path from "node:path";
import { message_of } from "../config/text.ts";
import { look } from "../permission/paths.ts";
import { c_string, linux_libc } from "../sandbox/libc.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, same_state } from "../store/file_state.ts";
import { git_blobs, git_trees } from "./git_blobs.ts";
import { sha256 } from "./kept.ts";
import type { Ignoring } from "./known.ts";
import { Look } from "./look.ts";
import { FILE_TYPE, type Folders, LINK } from "./folders.ts";
import { content_of, state_of } from "./state.ts";
import type { Put, PutBack, Sight, Surveyed, UndoAnswers, UndoRequest } from "./undo_protocol.ts";

const AT_FDCWD = -100;
/** Most file systems take names of 255 bytes. */
const NAME_CHARS = 60;
/** Of a mode: what is no type. */
const RIGHTS = 0o7777;

const GUARDED = "it runs, or decides what runs, later and outside the sandbox: put it back by hand";

/** Opened before the right to is given up. */
const libc = linux_libc();

/** What is worked with. */
export interface Place {
  readonly policy: Policy;
  readonly raw: Folders;
  readonly ignoring: Ignoring;
  /** Whether something lies where only the person puts things. */
  readonly is_guarded: (full: string) => boolean;
}

/** Answers one request. */
export async function answer(
  request: UndoRequest,
  place: Place,
): Promise<UndoAnswers[UndoRequest["kind"]]> {
  const { policy, raw } = place;
  const full = (given: string) => path.join(policy.workspace, given);
  switch (request.kind) {
    case "look":
      return request.paths.map((path) => sight(path, place));
    case "survey": {
      const look = new Look(policy.workspace, { ...place, listener: null }, null);
      look.look();
      return [...look.changed_since(request.since)].map(([path, changed]): Surveyed => [
        path,
        changed ? state_of(raw, full(path)) : null,
      ]);
    }
    case "contents":
      return request.paths.map((path) =>
        sight(path, place).obstacle === null ? content_of(raw, full(path)) : null
      );
    case "blobs":
      return await git_blobs(policy, request.ids);
    case "trees":
      return await git_trees(policy, request.ids);
    case "put":
      return request.files.map((file) => put(file, place));
    case "remove_empty":
      for (const folder of request.folders) remove_empty(folder, place);
      return null;
  }
}

/** How a path of the workspace is now. Nothing is opened that is no regular file, and nothing behind a link. */
function sight(given: string, { policy, raw, is_guarded }: Place): Sight {
  const { workspace } = policy;
  const parts = given.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return { state: null, obstacle: "it is no path in the workspace" };
  }
  const full = path.join(workspace, given);
  if (is_guarded(full)) return { state: null, obstacle: GUARDED };
  for (let at = 1; at < parts.length; at++) {
    const above = parts.slice(0, at).join("/");
    const stat = look(path.join(workspace, above));
    if (stat === null) return { state: null, obstacle: null };
    if (stat.isDirectory) continue;
    return { state: null, obstacle: `${above} is ${stat.isSymlink ? "a link" : "no folder"} now` };
  }
  const stat = look(full);
  if (stat === null) return { state: null, obstacle: null };
  if (stat.isDirectory) return { state: null, obstacle: FOLDER };
  const state = state_of(raw, full);
  return state === null ? { state, obstacle: SPECIAL } : { state, obstacle: null };
}

const FOLDER = "a folder is in its place now";
/** Such a thing can be taken away without being opened. */
const SPECIAL = "a pipe, a socket or a device is in its place now";

function put({ path: given, expected, known, to }: PutBack, place: Place): Put {
  const { policy } = place;
  const whatever = expected === "whatever";
  const seen = sight(given, place);
  // Nothing is lost with a folder in which there is nothing, where nobody expects a file.
  const makes_room = seen.obstacle === FOLDER && to !== null && (whatever || expected === null) &&
    remove_empty(given, place);
  const { state, obstacle } = makes_room ? sight(given, place) : seen;
  if (obstacle !== null && !(whatever && obstacle === SPECIAL)) {
    return { kind: "failed", why: obstacle };
  }
  if (obstacle === null && same_state(state, to?.state ?? null)) return { kind: "so_already" };
  if (!whatever && !same_state(state, expected)) return { kind: "changed" };
  if (to !== null && sha256(to.bytes) !== to.state.hash) {
    return { kind: "failed", why: "what was kept of it is damaged" };
  }
  const full = path.join(policy.workspace, given);
  try {
    const copy = state === null || same_state(state, known) ? null : copied(full, given, policy);
    if (to === null) fs.unlinkSync(full);
    else make(full, to);
    return { kind: "done", was: state, copy };
  } catch (error) {
    return { kind: "failed", why: is_denied(error) ? "permission denied" : message_of(error) };
  }
}

/** Keeps what nobody has a copy of; gives where. */
function copied(full: string, given: string, { spill }: Policy): string {
  const copy = `${spill}/${given.replaceAll("/", "_").slice(-NAME_CHARS)}`;
  if (look(full)?.isSymlink) fs.writeFileSync(copy, fs.readlinkSync(full), { flag: "wx" });
  else fs.copyFileSync(full, copy, fs.constants.COPYFILE_EXCL);
  return copy;
}

/** Under another name first, so that the name never leads to half a file; other names of the old one keep what they have. */
function make(full: string, { state, bytes }: NonNullable<PutBack["to"]>): void {
  fs.mkdirSync(path.dirname(full), { recursive: true });
  const made = path.join(path.dirname(full), `.hamr-${crypto.randomUUID()}`);
  try {
    if ((state.mode & FILE_TYPE) === LINK) make_link(made, new TextDecoder().decode(bytes));
    else make_file(made, { bytes, state, old: look(full) });
    fs.renameSync(made, full);
  } catch (error) {
    fs.rmSync(made, { force: true });
    throw error;
  }
}

function make_file(
  made: string,
  { bytes, state, old }: {
    readonly bytes: Uint8Array;
    readonly state: FileState;
    readonly old: Deno.FileInfo | null;
  },
): void {
  const fd = fs.openSync(made, "wx", 0o600);
  try {
    let at = 0;
    while (at < bytes.length) at += fs.writeSync(fd, bytes, at, bytes.length - at, at);
    const { uid, gid } = fs.fstatSync(fd);
    if (old?.isFile && (old.uid !== uid || old.gid !== gid)) give(fd, old);
    fs.fchmodSync(fd, state.mode & RIGHTS);
  } finally {
    fs.closeSync(fd);
  }
}

/** Only root can give a file away. */
function give(fd: number, { uid, gid }: Deno.FileInfo): void {
  try {
    if (uid !== null && gid !== null) fs.fchownSync(fd, uid, gid);
  } catch (error) {
    if (!is_denied(error)) throw error;
  }
}

/** Deno's own wants the right to read and write everything. */
function make_link(made: string, to: string): void {
  if (libc === null) return fs.symlinkSync(to, made);
  const result = libc.call("symlinkat", [c_string(to), AT_FDCWD, c_string(made)]);
  if (result !== 0) throw new Error(`the link could not be made (error ${libc.errno()})`);
}

/** False where something is in it. */
function remove_empty(folder: string, place: Place): boolean {
  const { state, obstacle } = sight(`${folder}/_`, place);
  if (state !== null || obstacle !== null) return false;
  try {
    fs.rmdirSync(path.join(place.policy.workspace, folder));
    return true;
  } catch {
    return false;
  }
}

function is_denied(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return code === "EACCES" || code === "EPERM" || error instanceof Deno.errors.NotCapable ||
    error instanceof Deno.errors.PermissionDenied;
}
