/** Git's settings, read and written by Git itself, inside the sandbox like everything on this thread. */
import { at_end, attempt } from "../config/attempt.ts";
import { within } from "../config/within.ts";
import { path } from "../config/path.ts";
import { node_fs } from "../config/node.ts";
import { own_program, own_variables } from "../permission/own_program.ts";
import { lstat_or_null } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { wrapper } from "../sandbox/enforce/seatbelt.ts";
import { is_of_user, is_ordinary, type Keys, type KeySettings, later_effect } from "./ordinary.ts";
import { user_settings } from "./started.ts";
import { KEEP_BYTES } from "./thing.ts";

type ConfigBytes = Uint8Array<ArrayBuffer>;

/** What became of a changed file of settings. */
export interface Merged {
  /** What it shall hold now; null: there shall be none. */
  readonly bytes: ConfigBytes | null;
  /** Keys that were put back, by name; `all of it` where git cannot read it. */
  readonly undone: readonly string[];
  /** What stays and the user should know of, a line each. */
  readonly noted: readonly string[];
}

/** More keys than this do not change in one step of honest work. */
const MOST_KEYS = 200;
/** One argument of a program may have 128 KiB on Linux (MAX_ARG_STRLEN). A byte becomes at most 5 characters. */
const PIECE_BYTES = 24 * 1024;
/** It takes 5 ms. A program in the background can stop it (SIGSTOP), and shall not stop `hamr` with it. */
const GIT_MS = 5000;
const BASH = "/bin/bash";
const BASH_FLAGS = ["--norc", "--noprofile", "-o", "pipefail", "-c"];
const UNREADABLE = "all of it";

/** Hands the content over through a pipe: a file on the disk could be another one by the time git opens it. */
const LIST = 'git=$1; shift; printf %b "$@" | "$git" config -f - --no-includes -l -z';
/** The user's own, with what it includes in this repository. */
const LIST_INCLUDED = 'git=$1; GIT_DIR=$3 "$git" config -f "$2" --includes -l -z';
/** Changes the keys of a file one after the other. */
const EDIT = "git=$1; file=$2; shift 2; while [ $# -gt 0 ]; do case $1 in " +
  'unset) "$git" config -f "$file" --unset-all "$2"; shift 2;; ' +
  'add) "$git" config -f "$file" --add "$2" "$3"; shift 3;; esac; done';

/**
 * Git's own tests have it compare all trees so (`cache_tree_verify`), but those that are replaced. Elsewhere than in the working tree, which may
 * be gone. It fails where git did not say; where a program of it may not be run, nobody is asked.
 */
const COMPARE = 'git=$1; denied() { ! { "$git" --version && cp --version; } >/dev/null; }; ' +
  'cp "$2/index" "$3" || { denied; exit; }; export GIT_WORK_TREE=/; said=$(GIT_DIR=$2 ' +
  'GIT_INDEX_FILE=$3 GIT_NO_REPLACE_OBJECTS=1 GIT_TEST_CHECK_CACHE_TREE=1 "$git" ' +
  "-c core.splitIndex=false -c core.fsmonitor=false -c core.hooksPath=/dev/null " +
  'update-index --force-write-index 2>&1) && exit; case $said in *"does not match. Expected"*) ' +
  "printf others;; *) denied;; esac";

export class GitConfig {
  /** Where it is; null if there is none outside what a command can write. */
  readonly #git: string | null;
  readonly #first = new WeakMap<ConfigBytes, Keys>();

  constructor(private readonly policy: Policy) {
    this.#git = own_program("git", policy);
  }

