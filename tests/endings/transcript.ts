/** What a model said and did in one run, how that run has to end, and the player that holds the program to it. */
import assert from "node:assert/strict";
import { pause } from "../support/hamr.ts";
import { call, type Recorded, type Reply } from "../support/model_server.ts";
import { stage, type StageOptions } from "../support/stage.ts";

/** How a run ends: its exit code and its stop reason (section 4 of the contract); `a|b`: either, where section 9 leaves it open. */
export type Ends = readonly [code: number, reason: string];

export const SUCCESS: Ends = [0, "llm_done"];
export const NOT_DONE: Ends = [2, "not_done"];
export const UNSATISFIED: Ends = [2, "contract_unsatisfied"];
/** Nothing was done, and what is said is hardly a claim: section 9 gives the code. */
export const HELPLESS: Ends = [2, "contract_unsatisfied|not_done"];
export const UNVERIFIED: Ends = [2, "verification_failed"];
/** Each guard has its own reason; what repeats exits with 1. */
export const LOOP: Ends = [1, "loop_detected|tool_error"];
export const EMPTY: Ends = [1, "empty_response"];

/** One run, from its task to its end. */
export interface Transcript {
  /** Unique in the corpus. */
  readonly name: string;
  /** In which the model talks. */
  readonly language: "en" | "de" | "fr" | "es" | "zh" | "pt" | "it" | "ja" | "ru" | "pl";
  readonly task: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: StageOptions["files"];
  /** The workspace is a git repository, and `files` are its first commit. */
  readonly git?: true;
  /** Shell commands that go on from there, before the run. */
  readonly setup?: string;
  /** A program that its commands call and that not every machine has; without it there is nothing to play. */
  readonly needs?: "python3" | "node" | "make";
  /** What the model says and does, a reply a request; the last is its answer. */
  readonly replies: readonly Reply[];
  /** What it says and does where it is asked after its answer; the last of these is then its answer for good. Default: the same answer. */
  readonly if_asked?: readonly Reply[];
  readonly ends: Ends;
  /** Requests beyond `replies` that the run may cost. Default: 0 for an honest one, 1 for any other. */
  readonly extra?: number;
  /** What the user says while reply `at` is on its way. */
  readonly steers?: Readonly<Record<number, string>>;
  /** A shell command of another program, in the workspace, while reply `at` is on its way. */
  readonly meanwhile?: Readonly<Record<number, string>>;
  /** The paths of `files_changed`, sorted; where it is left out, any. */
  readonly changed?: readonly string[];
  /** A shell command, run in the workspace afterwards, that passes: what the answer claims is true. `$OUTSIDE` is the folder beside it. */
  readonly holds?: string;
  /** The answer that the result carries. Default: the text of the last reply. */
  readonly output?: string | RegExp;
}

/** The half of the corpus that a transcript belongs to. */
export type Half = "honest" | "dishonest";

/** No transcript has a use for more steps; without a limit, one that never ends would take the 64 of the default. */
const MOST_STEPS = "40";

/** What needs the walls. Other lies in this process do without, which halves their time (hamr then knows less of them), and so does what runs no command. */
const WALLED = ["--sandbox", "--mode", "--read-only"];

/** Long enough for a line on standard input to be read before the reply comes: a process that waits for the network does nothing else. */
const HEARD_MS = 150;

const FIRST_COMMIT =
  'git init -q -b main . && git config user.name Ada && git config user.email ada@example.com && git add -A && git commit -q --allow-empty -m "First commit"';

/** Where a transcript happens. */
interface Folders {
  readonly ws: string;
  readonly outside: string;
}

function sh(command: string, { ws, outside }: Folders): Deno.CommandOutput {
  return new Deno.Command("/bin/sh", {
    args: ["-c", command],
    cwd: ws,
    env: { OUTSIDE: outside, GIT_CONFIG_GLOBAL: "/dev/null" },
  }).outputSync();
}

/** Sets the scene; a command that fails there is a mistake of the transcript. */
function prepare(transcript: Transcript, folders: Folders): void {
  const commands = [transcript.git ? FIRST_COMMIT : "", transcript.setup ?? ""];
  for (const command of commands.filter((text) => text !== "")) {
    const { success, stderr } = sh(`set -e\n${command}`, folders);
    assert.ok(success, `setup failed: ${new TextDecoder().decode(stderr)}`);
  }
}

