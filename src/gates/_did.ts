/** What was done before an answer, as rows of a ledger and calls of a turn. */
import type { Action } from "../guards/rule.ts";
import type { Looked } from "../changes/uncounted_paths.ts";
import type { CommandRow, LedgerRow } from "../tools/ledger.ts";

/** One call: what it leaves in the ledger and among the actions. `id` is its own. */
export type Did = (id: string) => { readonly rows: readonly LedgerRow[]; readonly action: Action };

/** An answer, what was done before it, and how the run has to end. */
export interface Answered {
  readonly did: readonly Did[];
  readonly says: string;
  /** What was asked for. */
  readonly task?: string;
  /** Whether something that the run began is running still. */
  readonly background?: boolean | null;
  /** Files that only the answer names, and that are not there. */
  readonly nowhere?: readonly string[];
  /** Whether who gave the task is there. */
  readonly talks?: boolean;
  /** Whether the answer has to be JSON. */
  readonly formed?: boolean;
  /** Measured figures that only the answer gives. */
  readonly unshown?: readonly string[];
  readonly left_over?: string;
  /** Extra requests; 0 where not said. */
  readonly asks?: 0 | 1;
  readonly ends?: "done" | "not_done" | "contract_unsatisfied";
  /** What follows a question; the same answer where not said. */
  readonly then?: { readonly did: readonly Did[]; readonly says: string };
}

type Left = Extract<LedgerRow, { kind: "file" | "ref" | "path" }>;

function action(name: string, args: unknown, more: Partial<Action> = {}): Action {
  const given = { name, args: JSON.stringify(args), step: 1, ran: true, valid: true, ok: true };
  return { ...given, result: "", ms: 1, changes: 0, ...more };
}

/** A file that `read` showed. */
export function read(path: string): Did {
  return () => ({ rows: [], action: action("read", { path }) });
}

/** A search through a pipe that printed what it found, or nothing. */
export function piped(command: string, is_found: boolean): Did {
  const found = is_found ? { found: true } as const : {};
  return (id) => {
    const { rows, action } = blank(command)(id);
    return { rows, action: { ...action, ...found } };
  };
}

/** A search of `read` that found what it looked for, or did not. */
export function searched(search: string, is_found: boolean): Did {
  const found = is_found ? { found: true } as const : {};
  return () => ({ rows: [], action: action("read", { path: ".", search }, found) });
}

let contents = 0;

function changed(
  call: string,
  path: string,
  [before, after]: readonly [string | null, string | null] = ["old", `new ${contents++}`],
): Left {
  return { kind: "file", step: 1, call, path, before, after };
}

/** An edit that worked. */
export function edit(path: string): Did {
  return (id) => ({
    rows: [changed(id, path), { kind: "attempt", step: 1, call: id, tool: "edit", ok: true, path }],
    action: action("edit", { path }),
  });
}

/** An edit, and the texts it was given. */
export function rewrote(path: string, old: string, after: string): Did {
  return (id) => ({
    rows: edit(path)(id).rows,
    action: action("edit", { path, old, new: after }),
  });
}

/** A file is back as it was before. */
export function gone(path: string): Did {
  return ran(`git checkout ${path}`, 0, (id) => changed(id, path, ["new", "old"]));
}

/** An edit that did not work. */
export function failed(tool: string, path = "a.py"): Did {
  return (id) => ({
    rows: [{ kind: "attempt", step: 1, call: id, tool, ok: false, path }],
    action: action(tool, { path }, { ok: false }),
  });
}

/** A change of what is not there. */
export function astray(tool: string): Did {
  return (id) => ({
    rows: [{ kind: "attempt", step: 1, call: id, tool, ok: false }],
    action: action(tool, {}, { ok: false }),
  });
}

/** A call of an MCP server's tool that may have changed something. */
export function served(tool: string, ok = true): Did {
  return (id) => ({
    rows: [{ kind: "served", step: 1, call: id, tool, ok }],
    action: action(tool, {}, { ok }),
  });
}

