/** `hamr run --task-file FILE --index N`: one task of many. `OUT/ID/` appears whole or not at all, and is not done again if it exists. */
import { attempt, or_throw } from "../../config/attempt.ts";
import { json_line } from "../../config/json.ts";
import { is_file, why } from "../../config/paths.ts";
import type { Result } from "../../agent/events.ts";
import { exit_code } from "../../app/exit_codes.ts";
import type { Flags } from "../../app/flags.ts";
import { take_lock } from "../../persistence_guard/other_journals.ts";
import { environment_beyond, program_beyond } from "../../permission/own_program.ts";
import { lstat_or_null, names_in } from "../../permission/paths.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { open_at } from "../base/open_file.ts";
import { ending_signals } from "../base/signals.ts";
import { own_environment } from "../base/restart.ts";
import { index_of_engine, task_line, type TaskLine } from "./task_lines.ts";
import {
  fill_tree,
  is_address,
  name_of_source,
  new_tree,
  remove_tree,
  work_places,
} from "./tree.ts";
import { UsageError } from "../../config/error.ts";

/** Where results go without `--artifacts`. */
const OUT = "out";
/** Below it: what is not finished. Hidden, so that `OUT/*` are results. */
const TRIES = ".tries";
/** A result with one of these says nothing about the task: it is done again. */
const AGAIN: readonly Result["stop_reason"][] = [
  ...["user_interrupt", "config_error", "auth_error", "llm_error", "internal_error"] as const,
];
/** A million tasks, each of a line. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Flags that are not for the run itself; each takes a value. */
const NOT_HANDED_ON = ["--task-file", "--index", "--artifacts", "--directory", "-C"];

/** Does the task, unless its result is there; returns the exit code of its run. Throws `UsageError`. */
export async function one_of_many(parsed: Parsed, io: Io): Promise<number> {
  const { flags, operands } = parsed;
  const { task_file: file, index } = flags;
  if (file === undefined) throw new UsageError("--index needs --task-file FILE");
  if (operands.length > 0) {
    throw new UsageError("--task-file has the tasks: don't give one as well");
  }
  const { steer, command, resume, fork } = flags;
  if (steer || flags.continue || [command, resume, fork].some((one) => one !== undefined)) {
    throw new UsageError(
      "--task-file can't be combined with --steer, --continue, --resume, --fork or --command",
    );
  }
  const own = {
    "--junit": flags.junit,
    "--code-quality": flags.code_quality,
    "-o": flags.answer_file,
    "--session-id": flags.session_id,
  };
  for (const [flag, value] of Object.entries(own)) {
    if (value === undefined) continue;
    throw new UsageError(`${flag} is for one run; with --task-file each task has its own files`);
  }
  const line = placed(
    task_line(text_of(file), { file, index: index ?? index_of_engine(io.env) }),
    { file, directory: flags.directory },
  );
  const out = flags.artifacts ?? OUT;
  refuse_strange(out, line);
  const tries = or_throw(() => {
    Deno.mkdirSync(`${out}/${TRIES}`, { recursive: true });
    return `${Deno.realPathSync(out)}/${TRIES}`;
  }, (error) => new UsageError(`--artifacts ${out}: ${why(error)}`));
  const before = done_before(`${out}/${line.id}`);
  if (before !== null) return tell(before, { flags, line, io });
  const lock = locked(`${tries}/${line.id}.lock`);
  if (lock === null) throw new UsageError(`task ${line.id} is being done by another process`);
  try {
    // It may have been finished between the look and the lock.
    const meanwhile = done_before(`${out}/${line.id}`);
    if (meanwhile !== null) return tell(meanwhile, { flags, line, io });
    if (lock.fd !== null) clear_away(lock.file, { tries, id: line.id });
    return await try_it(line, { out, tries, lock, io });
  } finally {
    lock.file.close();
    if (lock.fd !== null) linux_libc()?.call("close", [lock.fd]);
  }
}

