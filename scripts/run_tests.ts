/**
 * Runs tests, several processes at once: those of `src` together, some conversations in each, and any other file of `tests/` in one
 * of its own. The arguments are files and folders; default: all but those that take long, or, with `HAMR_THOROUGH`, only those, which
 * then try more cases, and some on the source as it is; with `HAMR_BIN` also what a binary may do otherwise. `--but-GROUP` leaves some
 * out.
 *
 *     deno run -A scripts/run_tests.ts [--but-conversations] [PATH ...]
 *
 * The program that they start is one bundle, made here, with the binary's flags of V8: 2,500 starts take two thirds of the CPU that
 * they take from 300 files of source. With `HAMR_BIN` it is that binary, and what tests run of the program in their own process is of
 * the bundle; with `HAMR_SOURCE` it is the source. The last line adds up what `deno test` says.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed } from "../tests/support/installed.ts";
import { skip } from "../tests/support/skip.ts";
import { bundle } from "./bundle.ts";
import { V8_FLAGS } from "./compile.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).slice(0, -1);
/** With threads for V8's own work a run in the process of a test takes 12 % more CPU, with V8's usual young generation 11 %. And words are looked at as in the binary: bytecode first takes the gates' answers a sixth more. */
const OF_TESTS =
  "--v8-flags=--single-threaded,--no-regexp-tier-up,--min-semi-space-size=16,--max-semi-space-size=16";