  /** What a settings file shall hold after a step: ordinary keys as now, all others as before; if git can't read it, all as before. */
  async merge(before: ConfigBytes | null, now: ConfigBytes, by: {
    /** Further keys that may be changed. */
    readonly is_fine: (key: string, values: readonly string[]) => boolean;
    readonly is_watched: KeySettings["is_watched"];
    readonly git_dir: string;
    /** Whether an address is a folder of the workspace. */
    readonly is_near: (address: string) => boolean;
  }): Promise<Merged> {
    const all = { bytes: before, undone: [UNREADABLE], noted: [] };
    const then = before === null ? new Map() : await this.#first_keys(before);
    const keys = then === null ? null : await this.#list(now);
    if (then === null || keys === null) return all;
    const changed = [...new Set([...then.keys(), ...keys.keys()])]
      .filter((key) => !same_list(then.get(key), keys.get(key)));
    const undone = changed.filter((key) => {
      const may_send = this.policy.net === "all";
      const settings = { before: then, now: keys, is_watched: by.is_watched, may_send };
      return !is_ordinary(key, settings) && !by.is_fine(key, keys.get(key) ?? []);
    });
    // What is not UTF-8 can't be handed to git as an argument.
    if (undone.length > 0) {
      undone.push(...changed.filter((key) => !undone.includes(key) && !is_text(key, keys)));
    }
    const kept = changed.filter((key) => !undone.includes(key));
    // In a repository that is new every remote is.
    const users = kept.some(is_of_user) ? await this.#of_user(by.git_dir) : new Map();
    const noted = before === null
      ? []
      : kept.map((key) =>
        later_effect(key, { before: then, now: keys, users, is_near: by.is_near })
      ).filter((line) => line !== null);
    if (undone.length === 0) return { bytes: now, undone, noted };
    if (kept.length === 0) return { bytes: before, undone, noted };
    const bytes = await this.#edit(
      before ?? new Uint8Array(),
      kept.map((key) => [key, keys.get(key)]),
    );
    if (bytes === null) return all;
    const expected = new Map(then);
    for (const key of kept) {
      const values = keys.get(key);
      if (values === undefined) expected.delete(key);
      else expected.set(key, values);
    }
    // A program in the background may have had its hands on the file while git wrote it.
    const listed = await this.#list(bytes);
    const is_expected = listed?.size === expected.size &&
      [...expected].every(([key, list]) => same_list(listed.get(key), list));
    return is_expected ? { bytes, undone, noted } : all;
  }

  /** Whether the trees that an index names, which git commits where nothing changed, are not those of the files that it lists; null if git gave no answer. */
  async has_other_trees(git_dir: string): Promise<boolean | null> {
    if (this.#git === null) return false;
    const copy = `${this.policy.tmp}/git-index-${crypto.randomUUID()}`;
    using _ = at_end(() => {
      for (const end of ["", ".lock"]) attempt(() => Deno.removeSync(copy + end));
    });
    const said = await this.#bash(COMPARE, [git_dir, copy]);
    return said === null ? null : said.length > 0;
  }

  /** The keys of a content that is asked for with every change. */
  async #first_keys(bytes: ConfigBytes): Promise<Keys | null> {
    const known = this.#first.get(bytes) ?? await this.#list(bytes);
    if (known !== null) this.#first.set(bytes, known);
    return known;
  }

  /** The keys of the user's own settings that are in force in a repository. */
  async #of_user(git_dir: string): Promise<Keys> {
    const home = this.policy.env["HOME"] ?? "";
    // Where git looks by itself.
    const ignore = `${home}/.config/git/ignore`;
    const all = new Map<string, readonly string[]>(
      lstat_or_null(ignore) === null ? [] : [["core.excludesfile", [ignore]]],
    );
    for (const file of user_settings(home).filter((one) => lstat_or_null(one) !== null)) {
      const output = await this.#bash(LIST_INCLUDED, [file, git_dir]);
      for (const [key, values] of output === null ? [] : keys_of(output)) all.set(key, values);
    }
    // It says so of others, too.
    if (!all.get("maintenance.repo")?.includes(path.dirname(git_dir))) {
      all.delete("maintenance.repo");
    }
    return all;
  }

  /** The keys of a file with this content; null if git cannot read it. */
  async #list(bytes: ConfigBytes): Promise<Keys | null> {
    if (bytes.length > KEEP_BYTES || bytes.includes(0)) return null;
    const pieces: string[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      pieces.push(escaped(bytes.subarray(at, at + PIECE_BYTES)));
    }
    const output = await this.#bash(LIST, pieces);
    return output === null ? null : keys_of(output);
  }

  /** The content with these keys changed to these values; undefined: taken out. */
  async #edit(
    bytes: ConfigBytes,
    changes: readonly (readonly [string, readonly string[] | undefined])[],
  ): Promise<ConfigBytes | null> {
    if (changes.length > MOST_KEYS) return null;
    const file = `${this.policy.tmp}/git-config-${crypto.randomUUID()}`;
    try {
      node_fs().writeFileSync(file, bytes, { flag: "wx", mode: 0o600 });
      const args = changes.flatMap(([key, values = []]) => [
        ...["unset", key],
        ...values.flatMap((value) => ["add", key, value]),
      ]);
      return await this.#bash(EDIT, [file, ...args]) === null
        ? null
        : new Uint8Array(node_fs().readFileSync(file));
    } catch {
      return null;
    } finally {
      node_fs().rmSync(file, { force: true });
    }
  }

  /** What it printed; null if it failed, or may not be run here (--allow-run). */
  async #bash(script: string, args: readonly string[]): Promise<ConfigBytes | null> {
    if (this.#git === null) return null;
    const [program = BASH, ...first] = [...wrapper(this.policy), BASH];
    try {
      const child = new Deno.Command(program, {
        args: [...first, ...BASH_FLAGS, script, "bash", this.#git, ...args],
        cwd: "/",
        env: {
          ...own_variables(this.policy),
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_CONFIG_GLOBAL: "/dev/null",
          GIT_DIR: "/dev/null",
        },
        clearEnv: true,
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const done = await within(GIT_MS, child.output());
      // What is left of it ends with the run.
      if (done === null) child.kill("SIGKILL");
      return done?.success ? done.stdout : null;
    } catch {
      return null;
    }
  }
}

/** What `git config -l -z` printed. */
function keys_of(output: ConfigBytes): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const line of records_of(output)) {
    const end = line.indexOf("\n");
    const key = end < 0 ? line : line.slice(0, end);
    // A key without a value is one that is true.
    const value = end < 0 ? "true" : line.slice(end + 1);
    const values = keys.get(key);
    if (values === undefined) keys.set(key, [value]);
    else values.push(value);
  }
  return keys;
}

/** Texts with a NUL behind each. Bytes that are not UTF-8 stay apart, and name no file: each is a NUL and its number here. */
function records_of(bytes: ConfigBytes): string[] {
  const records: string[] = [];
  for (let at = 0, end; (end = bytes.indexOf(0, at)) >= 0; at = end + 1) {
    const record = bytes.subarray(at, end);
    try {
      records.push(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(record));
    } catch {
      const text = (byte: number) =>
        byte < 0x80 ? String.fromCharCode(byte) : `\0${byte.toString(16)}`;
      records.push(Array.from(record, text).join(""));
    }
  }
  return records;
}

function is_text(key: string, keys: Keys): boolean {
  return ![key, ...keys.get(key) ?? []].some((text) => text.includes("\0"));
}

/** For `printf %b`: letters, digits and a few signs as they are, every other byte as an octal number. */
function escaped(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    text += /[\w .=[\]/:-]/.test(char) && byte < 0x80
      ? char
      : `\\0${byte.toString(8).padStart(3, "0")}`;
  }
  return text;
}

function same_list(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a?.length === b?.length && (a ?? []).every((value, at) => value === b?.[at]);
}
