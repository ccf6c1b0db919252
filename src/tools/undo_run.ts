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
import { type FileState, type Listed, same_state } from "../store/file_state.ts";
import { is_denied } from "./file_errors.ts";
import { hash } from "./files.ts";
import { git_blobs } from "./git_blobs.ts";
import { guarded_place } from "./planted/places.ts";
import { content_of, hash_of, is_link, looks_of } from "./snapshot.ts";
import type { Tracker } from "./tracker.ts";
import type { Put, PutBack, Sight, UndoAnswers, UndoRequest } from "./undo_protocol.ts";

const AT_FDCWD = -100;
/** Of a mode: what is no type. */
const RIGHTS = 0o7777;

const GUARDED = "it runs, or decides what runs, later and outside the sandbox: put it back by hand";

/** Opened before the right to is given up. */
const libc = linux_libc();

/** Answers one request. */
export async function answer(
  request: UndoRequest,
  { policy, tracker }: { readonly policy: Policy; readonly tracker: Tracker },
): Promise<UndoAnswers[UndoRequest["kind"]]> {
  const full = (path: string) => `${policy.workspace === "/" ? "" : policy.workspace}/${path}`;
  switch (request.kind) {
    case "look":
      return request.paths.map((path) => sight(path, policy));
    case "survey":
      return {
        files: [...tracker.files()].map(([path, looks]): Listed => {
          const seen = sight(path, policy);
          return [path, looks.mode, seen.state?.hash ?? null];
        }),
        empty: tracker.passed.empty,
      };
    case "contents":
      return request.paths.map((path) => {
        const looks = sight(path, policy).obstacle === null ? looks_of(full(path)) : null;
        return looks === null ? null : content_of(full(path), looks);
      });
    case "blobs":
      return await git_blobs(policy, request.ids);
    case "put":
      return request.files.map((file) => put(file, policy));
    case "remove_empty":
      for (const folder of request.folders) remove_empty(folder, policy);
      return null;
    case "passed":
      return tracker.passed;
  }
}

/** How a path of the workspace is now. Nothing is opened that is no regular file, and nothing behind a link. */
function sight(given: string, policy: Policy): Sight {
  const { workspace } = policy;
  const parts = given.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return { state: null, obstacle: "it is no path in the workspace" };
  }
  const full = path.join(workspace, given);
  if (guarded_place(full, policy) !== null) return { state: null, obstacle: GUARDED };
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
  const looks = looks_of(full);
  if (looks === null) return { state: null, obstacle: SPECIAL };
  return { state: { mode: looks.mode, hash: hash_of(full, looks) }, obstacle: null };
}

const FOLDER = "a folder is in its place now";
/** Such a thing can be taken away without being opened. */
const SPECIAL = "a pipe, a socket or a device is in its place now";

function put({ path: given, expected, to }: PutBack, policy: Policy): Put {
  const whatever = expected === "whatever";
  const seen = sight(given, policy);
  // Nothing is lost with a folder in which there is nothing, where nobody expects a file.
  const makes_room = seen.obstacle === FOLDER && to !== null && (whatever || expected === null) &&
    remove_empty(given, policy);
  const { state, obstacle } = makes_room ? sight(given, policy) : seen;
  if (obstacle !== null && !(whatever && obstacle === SPECIAL)) {
    return { kind: "failed", why: obstacle };
  }
  if (obstacle === null && same_state(state, to?.state ?? null)) return { kind: "so_already" };
  if (!whatever && !same_state(state, expected)) return { kind: "changed" };
  if (to !== null && hash(to.bytes) !== to.state.hash) {
    return { kind: "failed", why: "what was kept of it is damaged" };
  }
  const full = path.join(policy.workspace, given);
  try {
    if (to === null) fs.unlinkSync(full);
    else make(full, to);
    return { kind: "done", was: state };
  } catch (error) {
    return { kind: "failed", why: is_denied(error) ? "permission denied" : message_of(error) };
  }
}

/** Under another name first, so that the name never leads to half a file; other names of the old one keep what they have. */
function make(full: string, { state, bytes }: NonNullable<PutBack["to"]>): void {
  fs.mkdirSync(path.dirname(full), { recursive: true });
  const made = path.join(path.dirname(full), `.hamr-${crypto.randomUUID()}`);
  try {
    if (is_link(state.mode)) make_link(made, new TextDecoder().decode(bytes));
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
function remove_empty(folder: string, policy: Policy): boolean {
  const { state, obstacle } = sight(`${folder}/_`, policy);
  if (state !== null || obstacle !== null) return false;
  try {
    fs.rmdirSync(path.join(policy.workspace, folder));
    return true;
  } catch {
    return false;
  }
}
