/** Reads a file of tasks, one JSON object a line. Each process of an array does one of them. */
import { is_record, json } from "../../config/json.ts";
import { did_you_mean, quote } from "../../config/text.ts";
import { UsageError } from "../../config/error.ts";

export interface TaskLine {
  /** The folder of its results. */
  readonly id: string;
  readonly task: string;
  /** A git repository, cloned for the task; at most one of these two is set. */
  readonly repo?: string;
  readonly dir?: string;
  readonly ref?: string;
  readonly verify?: string;
  readonly flags: readonly string[];
}

const FIELDS = ["task", "repo", "dir", "ref", "verify", "flags", "id"];
/** A name for a folder that is no other: no path, nothing hidden, no flag. */
const ID = /^[A-Za-z0-9][\w.-]{0,99}$/;
/** They say where a task is done, which is settled already. */
const OURS =
  /^(?:-C|--directory|--artifacts|--task-file|--index|--steer|--continue|--resume|--fork)/;

/** Reads one task of the file, from 0. Blank lines do not count. Throws `UsageError`, with the line. */
export function task_line(
  text: string,
  { file, index }: { file: string; index: number },
): TaskLine {
  // A byte order mark is trimmed, too.
  const lines = text.split("\n").map((line, at) => ({ line: line.trim(), nr: at + 1 }))
    .filter(({ line }) => line !== "");
  const chosen = lines[index];
  if (chosen === undefined) {
    const most = lines.length === 0 ? "no tasks" : `tasks 0 to ${lines.length - 1}`;
    throw new UsageError(`--index ${index}: ${file} has ${most}`);
  }
  const wrong = (words: string) => new UsageError(`${file}:${chosen.nr}: ${words}`);
  const task = read_line(chosen.line, { index, wrong });
  // What is wrong with other lines is for others to say.
  const twin = lines.findIndex(({ line }, at) => {
    const other = json(line);
    return at !== index && is_record(other) && (other["id"] ?? String(at)) === task.id;
  });
  if (twin >= 0) throw wrong(`line ${lines[twin]?.nr} has the id ${quote(task.id)}, too`);
  return task;
}

type Wrong = (words: string) => UsageError;

function read_line(line: string, { index, wrong }: { index: number; wrong: Wrong }): TaskLine {
  const fields = json(line);
  if (!is_record(fields)) throw wrong('not a JSON object such as {"task":"...","repo":"."}');
  for (const name of Object.keys(fields)) {
    if (FIELDS.includes(name)) continue;
    throw wrong(
      `unknown field ${quote(name)}${did_you_mean(name, FIELDS, `; known: ${FIELDS.join(", ")}`)}`,
    );
  }
  const { task = "", id = String(index), flags = [], ...rest } = fields;
  for (const [name, value] of Object.entries({ task, id, ...rest })) {
    if (typeof value === "string" && value.trim() !== "" && !value.includes("\0")) continue;
    throw wrong(name === "task" && value === "" ? "there is no task" : `${name} must be a text`);
  }
  if (!ID.test(`${id}`)) {
    throw wrong(
      `the id ${quote(`${id}`)} becomes a folder's name: use letters, digits, and . _ - inside`,
    );
  }
  if (!Array.isArray(flags) || flags.some((one) => typeof one !== "string")) {
    throw wrong('flags must be a list of strings, such as ["--max-steps", "20"]');
  }
  const ours = flags.find((flag: string) => OURS.test(flag));
  if (ours !== undefined) throw wrong(`flags can't have ${ours}: each task has its own folder`);
  if (rest["dir"] !== undefined && (rest["repo"] ?? rest["ref"]) !== undefined) {
    throw wrong("dir is a plain folder: leave out repo and ref");
  }
  return { ...rest, task: `${task}`, id: `${id}`, flags };
}

/** Where engines say which task of an array a process is for, and from what number they count. */
const INDEXES: Readonly<Record<string, 0 | 1>> = {
  SLURM_ARRAY_TASK_ID: 0,
  JOB_COMPLETION_INDEX: 0,
  AWS_BATCH_JOB_ARRAY_INDEX: 0,
  BATCH_TASK_INDEX: 0,
  CLOUD_RUN_TASK_INDEX: 0,
  PBS_ARRAY_INDEX: 0,
  PARALLEL_SEQ: 1,
  CI_NODE_INDEX: 1,
  LSB_JOBINDEX: 1,
  SGE_TASK_ID: 1,
};

/** The index that an engine gives this process, from 0. Throws `UsageError` where none does, or two do. */
export function index_of_engine(env: (name: string) => string | undefined): number {
  const found = Object.entries(INDEXES).flatMap(([name, first]) => {
    const text = env(name) ?? "";
    return /^\d+$/.test(text) && Number(text) >= first ? [{ name, at: Number(text) - first }] : [];
  });
  const [one, other] = found;
  if (one === undefined) {
    throw new UsageError(
      `--task-file needs --index N, from 0; none of ${Object.keys(INDEXES).join(", ")} gives one`,
    );
  }
  if (other === undefined) return one.at;
  throw new UsageError(`${one.name} and ${other.name} are both set: say which with --index N`);
}
