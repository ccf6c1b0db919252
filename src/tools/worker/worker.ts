/**
 * The tools worker: the only thread that touches the machine. It takes the policy, lets the kernel enforce it
 * on itself, gives up what it no longer needs, and then runs calls in the order in which they come.
 */
import { is_unwritable } from "../../sandbox/policy.ts";
import { NO_RESULTS, type OutputLimits, type ResultLimits } from "../limits.ts";
import { hints } from "../../permission/hints.ts";
import { end_descendants } from "../../sandbox/processes/processes.ts";
import { ending } from "../work/ending.ts";
import { execute } from "../work/program.ts";
import { Files } from "../work/files.ts";
import { IgnoreRules } from "../work/ignore_rules.ts";
import type { HookRunner } from "../hooks/hooks.ts";
import { enforce, type InForce } from "./enforce.ts";
import { in_order } from "./in_order.ts";
import { command_of, in_their_order, only_reads, type Seen } from "./of_call.ts";
import { Recording } from "./recording.ts";
import type { Pipes } from "../mcp/pipes.ts";
import { type Machine, printed } from "../work/machine.ts";
import type { Aside, CheckedCall, FromWorker, ToWorker, Verified } from "../protocol.ts";
import { Guarded } from "../../persistence_guard/guarded.ts";
import { Named } from "../../persistence_guard/named.ts";
import { guarded_place } from "../../persistence_guard/places.ts";
import { FolderScan } from "../../persistence_guard/folder_scan.ts";
import type { Undoing } from "../../changes/undo_protocol.ts";
import { ReadCache } from "../work/read_cache.ts";
import { clear_orphans, is_busy, may_be_alive, remove_folders } from "./leavings.ts";
import { written_by } from "../work/written_by.ts";
import { FolderWords } from "../work/folder_words.ts";
import { RUNNERS } from "../work/runners.ts";
import { Shell } from "../work/shell.ts";
import { ToolFailure } from "../failure.ts";
import { failed, is_shell, not_run } from "../work/runner.ts";
import type { Done, ToolResult } from "../tool.ts";
import { Changes } from "../../changes/changes.ts";
import { changed_files, turn_diff } from "../../changes/turn_diff.ts";
import { diff, shows } from "./diffs.ts";

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};

/** Null before the policy, and where it was refused. */
let in_force: InForce | null = null;
let machine: (Machine & { begin_run(): Promise<void> }) | null = null;
/** Whether the process has other children, and what hooks are told that the run is for. */
const own = { embedded: false, task_id: "" };
/** From the message before the first call on. */
let limits: ResultLimits = NO_RESULTS;
const OF_COMMANDS: OutputLimits = {
  get lines() {
    return limits.lines;
  },
  get bytes() {
    return limits.bash_bytes;
  },
};
/** Keeps what runs later outside the sandbox, and names what else does. */
let guarded: Guarded | null = null;
let named: Named | null = null;
/** Null if none are set, or all are switched off. */
let hooks: HookRunner | null = null;
/** Puts files back; null in a run. */
let undo: Undoing | null = null;
const folder_words = new FolderWords();
/** MCP servers; null if none are asked for. */
let pipes: Pipes | null = null;
/** Of the message being handled. */
let under_way = new AbortController();
/** Of every message that has come and is not done. */
const open_ends = new Map<AbortController, number | null>();
const recording = new Recording((message, transfer) => port.postMessage(message, transfer));
/** When the run was last found to be well, if nothing of it was alive then, and no program was started since. */
let rested: number | null = null;
/** Looking for orphans that have ended takes half a millisecond; a few of them do no harm in the meantime. */
const CLEAR_EVERY = 16;
let commands = 0;
/** A program was started that may have left something behind to run later; the tools that write files can't. */
let has_started = false;
/** The call under way. */
let call_id = "";
/** What the verify command's changes belong to. */
const VERIFY = "verify";
/** Everything asked is done one after the other; only `cancel` and `end` overtake. */
let queue: Promise<void> = Promise.resolve();