/** Deno keeps what V8 has compiled when a module was loaded, and a start of the same bundle takes it from there: with every function in it, a start takes a sixth less CPU. */
const ALL_AT_ONCE = "--no-lazy";
/** Three more at once than there are processors: most tests wait for a process or a limit of time. Each may start three. */
const LANES = Math.min(navigator.hardwareConcurrency + 3, 8);
/** Tests that `.ci/run` does not run twice for nothing; `--but-NAME` leaves them out. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  /** They take long, and some try more cases with `HAMR_THOROUGH`. */
  thorough: [
    ...["tests/zoo", "tests/images_test.ts", "tests/described_images_test.ts"],
    ...["tests/property", "tests/endings", "tests/faults_test.ts", "tests/keys_test.ts"],
    ...["tests/toolchains_test.ts", "tests/sandbox/supervisor_races_test.ts"],
    ...["tests/killed_test.ts", "tests/store_faults_test.ts", "scripts/bench/crash_test.ts"],
    ...[
      "tests/acpx_test.ts",
      "tests/mcp_downloaded_test.ts",
      "tests/bad_input_test.ts",
      "tests/damaged_sessions_test.ts",
    ],
    ...["tests/dialects/leaks_test.ts", "tests/grade_test.ts", "tests/restart_test.ts"],
    ...["tests/codex_responses_test.ts", "tests/fallback_wires_test.ts", "tests/ollama_test.ts"],
    ...["tests/sandbox/supervisor_unix_test.ts", "tests/docs_commands_test.ts"],
    ...["tests/watchdogs_test.ts", "tests/discovery_test.ts", "tests/retry_test.ts"],
    ...["tests/loops_test.ts", "tests/subagents_test.ts", "tests/memory_test.ts"],
    ...["tests/sandbox_command_test.ts", "tests/fallback_test.ts", "tests/chat_sizes_test.ts"],
    ...["tests/mcp_test.ts", "tests/mcp_http_test.ts", "tests/mcp_servers_test.ts"],
    ...[
      "tests/acp_test.ts",
      "tests/acp_ends_test.ts",
      "tests/what_works_test.ts",
      "tests/window_test.ts",
    ],
    ...["tests/text_calls_test.ts", "tests/anthropic_test.ts", "tests/replay_test.ts"],
    ...["tests/resume_test.ts", "tests/sessions_test.ts"],
    ...["tests/undo_test.ts", "tests/undo_limits_test.ts", "tests/other_kernels_test.ts"],
    ...["tests/hostile_workspace_test.ts", "tests/proxy_test.ts", "tests/acp_files_test.ts"],
    ...["tests/mcp_permissions_test.ts", "tests/written_commands_test.ts"],
    ...["tests/starved_test.ts", "tests/review_test.ts", "tests/killed_planted_test.ts"],
    ...["tests/undo_git_test.ts", "tests/undo_places_test.ts", "tests/undo_redo_test.ts"],
    ...["tests/steering_test.ts", "tests/trust_test.ts", "tests/planted_further_test.ts"],
    ...["tests/report_test.ts", "tests/fault_table_test.ts"],
    ...["tests/planted_test.ts", "tests/changes_test.ts", "src/changes/many_files_test.ts"],
    // With a binary these are tried on that alone: what they judge is what a process does, its terminal and its connections.
    ...[
      "acp_hostile air_gap background between_turns closed_folders commands home_starts",
      "chat_commands chat_goes_on chat_plain chat_queue chat_signals chat_terminal chat_typed_ahead",
      "other_user run_hooks servers silence web_fetch",
    ].flatMap((names) => names.split(" "))
      .map((name) => `tests/${name}_test.ts`),
  ],
  /** They judge what becomes of what a model says, and of settings and files: a binary is the same code, and only the runtime below it another. */
  conversations: [
    ...["tests/dialects", "tests/wire"],
    ...[
      "agents budget cache_loss config context deferred_tools edit extract fault_table gates",
      "hints hooks import limits mcp_formats mcp_prompts model models modes other_agents",
      "other_model output output_schema pre_tool prefill prompt read read_cache recipes",
      "refusals reminders report review samples schemas session_search skills steering",
      "subagents_together task_file todo truncation turn_diff verify",
      "approvals changes lines planted planted_beside planted_elsewhere planted_further trust",
      "undo_git undo_places undo_redo",
      "anthropic codex_responses described_images fallback grade loops memory ollama replay",
      "retry subagents text_calls window",
      "acp_files bad_input damaged_sessions discovery docs_commands fallback_wires",
      "faults property/inside keys mcp_permissions mcp_servers restart resume sessions undo",
      "undo_limits watchdogs written_commands",
      "bash dry_run github mcp_settings no_bash parallel run_flags",
      "endings/endings endings/held_out endings/later_runs endings/everyday/everyday",
    ].flatMap((names) => names.split(" "))
      .map((name) => `tests/${name}_test.ts`),
  ],
  /** What they start is not the program, but a part of its source. */
  parts: [
    ...["tests/sandbox", "tests/support", "tests/bundle_test.ts", "tests/docs_test.ts"],
    "tests/library_test.ts",
    "tests/library_callbacks_test.ts",
    "tests/library_ends_test.ts",
    "tests/library_examples_test.ts",
  ],
};
/** They try programs written in Python; without it they are left out. */
const WITH_PYTHON: readonly string[] = [
  ...["tests/sandbox", "tests/sandbox_command_test.ts"],
  ...["tests/starved_test.ts", "tests/other_kernels_test.ts"],
];
/**
 * With `HAMR_THOROUGH` these also run on the source as it is: what is not in a bundle (the paths of workers and of what is loaded
 * lazily), and what starts no program.
 */
const ON_SOURCE = ["tests/commands_test.ts"];
/** Parts of the source that take about as long: one whose tests start git, two whose tests start commands and servers, the rest. */
const SOURCE = ["src/persistence_guard", "src/tools", "src/model", "src"];
/** Those that take longest, the longest first: at the end nothing would run beside them. */
const FIRST = [
  ...SOURCE,
  "scripts/bench/crash_test.ts",
  "tests/endings/endings_test.ts",
  ...[
    "keys zoo/zoo planted killed toolchains property/outside property/changes endings/held_out",
    "endings/everyday/everyday store_faults undo resume review acpx chat_sizes mcp grade",
  ].flatMap((names) => names.split(" ")).map((name) => `tests/${name}_test.ts`),
];
const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed(?: \| (\d+) ignored)?.*$/m;

/** The bundle of the source in `folder`, with the settings that a start of it needs; its address. None where Deno has no bundler at hand. */
async function program(folder: string): Promise<Record<string, string>> {
  let entry = "";
  try {
    [entry = ""] = await bundle(ROOT, folder, ["tests/support/parts.ts"]);
  } catch (error) {
    print(`SKIP the bundle, the tests run the source: ${error}\n`);
    return {};
  }
  Deno.writeTextFileSync(`${folder}/deno.json`, '{"unstable":["worker-options"]}');
  return {
    HAMR_BUNDLE: entry,
    HAMR_BUNDLE_FLAGS: `--v8-flags=${[...V8_FLAGS, ALL_AT_ONCE].join(",")}`,
  };
}

