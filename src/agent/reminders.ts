/** Reminds the model of what it may have lost sight of. Stands at the very end of one request and is not kept, so it costs context once (seed 004). */
import { cut, one_line, some_of } from "../config/text.ts";
import type { State } from "./state.ts";

/** What reminders may look at. They change nothing. */
export type ReminderView =
  & Pick<State, "steps">
  & Pick<State["turn"], "asked">
  & Pick<State["workspace"], "outdated">
  & Pick<State["notes"], "todos" | "todos_step">;

/** A pure function, asked before each request. Its memory is plain JSON, and is kept for the whole run under its name. */
export interface Reminder<M = unknown> {
  readonly name: string;
  readonly start: M;
  /** `text` is for the model; null: nothing to say. */
  check(sight: ReminderView, memory: M): { readonly text: string | null; readonly memory: M };
}

const NAMED_FILES = 10;
/** Steps without a touch after which open todos are named again (seed 004). */
export const QUIET_STEPS = 8;
/** Todos named, and how much of each: enough to recognize them. */
const NAMED_TODOS = 5;
const TODO_CHARS = 60;

/** Files that changed on disk after the model had read them, each change once. The memory is the last change reported. */
export const files_changed = reminder<number>({
  name: "changed_files",
  start: 0,
  check({ outdated }, told) {
    const news = outdated.filter(({ change }) => change > told);
    if (news.length === 0) return { text: null, memory: told };
    const names = news.map(({ path, gone }) => one_line(path) + (gone ? " (deleted)" : ""));
    const text = `Reminder: changed on disk since you read it: ${some_of(names, NAMED_FILES)}.` +
      (news.every(({ gone }) => gone)
        ? ""
        : " Your copy is out of date: read it again before you edit it.");
    return { text, memory: Math.max(...news.map(({ change }) => change)) };
  },
});

/** Open todos that nobody has touched for a while. The memory is the step in which they were last named. */
export const stale_todos = reminder<number>({
  name: "stale_todos",
  start: 0,
  check({ steps, todos, todos_step }, told) {
    const open = todos.filter(({ status }) => status !== "completed");
    if (open.length === 0 || steps - Math.max(told, todos_step) < QUIET_STEPS) {
      return { text: null, memory: told };
    }
    const names = open.map(({ text, status }) =>
      `"${cut(one_line(text), TODO_CHARS)}" (${status})`
    );
    const text = `Reminder: your todo list was last updated ${steps - todos_step} steps ago. ` +
      `Still open: ${some_of(names, NAMED_TODOS)}. Continue with them, or update the list.`;
    return { text, memory: steps };
  },
});

export const REMINDERS: readonly Reminder[] = [files_changed, stale_todos];

/** Hides a reminder's type of memory, so that reminders fit into one list. */
export function reminder<M>(spec: Reminder<M>): Reminder {
  return { ...spec, check: (sight, memory) => spec.check(sight, memory as M) };
}