function text_of(file: string): string {
  return or_throw(() => {
    const { isFile, size } = Deno.statSync(file);
    if (!isFile || size > MOST_BYTES) throw new Error("not a file of tasks");
    return Deno.readTextFileSync(file);
  }, (error) => new UsageError(`--task-file ${file}: ${why(error)}`));
}

/** With what it names below the folder of its file; without a place, it is where the program runs. */
function placed(
  line: TaskLine,
  { file, directory = "." }: { file: string; directory?: string | undefined },
): TaskLine {
  const { repo, dir } = line;
  const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/") + 1) : "";
  const real = (path: string) =>
    or_throw(
      () => Deno.realPathSync(path),
      (error) => new UsageError(`task ${line.id}: ${path}: ${why(error)}`),
    );
  const below = (path: string) => real(path.startsWith("/") ? path : `${folder}${path}`);
  if (dir !== undefined) return { ...line, dir: below(dir) };
  if (repo === undefined) return { ...line, repo: real(directory) };
  return { ...line, repo: is_address(repo) ? repo : below(repo) };
}

/** Throws `UsageError` if the folder of results holds what hamr did not put there: a link to a file, or a folder without a result. */
function refuse_strange(out: string, { id }: TaskLine): void {
  const [tries, place] = [`${out}/${TRIES}`, `${out}/${id}`];
  for (const path of [tries, `${tries}/${id}.lock`, place]) {
    if (lstat_or_null(path)?.isSymlink) throw new UsageError(`${path} is a link: remove it`);
  }
  if (
    lstat_or_null(place) !== null && names_in(place).length > 0 && !is_file(`${place}/result.json`)
  ) {
    throw new UsageError(`${place} is not a result of hamr: move it away`);
  }
}

/** A result that says something about the task; null for none. */
function done_before(folder: string): Result | null {
  return attempt(() => {
    const result: Result = JSON.parse(Deno.readTextFileSync(`${folder}/result.json`));
    return AGAIN.includes(result.stop_reason) ? null : result;
  }, null);
}

function tell(
  result: Result,
  { flags, line: { id }, io }: { flags: Flags; line: TaskLine; io: Io },
): number {
  if (!flags.quiet) io.err(`hamr: task ${id} was done before: ${result.stop_reason}\n`);
  const text = flags.output === "text" ? result.final_output : json_line(result).trimEnd();
  if (text !== "") io.out(`${text}\n`);
  const tolerated = result.status === "partial" && !flags.exit_code_on_partial;
  return tolerated ? 0 : result.exit_code;
}

interface Lock {
  readonly file: Deno.FsFile;
  /** Null where the system, or the file system, knows no locks: then two at once both do the task, and the last result stays. */
  readonly fd: number | null;
}

/** Keeps others away from the task, until `unlock` or the end of this process; null where another has it. */
function locked(path: string): Lock | null {
  const file = or_throw(
    () => open_at(path, { read: true, write: true }),
    (error) => new UsageError(`${path} can't be written: ${why(error)}`),
  );
  const libc = linux_libc();
  const { lock, fd } = libc === null ? { lock: "unknown", fd: -1 } : take_lock(path, libc);
  if (lock !== "theirs") return { file, fd: lock === "ours" ? fd : null };
  file.close();
  return null;
}

/** Removes what a try left behind that was cut off: nobody else has the lock. */
function clear_away(lock: Deno.FsFile, { tries, id }: { tries: string; id: string }): void {
  const bytes = new Uint8Array(4096);
  const length = lock.readSync(bytes) ?? 0;
  remove_tree(new TextDecoder().decode(bytes.subarray(0, length)));
  for (const { name } of Deno.readDirSync(tries)) {
    if (name.startsWith(`${id}~`)) Deno.removeSync(`${tries}/${name}`, { recursive: true });
  }
}