port.onmessage = ({ data }) => {
  if (data.kind === "cancel") {
    for (const [end, id] of open_ends) {
      if (data.ids === undefined || (id !== null && data.ids.includes(id))) end.abort();
    }
    return;
  }
  if (data.kind === "editor") return machine?.editor?.take(data);
  if (data.kind === "recorded") return recording.answered(data.answer);
  if (data.kind === "end") return void end_all(data.id);
  if (data.kind === "mcp") return pipes?.take(data.order);
  const end = new AbortController();
  open_ends.set(end, "id" in data ? data.id : null);
  queue = queue.then(async () => {
    under_way = end;
    await handle(data);
    open_ends.delete(end);
  });
};

async function handle(
  message: Exclude<ToWorker, { kind: "cancel" | "end" | "recorded" | "mcp" | "editor" }>,
): Promise<void> {
  if (message.kind === "policy") {
    in_force = await enforce(message, (answer) => port.postMessage(answer));
    return;
  }
  if (message.kind === "watch") {
    return in_force === null ? undefined : await open(message, in_force);
  }
  if (message.kind === "limits") return void (limits = message.limits);
  if (machine === null) throw new Error("the tools worker was asked before it had a policy");
  const { policy } = machine;
  switch (message.kind) {
    case "beside":
      return void (guarded?.heed(message.live) && tell_guarded(guarded));
    case "run":
      own.task_id = message.task_id;
      if (rested !== null) guarded?.renew(rested);
      rested = null;
      await machine.begin_run();
      return void (guarded !== null && tell_guarded(guarded));
    case "calls":
      return await calls(message.id, message.calls, machine);
    case "screen":
      return await screen(message.id, message.call, machine);
    case "verify":
      return port.postMessage({
        kind: "verified",
        id: message.id,
        result: await verify(message, machine),
        outdated: machine.files.outdated(),
        notes: notes(),
      });
    case "changes": {
      const is_idle = pipes === null && !may_be_alive(machine.shell, own);
      await look_over();
      const files = await changed_files(machine.changes);
      const gaps = machine.changes.gaps();
      const said = notes();
      port.postMessage({ kind: "changes", id: message.id, files, ...gaps, notes: said });
      return is_idle && said.violation === null ? rest() : undefined;
    }
    case "step_end": {
      const diff = await turn_diff(message.step, machine.changes, shows(machine));
      if (diff !== null) port.postMessage({ kind: "turn_diff", diff });
      return;
    }
    case "diff":
      return port.postMessage({
        kind: "diff",
        id: message.id,
        text: await diff(message.files, message.chars, machine),
      });
    case "busy":
      return port.postMessage({ kind: "busy", id: message.id, busy: is_busy(machine.shell, own) });
    case "undo":
      if (undo === null) throw new Error("this tools worker puts nothing back");
      return port.postMessage({
        kind: "undo",
        id: message.id,
        answer: await undo[message.request.kind](message.request.given as never),
      });
    case "exec": {
      const { of: result } = await around("", machine, () => execute(message.argv, policy));
      return port.postMessage({ kind: "executed", id: message.id, result });
    }
    case "close":
      await pipes?.close();
      return await end_all(message.id);
  }
}