/** All packages of the program: what is not there yet would be fetched, and spoken of, by a run that is tested. */
async function fetch_packages(): Promise<void> {
  const args = ["install", "--quiet", "--entrypoint", "main.ts", "mod.ts"];
  const { success } = await new Deno.Command(Deno.execPath(), { args }).output();
  if (!success) print("SKIP fetching the packages: the tests do with those that are there\n");
}

/** The paths of parts: those of `src`, whose tests are quick, or a file. */
function parts(path: string): string[] {
  const clean = path.replace(/^\.\//, "").replace(/\/$/, "");
  if (clean === "src") return SOURCE;
  if (!Deno.statSync(clean).isDirectory) return [clean];
  return [...Deno.readDirSync(clean)].filter(({ name }) => !name.startsWith("."))
    .map(({ name, isDirectory }) => ({
      isDirectory,
      path: clean === "." ? name : `${clean}/${name}`,
    }))
    .filter(({ isDirectory, path }) => isDirectory || path.endsWith("_test.ts"))
    .flatMap(({ path }) => parts(path)).sort();
}

/** The test files of a part of the source. */
function tests_of(part: string): string[] {
  return [...Deno.readDirSync(part)].flatMap(({ name, isDirectory }) => {
    const inner = `${part}/${name}`;
    if (isDirectory) return SOURCE.includes(inner) ? [] : tests_of(inner);
    return name.endsWith("_test.ts") ? [inner] : [];
  }).sort();
}

/**
 * A module with the tests of several files. For each file of its own `deno test` makes an isolate and loads its modules once more:
 * half of what the 270 files of `src` cost, and 0.6 s for a conversation.
 */
function together(files: readonly string[]): string {
  const file = `${folder}/${files[0]!.replaceAll("/", "_")}`;
  const imports = files.map((path) => `import "${pathToFileURL(`${ROOT}/${path}`)}";\n`);
  Deno.writeTextFileSync(file, imports.join(""));
  return file;
}

/** What one process runs. */
interface Part {
  readonly files: readonly string[];
  readonly name: string;
  /** Whatever the others run. */
  readonly on?: "the source" | "the bundle";
}

/** What came of a part. */
interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
}

/** Runs a part, and prints what `deno test` printed: of one in which all is well, its skips and its last line. */
async function run(part: Part, env: Record<string, string>): Promise<Count> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--quiet", "--no-check", OF_TESTS, "--config", "deno.json"],
      part.files.length === 1 ? part.files[0]! : together(part.files),
    ],
    cwd: ROOT,
    clearEnv: true,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  running.add(child);
  const { success, code, signal, stdout, stderr } = await child.output();
  running.delete(child);
  const used = cpu_seconds() - counted;
  counted += used;
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  const found = SUMMARY.exec(out ?? "");
  const [passed = 0, failed = 0, ignored = 0] = found?.slice(1).map((text) => Number(text ?? 0)) ??
    [];
  const name = part.name + (part.on === undefined ? "" : `, on ${part.on}`);
  if (!success) print(`\n== ${name} (${signal ?? `exit code ${code}`})\n${out}${err}`);
  else {
    const line = `${found?.[0] ?? "no tests"} ${used.toFixed(1)} s of CPU`;
    print(`${name}: ${line}\n${skips(`${out}\n${err}`)}`);
  }
  return { passed, failed: success ? failed : Math.max(failed, 1), ignored };
}

/** The lines that say what could not be tested here. */
function skips(text: string): string {
  const lines = text.split("\n").filter((line) => /\bSKIP\b|\.\.\. ignored/.test(line));
  return lines.map((line) => `${line}\n`).join("");
}