/** A call that the policy refused. */
export function refused(tool: string, args: unknown = {}): Did {
  return (id) => ({
    rows: tool === "bash" ? [] : [{ kind: "attempt", step: 1, call: id, tool, ok: false }],
    action: action(tool, args, { ok: false, ran: false, refused: true }),
  });
}

/** A call that did not fit the tool, and was not run. */
export function invalid(tool: string, args: unknown): Did {
  return () => ({ rows: [], action: action(tool, args, { ok: false, ran: false, valid: false }) });
}

/** A call of a dry run. */
export function planned(tool: string): Did {
  return (id) => ({
    rows: [{ kind: "planned", step: 1, call: id, tool }],
    action: action(tool, {}),
  });
}

/** A command with its exit code and what it left. */
export function ran(
  command: string,
  exit_code: number | null = 0,
  ...left: readonly ((id: string) => Left)[]
): Did {
  return (id) => ({
    rows: [
      ...left.map((one) => one(id)),
      { kind: "command", step: 1, call: id, command, exit_code },
    ],
    action: action("bash", { command }, { ok: exit_code === 0 }),
  });
}

/** A command that ended well and changed nothing, as was seen. */
export function blank(command: string, looked: Looked = "everywhere"): Did {
  return known(ran(command), { looked });
}

/** A command after which was looked at everything. */
export function seen(
  command: string,
  exit_code: number,
  ...left: readonly ((id: string) => Left)[]
): Did {
  return known(ran(command, exit_code, ...left), { looked: "everywhere" });
}

/** A line that ended in 0 though a part of it failed, after which was looked at everything. */
export function partly(
  command: string,
  failed: string,
  ...left: Parameters<typeof seen>[2][]
): Did {
  return known(seen(command, 0, ...left), { failed: [failed] });
}

/** A line that ended in 0 though a program in it is not there. */
export function lacked(command: string, failed: string): Did {
  return known(partly(command, failed), { not_found: true });
}

/** A row of `&&` that ended where a part of it failed, after which was looked at everything. */
export function stopped_at(
  command: string,
  failed: string,
  ...left: Parameters<typeof seen>[2][]
): Did {
  return known(seen(command, 1, ...left), { failed: [failed] });
}

/** The same, of which a part was passed over for that. */
export function passed_over(command: string, failed: string, skipped: string): Did {
  return known(partly(command, failed), { skipped: [skipped] });
}

/** A command that failed, and what it said at its end. */
export function failed_saying(command: string, exit_code: number, said: string): Did {
  return known(ran(command, exit_code), { said });
}

/** A command that ended in 0, and whose output ends with the word of a test that failed. */
export function red(command: string): Did {
  return known(ran(command), { tells_failure: true });
}

/** A command that ended in 0, and whose test runner found no test. */
export function untested(command: string): Did {
  return known(ran(command), { ran_no_test: true });
}

/** A command of which more is known. */
function known(did: Did, facts: Partial<CommandRow>): Did {
  return (id) => {
    const { rows, action } = did(id);
    return { rows: rows.map((row) => row.kind === "command" ? { ...row, ...facts } : row), action };
  };
}

/** A file that a command changed. */
export function files(path: string, contents?: readonly [string | null, string | null]) {
  return (id: string): Left => changed(id, path, contents);
}

/** A ref that a command changed; `more`: how, where it did not come by it. */
export function ref(name: string, more: Partial<Extract<LedgerRow, { kind: "ref" }>> = {}) {
  return (call: string): Left => ({
    kind: "ref",
    step: 1,
    call,
    ref: name,
    before: null,
    after: "01",
    ...more,
  });
}

/** A path that is ignored, or outside. */
export function outside(path: string) {
  return (call: string): Left => ({ kind: "path", step: 1, call, path, became: "added" });
}

/** A command that was begun in the background. */
export function begun(command: string): Did {
  return () => ({ rows: [], action: action("bash", { command, background: true }) });
}

/** What a tool of the run itself left. */
export function noted(what: "memory" | "todo" | "subagent"): Did {
  return (id) => ({
    rows: [{ kind: "noted", step: 1, call: id, what, ok: true }],
    action: action(what, {}),
  });
}