async function open(
  message: Extract<ToWorker, { kind: "watch" }>,
  { policy, raw, loaded, loaded_undo, loaded_mcp, record: is_recorded, ...purpose }: InForce,
): Promise<void> {
  const restored: string[] = [];
  for (const saved of message.stale) restored.push(...await Guarded.restore(policy, saved));
  const ignore = new IgnoreRules(policy.workspace);
  const sights = new FolderScan((path) => ignore.covers(path));
  const ignoring = (folder: string) =>
    folder === policy.workspace ? ignore : new IgnoreRules(folder);
  const write_down = is_recorded ? recording.write_down : null;
  const fresh = () => new Changes({ policy, raw, ignoring, listener: sights, write_down });
  let changes = fresh();
  Object.assign(own, { embedded: purpose.embedded ?? false, task_id: purpose.task_id ?? "" });
  guarded = Guarded.start(policy, { sights, raw });
  named = new Named(policy, { raw, sights, saved: guarded.saved });
  machine = {
    policy,
    get limits() {
      return limits;
    },
    bash_timeout_s: purpose.bash_timeout_s,
    ignore,
    files: new Files(policy),
    folders: raw,
    read_cache: new ReadCache(),
    get changes() {
      return changes;
    },
    async begin_run() {
      await changes.finish();
      changes[Symbol.dispose]();
      changes = fresh();
    },
    shell: new Shell(policy, OF_COMMANDS, message.mark),
    editor: purpose.editor,
    get task_id() {
      return own.task_id;
    },
    get call() {
      return call_id;
    },
    get signal() {
      return under_way.signal;
    },
    tell: (news) => port.postMessage({ kind: "live", news }),
  };
  const is_guarded = (full: string) => guarded_place(full, policy) !== null;
  undo = loaded_undo?.undoing({ policy, raw, ignoring: ignore, is_guarded }) ?? null;
  if (loaded !== null && purpose.hooks !== null) {
    hooks = new loaded.HookRunner(purpose.hooks, machine);
  }
  if (loaded_mcp !== null) {
    has_started = true;
    pipes = new loaded_mcp.Pipes(machine, (news) => port.postMessage({ kind: "mcp", news }));
  }
  tell_guarded(guarded, [...restored, ...hooks?.warnings() ?? []]);
}

/** Does what may change anything, and looks around before and after. Gives the facts, too. */
async function around<T>(
  call: string,
  on: Machine,
  work: () => Promise<T>,
  command = "",
): Promise<{ readonly of: T } & Seen> {
  const { changes } = on;
  has_started = true;
  wake();
  await changes.begin(call, command);
  see();
  const of = await work();
  const facts = await changes.end(call);
  see();
  if (++commands % CLEAR_EVERY === 0 && !own.embedded) clear_orphans(on.shell);
  return { of, facts, ...(command === "" ? {} : { looked: changes.looked() }) };
}

/** Puts back what was planted; says so, a line each. */
async function look_over(): Promise<readonly string[]> {
  return has_started ? await guarded?.check() ?? [] : [];
}

/** What has come into sight is watched from now on. */
function see(): void {
  named?.see();
  if (guarded?.watch()) tell_guarded(guarded);
}

/** Nothing of the run's is alive: what changes from now on, until its next command, is the person's. */
function rest(): void {
  rested = Date.now();
  port.postMessage({ kind: "guarded", saved: null, notes: notes() });
}

function wake(): void {
  if (rested !== null && guarded !== null) tell_guarded(guarded);
  rested = null;
}

function tell_guarded({ saved }: Guarded, more?: readonly string[]): void {
  port.postMessage({ kind: "guarded", saved, notes: notes(more) });
}

async function calls(id: number, asked: readonly CheckedCall[], on: Machine): Promise<void> {
  const at_once = hooks === null &&
    asked.every((call) => is_unwritable(on.policy) || only_reads(call));
  const results = await in_order(asked, at_once, (call) => run_one(call, on));
  const outdated = on.files.outdated();
  port.postMessage({ kind: "results", id, results, outdated, notes: notes() });
}