/** The reply to request `n`: what is written for it, then what is said when asked, the last of that forever. */
function reply_of({ replies, if_asked }: Transcript, n: number): Reply {
  const after = if_asked ?? replies.slice(-1);
  return replies[n] ?? after[Math.min(n - replies.length, after.length - 1)]!;
}

/** Lets the transcript happen to the program, from outside or in this process, and holds its ending to what it must be. */
export function play(
  transcript: Transcript,
  { half, inside }: { half: Half; inside: boolean },
): Promise<void> {
  const { files = {}, env = {}, task, flags = [], steers = {}, meanwhile = {} } = transcript;
  const person = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const voice = person.writable.getWriter();
  let folders: Folders = { ws: "", outside: "" };
  const script = async (_: Recorded, n: number): Promise<Reply> => {
    const done = meanwhile[n];
    if (done !== undefined) assert.ok(sh(done, folders).success, done);
    const said = steers[n];
    if (said !== undefined) {
      await voice.write(new TextEncoder().encode(`${said}\n`));
      await pause(HEARD_MS);
    }
    return reply_of(transcript, n);
  };
  return stage({ script, files, env, inside, one_conversation: false }, async (s) => {
    const place = (text: string) => text.replaceAll("$OUTSIDE", s.outside.path);
    folders = { ws: s.ws.path, outside: s.outside.path };
    prepare(transcript, folders);
    const steer = transcript.steers === undefined ? [] : ["--steer"];
    const commands = /"bash"|command/i.test(
      JSON.stringify([transcript.replies, transcript.if_asked]),
    );
    const bare = inside && !(half === "honest" && commands) &&
      !flags.some((flag) => WALLED.includes(flag));
    const walls = bare ? ["--sandbox", "off"] : [];
    const args = ["--max-steps", MOST_STEPS, ...walls, ...steer, ...flags.map(place)];
    const run = transcript.steers === undefined
      ? await s.run(task, ...args)
      : await s.hamr(["run", "--output", "json", ...args, task], { stdin: person.readable });
    const { result } = run;
    const extra = s.server.requests.length - transcript.replies.length;
    const seen = { ends: [run.code, result.stop_reason], extra: Math.max(extra, 0) };
    const why = `${JSON.stringify(seen)}\n${JSON.stringify(result)}\n${run.stderr}`;
    const [code, reasons] = transcript.ends;
    const right = run.code === code && reasons.split("|").includes(result.stop_reason);
    assert.ok(right, `expected ${code} ${reasons}, seen ${why}`);
    const most = transcript.extra ?? (half === "honest" ? 0 : 1);
    assert.ok(extra <= most, `${extra} requests more, ${most} allowed\n${why}`);
    if (half === "dishonest") return;
    assert.ok(extra >= 0, `ended ${-extra} replies early\n${why}`);
    const changed = result.files_changed.map(({ path }) => path).sort();
    assert.deepEqual(changed, [...(transcript.changed ?? changed)], why);
    check_output(result.final_output, transcript, why);
    if (transcript.holds === undefined) return;
    const { success, stderr } = sh(transcript.holds, folders);
    assert.ok(success, `not so: ${transcript.holds} ${new TextDecoder().decode(stderr)}\n${why}`);
  });
}

/** An honest answer reaches the user whole, whatever was asked in between. */
function check_output(
  output: string,
  { replies, if_asked, output: wanted }: Transcript,
  why: string,
) {
  if (wanted instanceof RegExp) return assert.match(output, wanted, why);
  const answers = wanted === undefined
    ? [replies.at(-1)?.text ?? "", if_asked?.at(-1)?.text ?? ""]
    : [wanted];
  assert.ok(answers.some((text) => output.trim() === text.trim()), `another answer\n${why}`);
}

/** One exact replacement. */
export function edit(path: string, old: string, new_text: string): Reply {
  return call("edit", { path, old, new: new_text });
}

/** One new file. */
export function write(path: string, content: string): Reply {
  return call("write", { path, content });
}

/** One look at a file. */
export function read(path: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return call("read", { path, ...more });
}

/** What these replies call, in one reply, as models do that call several tools at once. */
export function together(text: string, ...replies: readonly Reply[]): Reply {
  return { ...(text === "" ? {} : { text }), calls: replies.flatMap(({ calls }) => calls ?? []) };
}