async function try_it(
  line: TaskLine,
  { out, tries, lock, io }: { out: string; tries: string; lock: Lock; io: Io },
): Promise<number> {
  const tree = new_tree(name_of_source(line));
  if (lock.fd !== null) {
    lock.file.truncateSync(0);
    lock.file.seekSync(0, Deno.SeekMode.Start);
    lock.file.writeSync(new TextEncoder().encode(tree.root));
  }
  const made = `${tries}/${line.id}~${crypto.randomUUID()}`;
  try {
    const workspace = await fill_tree(tree, line);
    const code = await run_there(line, { tree: workspace, made, root: tree.root, io });
    if (is_file(`${made}/result.json`)) put(made, { place: `${out}/${line.id}`, tries, line });
    return code;
  } finally {
    remove_tree(tree.root);
    // It may be in its place, or never have been made.
    attempt(() => Deno.removeSync(made, { recursive: true }));
  }
}

/** Runs the task by another process: this one keeps its rights, and puts the results into their place. */
async function run_there(
  line: TaskLine,
  { tree, made, root, io }: { tree: string; made: string; root: string; io: Io },
): Promise<number> {
  const { task, verify, flags } = line;
  const first = Deno.build.standalone ? [] : ["run", "-A", "--quiet", Deno.mainModule];
  const [program = "", ...before] = [...await ended_with_us(line), Deno.execPath()];
  const child = new Deno.Command(program, {
    args: [
      ...before,
      ...first,
      ...handed_on(Deno.args),
      ...flags,
      ...(verify === undefined ? [] : [`--verify=${verify}`]),
      ...["--no-save", "--steer", "-C", tree, "--artifacts", made, "--", task],
    ],
    // A database a task: one that many machines write to at once, on a network's file system, would break.
    clearEnv: true,
    env: {
      ...own_environment(work_places(line), io.environ()),
      ...(io.env("HAMR_HOME") === undefined ? { XDG_DATA_HOME: `${root}/data` } : {}),
    },
    stdin: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  let asked = false;
  const stop = () => {
    // As a message, and not as a signal: whoever ends a whole group of processes has sent that to both.
    if (!asked) void input.write(INTERRUPT).catch(() => {});
    else child.kill("SIGKILL");
    asked = true;
  };
  const names = ending_signals();
  for (const name of names) Deno.addSignalListener(name, stop);
  try {
    const { code, signal } = await child.status;
    return signal === null ? code : exit_code("internal_error");
  } finally {
    for (const name of names) Deno.removeSignalListener(name, stop);
    await input.close().catch(() => {});
  }
}

/** What has the kernel end the run where this process is killed, if the machine has it: else it would go on, for nobody. */
async function ended_with_us(line: TaskLine): Promise<readonly string[]> {
  const setpriv = program_beyond(work_places(line), "setpriv");
  if (setpriv === null) return [];
  const args = ["--pdeathsig", "TERM", "--"];
  try {
    const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
    const { success } = await new Deno.Command(setpriv, {
      args: [...args, "/bin/sh", "-c", ":"],
      ...quiet,
      clearEnv: true,
      env: environment_beyond(work_places(line)),
    }).output();
    return success ? [setpriv, ...args] : [];
  } catch {
    return [];
  }
}

const INTERRUPT = new TextEncoder().encode('{"type":"interrupt"}\n');

function handed_on(args: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const token = args[at] ?? "";
    if (NOT_HANDED_ON.includes(token)) at++;
    else if (
      !NOT_HANDED_ON.some((name) => token.startsWith(name.length === 2 ? name : `${name}=`))
    ) {
      kept.push(token);
    }
  }
  return kept;
}

/** In one step; an older result that says nothing of the task makes way. */
function put(
  made: string,
  { place, tries, line }: { place: string; tries: string; line: TaskLine },
): void {
  const { id, task } = line;
  Deno.writeTextFileSync(`${made}/task.json`, json_line({ ...line, id, task }));
  const old = `${tries}/${id}~${crypto.randomUUID()}`;
  // There may be none.
  attempt(() => Deno.renameSync(place, old));
  Deno.renameSync(made, place);
  // There may be none.
  attempt(() => Deno.removeSync(old, { recursive: true }));
}