async function run_one(call: CheckedCall, on: Machine): Promise<ToolResult> {
  const start = performance.now();
  call_id = call.id;
  const hooked = hooks?.has_any_after(call) ?? false;
  const work = async () => {
    const tried = await attempt(call, on);
    const done = hooked ? await hooks?.after(call, tried) ?? tried : tried;
    const only_read = is_unwritable(on.policy) || (!hooked && only_reads(call));
    const put_back = only_read ? [] : await look_over();
    return { ...done, text: [done.text, ...put_back.map((line) => `[${line}]`)].join("\n") };
  };
  const { of: done, ...seen } =
    hooked || (!is_unwritable(on.policy) && (is_shell(call) || call.mcp !== undefined))
      ? await around(call.id, on, work, command_of(call))
      : { of: await work(), facts: [] };
  const all = in_their_order(done, seen);
  return {
    ...done,
    ...(all.length === 0 ? {} : { facts: all }),
    ms: Math.round(performance.now() - start),
  };
}

/** What is known of a place has to be known before a tool writes there. */
function prepare({ tool, args }: CheckedCall, on: Machine): void {
  for (const given of written_by(tool, args)) {
    const path = on.files.inside(on.files.locate(given));
    if (path === null) continue;
    const slash = path.lastIndexOf("/") + 1;
    const name = path.slice(slash);
    if (name === ".gitignore") on.ignore.enter(path.slice(0, slash), [name]);
    named?.expect(path);
  }
}

async function screen(id: number, call: CheckedCall, on: Machine): Promise<void> {
  const { of, facts } = await around(call.id, on, async () => {
    const said = await hooks?.screen(call) ?? { screening: { kind: "go_on" } as const, runs: [] };
    await look_over();
    return said;
  });
  port.postMessage({ kind: "screened", id, screened: { ...of, facts }, notes: notes() });
}

/** What is sent along with an answer: what there is to say of what was put back, once, and what is to be written down. */
function notes(more: readonly string[] = []): Aside {
  const { warnings = [], violation = null } = guarded?.take() ?? {};
  return { warnings: [...more, ...warnings], violation, rows: machine?.changes.rows() ?? [] };
}

async function attempt(call: CheckedCall, on: Machine): Promise<Done> {
  if (on.signal.aborted) return not_run();
  try {
    if (call.mcp !== undefined && pipes !== null) return await pipes.call(call);
    prepare(call, on);
    const run = RUNNERS.get(call.tool);
    if (run === undefined) throw new ToolFailure(`there is no tool ${call.tool}`);
    const done = await run(call.args, on);
    return done.ok ? { ...done, text: done.text + folder_words.after(call, on) } : done;
  } catch (error) {
    return failed(error);
  }
}

async function verify(
  { command, timeout_s, stdin }: Extract<ToWorker, { kind: "verify" }>,
  on: Machine,
): Promise<Verified> {
  const start = performance.now();
  // What it changed is not a deed of the model: it is shown, but not among the facts.
  const { of: result } = await around(
    VERIFY,
    on,
    () =>
      on.shell.run(command, { timeout_s, stdin, signal: on.signal, printed: printed(VERIFY, on) }),
  );
  const exit_code = result.ended_by === "itself" ? result.exit_code : null;
  const refusals = [
    ...(exit_code === 0 ? [] : hints({ command, ...result }, on.policy)),
    ...await look_over(),
  ];
  return {
    exit_code,
    ending: ending(result, timeout_s),
    output: [result.output, ...refusals.map((hint) => `[${hint}]`)]
      .filter((part) => part !== "").join("\n"),
    ms: Math.round(performance.now() - start),
  };
}

/** Ends what the run has started, and deletes its temporary files. */
async function end_all(id: number): Promise<void> {
  end_descendants({
    sweep_key: in_force?.sweep_key ?? null,
    ...(own.embedded ? { sessions: machine?.shell.sessions ?? new Set() } : {}),
  });
  // Nobody is left to change anything after this look.
  await look_over();
  const said = notes();
  const changed = named?.lines() ?? [];
  await machine?.changes.finish();
  machine?.changes[Symbol.dispose]();
  if (machine !== null) remove_folders(machine.policy);
  const warnings = [...said.warnings, ...changed];
  port.postMessage({ kind: "closed", id, notes: { ...said, warnings } });
}
