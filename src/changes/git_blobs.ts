/** Reads contents that Git has, by their ids. On the tools worker: Git runs inside the sandbox. */
import { feed_stdin } from "../sandbox/processes/feed.ts";
import { at_end, attempt } from "../config/attempt.ts";
import { after_waiting } from "../config/timer.ts";
import { within } from "../config/within.ts";
import { git_id } from "../permission/content_hash.ts";
import { own_program, own_variables } from "../permission/own_program.ts";
import type { Policy } from "../sandbox/policy.ts";
import { wrapper } from "../sandbox/enforce/seatbelt.ts";
import { KEEP_FILE_BYTES } from "./content_keeper.ts";
import type { InTree } from "./undo_protocol.ts";

const NEWLINE = 10, RETURN = 13;
const SHA256_LENGTH = 64;
/** Listing or reading the largest repositories takes some seconds; but a background program can stop git (SIGSTOP), which must not stop hamr. */
const GIT_MS = 30_000;
const END_MS = 1000;
/** Contents asked for at once: they are in memory together. */
const GROUP_BYTES = 16 * 1024 * 1024;

/** Nothing outside the repository is asked: no settings of the user's, and no server for what a partial clone left out. */
const ARGUMENTS = ["-c", "safe.directory=*"];
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  // A command can have git say other contents (git-replace); what it puts in an object's place is seen by its hash.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TERMINAL_PROMPT: "0",
};

/** What git has under each id; null if it has nothing, or cannot be asked. Never rejects. */
export async function git_blobs(
  policy: Policy,
  ids: readonly string[],
  limit_ms = GIT_MS,
): Promise<readonly (Uint8Array | null)[]> {
  if (ids.length === 0) return [];
  try {
    const command = ["cat-file", "--batch"];
    return taken_apart(await git(policy, { command, lines: ids, limit_ms }), ids);
  } catch {
    return ids.map(() => null);
  }
}

/** Whether git has a content under each id. Never rejects. */
export async function git_gives(policy: Policy, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true;
  try {
    const command = ["cat-file", "--batch-check=%(objecttype)"];
    const said = await git(policy, { command, lines: ids, limit_ms: GIT_MS });
    const lines = new TextDecoder().decode(said).split("\n");
    return lines.filter((line) => line === "blob").length === ids.length;
  } catch {
    return false;
  }
}

/** A file that git has as it was, its size then, and the number by which it is asked for. */
export interface InGit {
  readonly nth: number;
  readonly id: string;
  readonly size: number;
}

/** What files held that git has; not one that it has in another form, or that is too large to be kept. */
export async function* contents_in_git(
  policy: Policy,
  files: readonly InGit[],
): AsyncGenerator<{ readonly nth: number; readonly bytes: Uint8Array }> {
  const wanted = files.filter(({ size }) => size <= KEEP_FILE_BYTES);
  while (wanted.length > 0) {
    let bytes = 0;
    const over = wanted.findIndex(({ size }) => (bytes += size) > GROUP_BYTES);
    const group = wanted.splice(0, over < 0 ? wanted.length : Math.max(1, over));
    const blobs = await git_blobs(policy, group.map(({ id }) => id));
    for (const [at, { nth, size }] of group.entries()) {
      const blob = blobs[at] ?? null;
      const bytes = blob?.length === size ? blob : blob && with_returns(blob, size);
      if (bytes !== null) yield { nth, bytes };
    }
  }
}

/** A content with CRLF line ends, if it then has this size: git may keep it without. No other mix has both size and content. Else null. */
function with_returns(blob: Uint8Array, size: number): Uint8Array | null {
  const lines = blob.reduce((sum, byte) => byte === NEWLINE ? sum + 1 : sum, 0);
  if (blob.length + lines !== size || blob.includes(RETURN)) return null;
  const bytes = new Uint8Array(size);
  let to = 0;
  for (const byte of blob) {
    if (byte === NEWLINE) bytes[to++] = RETURN;
    bytes[to++] = byte;
  }
  return bytes;
}

/** The files in each of these trees, with the rights that `mask` leaves, as git makes files; null if git does not have it, or cannot be asked. Never rejects. */
export async function git_trees(
  policy: Policy,
  ids: readonly string[],
  { mask }: { mask: number },
): Promise<readonly (readonly InTree[] | null)[]> {
  const trees: (readonly InTree[] | null)[] = [];
  for (const id of ids) {
    try {
      const command = ["ls-tree", "-r", "-z", id];
      const text = new TextDecoder().decode(
        await git(policy, { command, lines: [], limit_ms: GIT_MS }),
      );
      trees.push(
        [...text.matchAll(/(\d+) blob ([0-9a-f]+)\t([^\0]*)\0/g)]
          .map(([, mode = "", blob = "", path = ""]) => [path, parseInt(mode, 8) & ~mask, blob]),
      );
    } catch {
      trees.push(null);
    }
  }
  return trees;
}

/** What git says. Rejects where it fails, or takes longer. */
async function git(policy: Policy, { command, lines, limit_ms }: {
  command: readonly string[];
  lines: readonly string[];
  limit_ms: number;
}): Promise<Uint8Array> {
  const own = own_program("git", policy);
  if (own === null) throw new Error("there is no git");
  const [program = own, ...args] = [...wrapper(policy), own, ...ARGUMENTS, ...command];
  const child = new Deno.Command(program, {
    args,
    cwd: policy.workspace,
    env: { ...own_variables(policy), ...ENVIRONMENT },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  // It may have ended, and something else holds its output open.
  const stop = after_waiting(limit_ms, () => attempt(() => child.kill("SIGKILL")));
  using _ = at_end(stop);
  const answered = Promise.all([
    child.output(),
    feed_stdin(child.stdin, lines.map((line) => `${line}\n`).join("")),
  ]);
  // Once it is ended, what it has started may still hold its pipes open.
  const [answer] = await within(limit_ms + END_MS, answered) ?? [];
  if (!answer?.success) throw new Error("git failed");
  return answer.stdout;
}

/** `ID blob SIZE`, the content and an empty line for each; or a line that says what is wrong. */
function taken_apart(output: Uint8Array, ids: readonly string[]): (Uint8Array | null)[] {
  let at = 0;
  return ids.map((id) => {
    const end = output.indexOf(NEWLINE, at);
    if (end < 0) return null;
    const [name, type, size] = new TextDecoder().decode(output.subarray(at, end)).split(" ");
    at = end + 1;
    if (name !== id || type !== "blob") return null;
    const bytes = output.subarray(at, at + Number(size));
    at += bytes.length + 1;
    // Git itself does not look whether an object is what it is called.
    return git_id(bytes, id.length === SHA256_LENGTH ? "sha256" : "sha1") === id ? bytes : null;
  });
}
