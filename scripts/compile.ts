/**
 * Makes the standalone binary.
 *
 *     deno run -A scripts/compile.ts [--output FILE] [--target TARGET]
 *
 * `deno compile` downloads its runtime. Where that is out of reach, `DENORT_BIN` names a runtime and
 * `DENO_2_6` the Deno of the same version.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { keep_compiled, make_scripts, threads_of } from "./hot.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * A young generation that does not grow: a run of 400 steps peaks at 104 MB instead of 112, a step takes no
 * longer and the start neither (medians of five, interleaved, Deno 2.6.10 on x86_64).
 *
 * And an old one that is collected when it has grown by 30 %, not when V8 thinks it worth it: with Deno 2.9.6 a run of
 * 5,000 steps ends with 120 MB instead of 125 to 140, and a step takes no longer (2.6.10: 125 either way).
 *
 * And what optimizes begins only with what is really hot: a run waits for the model and for commands, and code that runs twice a step
 * is optimized to no end. Then 410 steps peak at 92 MB. Without the second of the two compilers that optimize (`--no-opt`) it is
 * 91 MB, but six commands in a folder of 100,000 files take 3.0 s of CPU instead of 2.6.
 *
 * With `--optimize-for-size` 410 steps then peak at 93 MB instead of 95, and six commands in a folder of 60,000 files at 114 instead
 * of 134, in as much time.
 *
 * A regular expression becomes machine code when it is first used, not bytecode and then machine code: the words of the one answer
 * that ends a run are looked at once by 90 long ones. That took 38 ms of CPU and takes 11; a whole run 276 instead of 304.
 *
 * And garbage is collected by the thread that made it. With a thread of its own V8 (15.0, Deno 2.9.6) did not get on once in five
 * minutes of random keys in a chat: the sweeper of `cppgc` waited for its job by a task that posts itself again, the thread of that
 * job waited for work, and the chat took all of a processor and no signal until it was killed. 16 runs of 70 s since had none of it.
 *
 * And nothing is marked before there are 16 MB. By what survives at the start V8 thinks a heap of 9 MB full: each of the two threads
 * marked all of it in the first 300 ms and found half a MB. With 12 MB they did so at the end of the first command: 322 ms of CPU
 * instead of 306 (Deno 2.6.10; 2.9.6 needs less, and either is as good). 410 steps then peak at 98 to 99 MB instead of 97 to 98.
 */
export const V8_FLAGS: readonly string[] = [
  "--max-semi-space-size=1",
  "--heap-growing-percent=30",
  "--invocation-count-for-maglev=4000",
  "--no-sparkplug",
  "--optimize-for-size",
  "--no-regexp-tier-up",
  "--single-threaded-gc",
  "--initial-old-space-size=16",
];

/** Whether a runtime is named without its Deno, or that without the runtime; says so. */
function is_half_given(): boolean {
  const missing = ["DENORT_BIN", "DENO_2_6"].filter((name) => !Deno.env.has(name));
  if (missing.length !== 1) return false;
  const words = `DENORT_BIN and DENO_2_6 go together: ${missing} is not set\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(words));
  return true;
}

function is_native(target: string | undefined): boolean {
  return target === undefined || target === Deno.build.target;
}

/** The Deno that a runtime at hand belongs to; null: the one that runs this fetches its own. */
function given_deno(target: string | undefined): string | null {
  const [runtime, matching] = [Deno.env.get("DENORT_BIN"), Deno.env.get("DENO_2_6")];
  return is_native(target) && runtime !== undefined && matching !== undefined ? matching : null;
}

/** Compiles `entry` to `output` with the flags of the program's own binary. Gives the exit code. */
export async function compile(
  entry: string,
  output: string,
  options: { readonly target?: string; readonly include?: readonly string[] } = {},
): Promise<number> {
  const { target, include = [] } = options;
  if (is_native(target) && is_half_given()) return 1;
  const given = given_deno(target);
  const env = Deno.env.toObject();
  // A runtime that does not belong to this Deno would make a binary that does not start.
  if (given === null) delete env["DENORT_BIN"];
  const args = [
    "compile",
    "--quiet",
    "--no-check",
    "--no-config",
    "-A",
    "--no-prompt",
    "--unstable-worker-options",
    // Deno would keep compiled code in TMPDIR, and take what is there by that name: who makes /tmp/deno-compile-hamr.cache first has
    // their code run by everyone else, or lets them wait for a pipe. What is kept instead is in the binary (hot.ts).
    "--no-code-cache",
  ];
  if (V8_FLAGS.length > 0) args.push(`--v8-flags=${V8_FLAGS.join(",")}`);
  for (const path of include) args.push("--include", path);
  if (target !== undefined) args.push("--target", target);
  args.push("--output", output, entry);
  const program = given ?? Deno.execPath();
  return (await new Deno.Command(program, { args, clearEnv: true, env }).spawn().status).code;
}

/** Makes scripts of the bundle in `folder`, and of what V8 makes of them: on another system nobody knows. */
async function make_hot(folder: string, target: string | undefined): Promise<void> {
  const threads = threads_of(folder);
  make_scripts(folder, threads);
  if (!is_native(target)) return;
  const fault = await keep_compiled(folder, threads, {
    deno: given_deno(target) ?? Deno.execPath(),
    flags: V8_FLAGS,
  });
  if (fault === null) return;
  const words = `the binary starts slower: the run whose code it would keep has failed: ${fault}\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(words));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      output: { type: "string", default: Deno.build.os === "windows" ? "hamr.exe" : "hamr" },
      target: { type: "string" },
    },
  });
  const folder = Deno.makeTempDirSync({ prefix: "hamr_bundle_" });
  try {
    const [entry = ""] = await bundle(ROOT.slice(0, -1), folder);
    const { target } = values;
    await make_hot(`${folder}/bundle`, target);
    const include = [...Deno.readDirSync(`${folder}/bundle`)]
      .map(({ name }) => `${folder}/bundle/${name}`).toSorted();
    const options = target === undefined ? { include } : { include, target };
    Deno.exitCode = await compile(entry, values.output, options);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