/** What all that was started, and has ended, has used of the processors; 0 where the kernel does not say. */
function cpu_seconds(): number {
  if (Deno.build.os !== "linux") return 0;
  const stat = Deno.readTextFileSync("/proc/self/stat");
  // Behind the name, in hundredths of a second: of children that were waited for, in user mode and in the kernel.
  const [user, kernel] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(14, 16).map(Number);
  return ((user ?? 0) + (kernel ?? 0)) / 100;
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

// What is asserted of the modes of files is that of most machines.
Deno.umask(0o022);
const began = performance.now();
const folder = Deno.makeTempDirSync({ prefix: "hamr_tests_" });
const running = new Set<Deno.ChildProcess>();
/** Processor time of the parts that have ended. */
let counted = 0;
const total = { passed: 0, failed: 0, ignored: 0 };
Deno.chdir(ROOT);
const paths = Deno.args.filter((arg) => !arg.startsWith("--but-"));
const thorough = Deno.env.has("HAMR_THOROUGH");
const usual = thorough ? GROUPS["thorough"]! : ["."];
const all = new Set((paths.length === 0 ? usual : paths).flatMap(parts));
const left_out = Deno.args.filter((arg) => !paths.includes(arg)).map((arg) => arg.slice(6));
if (paths.length === 0 && !thorough) left_out.push("thorough");
for (const name of left_out) {
  const group = GROUPS[name];
  if (group === undefined) throw new Error(`--but-${name}: not one of ${Object.keys(GROUPS)}`);
  for (const part of group.flatMap(parts)) all.delete(part);
}
const whole = paths.length === 0 && thorough;
const conversations = new Set(GROUPS["conversations"]!.flatMap(parts));
if (whole && Deno.env.has("HAMR_BIN")) {
  // Beside the others, which use the processors while these wait.
  const same = new Set([...conversations, ...GROUPS["parts"]!.flatMap(parts)]);
  for (const part of parts("tests")) if (!same.has(part)) all.add(part);
}
if (!installed("git")) skip("no git here: most tests take it, and fail without it");
if (!installed("python3")) {
  const without = WITH_PYTHON.flatMap(parts).filter((part) => all.delete(part));
  if (without.length > 0) skip(`no python3 here, and these take it: ${without.join(" ")}`);
}
const first = FIRST.filter((path) => all.has(path));
const rest = [...all].filter((path) => !first.includes(path));
const [talks = [], others = []] = [true, false].map((wanted) =>
  rest.filter((path) => conversations.has(path) === wanted)
);
/** So many conversations in a process that each lane has a few: the last must not run long alone. */
const size = Math.ceil(talks.length / (3 * LANES));
const left: Part[] = [
  ...(whole ? ON_SOURCE : []).map((path) => ({
    files: [path],
    name: path,
    on: "the source" as const,
  })),
  ...[
    ...first.map((path) => ({
      files: SOURCE.includes(path) ? tests_of(path) : [path],
      name: path,
    })),
    ...Array.from({ length: Math.ceil(talks.length / size) }, (_, n) => {
      const files = talks.slice(n * size, (n + 1) * size);
      return { files, name: files.join(" ") };
    }),
    ...others.map((path) => ({ files: [path], name: path })),
  ].map((part) =>
    whole && conversations.has(part.files[0]!) ? { ...part, on: "the bundle" as const } : part
  ),
];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    left.length = 0;
    for (const child of running) child.kill("SIGTERM");
  });
}
print(`${left.length} parts, ${LANES} at a time; the first take longest\n`);
try {
  await fetch_packages();
  const { HAMR_BIN: _bin, HAMR_THOROUGH: _thorough, ...plain } = Deno.env.toObject();
  const bundled = Deno.env.has("HAMR_SOURCE") ? {} : await program(folder);
  const env = { ...Deno.env.toObject(), ...bundled };
  const { HAMR_BIN: _binary, ...without } = env;
  const others = { "the source": { ...plain, HAMR_SOURCE: "1" }, "the bundle": without };
  const lane = async () => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const { passed, failed, ignored } = await run(
        part,
        part.on === undefined ? env : others[part.on],
      );
      total.passed += passed;
      total.failed += failed;
      total.ignored += ignored;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
} finally {
  Deno.removeSync(folder, { recursive: true });
}
const { passed, failed, ignored } = total;
const seconds = Math.round((performance.now() - began) / 1000);
const word = failed === 0 ? "ok" : "FAILED";
const took = `${seconds} s, ${Math.round(cpu_seconds())} s of CPU`;
print(`\n${word} | ${passed} passed | ${failed} failed | ${ignored} ignored (${took})\n`);
Deno.exitCode = failed === 0 ? 0 : 1;
