/**
 * What the sandbox costs: `sandbox.ts auto|off N` prints, as JSON, the milliseconds it takes to set the default policy up,
 * and those of each of N commands under it.
 */
import { SECTIONS } from "../../src/config/keys.ts";
import { build_policy } from "../../src/permission/policy.ts";
import { settle } from "../../src/permission/make_folders.ts";
import type { Applied } from "../../src/sandbox/enforce/apply.ts";
import { supervise } from "../../src/sandbox/supervisor/supervisor.ts";

const [sandbox = "auto", runs = "1"] = Deno.args;
const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_bench_" }));
Deno.mkdirSync(`${root}/ws`);
const { deny_read } = SECTIONS.permissions;
const policy = settle(
  await build_policy({
    read: [],
    deny_read: deny_read.fallback,
    more_denied: [],
    write: [],
    run: [],
    net: "own",
    env: [],
    sandbox: sandbox === "off" ? "off" : "auto",
    read_only: false,
  }, {
    workspace: `${root}/ws`,
    environ: Deno.env.toObject(),
    // In the system's temporary folder it would make that a folder on the way to something denied, with all that is there.
    data_dir: null,
    config_file: null,
    session_id: crypto.randomUUID(),
  }),
);

const worker = new Worker(new URL("./sandbox_worker.ts", import.meta.url), { type: "module" });
const measured = new Promise<unknown>((resolve, reject) => {
  worker.onmessage = ({ data }) => {
    if (!("applied" in data)) return resolve(data);
    // As in a run, the main thread answers what the filter asks.
    const { listener, policy }: Applied = data.applied;
    if (listener !== null) supervise({ listener, policy });
  };
  worker.onerror = ({ message }) => reject(new Error(message));
});
worker.postMessage({ policy, runs: Number(runs) });
const text = JSON.stringify(await measured);
worker.terminate();
for (const folder of [policy.tmp, root]) Deno.removeSync(folder, { recursive: true });
await Deno.stdout.write(new TextEncoder().encode(text));
Deno.exit(0);
