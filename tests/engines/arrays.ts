/** Many tasks by the engines of docs/scale.md, as that page says. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { deno_dir, pause, until } from "../support/hamr.ts";
import { call, say, type Script, sleep } from "../support/model_server.ts";
import { type Stage, stage } from "../support/stage.ts";
import { remove } from "../support/remove.ts";
import { cases } from "../support/thorough.ts";
import { block, debian, kubeconform, kubernetes, run, skip, with_hamr } from "./tools.ts";

/** The page says 200. */
const TASKS = cases(12, 200);
const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });
/** Long enough for some to be killed at work. */
const REPLY_MS = 150;

const script: Script = async ({ body }) => {
  await sleep(REPLY_MS, new AbortController().signal);
  return body.messages.some(({ role }) => role === "tool") ? say("It says two now.") : EDIT;
};

/** A repository with its file of tasks. */
async function many(body: (s: Stage, env: Record<string, string>) => Promise<void>): Promise<void> {
  const lines = Array.from(
    { length: TASKS },
    (_, n) => JSON.stringify({ task: "Change it.", id: `t${n}`, verify: "grep -q two a.txt" }),
  );
  const options = { script, one_conversation: false, violations: true } as const;
  await stage({ ...options, files: { "tmp/": "", "repo/a.txt": "one\n" } }, async (s) => {
    s.ws.write("repo/tasks.jsonl", lines.join("\n"));
    const cwd = s.ws.at("repo");
    for (const command of ["init -q", "add .", "-c user.name=x -c user.email=x commit -qm one"]) {
      assert.equal((await run(["git", ...command.split(" ")], { cwd })).code, 0);
    }
    const PATH = with_hamr(s.outside.at("bin"));
    const HOME = s.home.path;
    await body(s, { ...s.env, PATH, HOME, DENO_DIR: deno_dir(), TMPDIR: s.ws.at("tmp") });
  });
}

/** The ids whose result is there, and says that all went well. */
function done(s: Stage): string[] {
  if (!s.ws.exists("repo/out")) return [];
  return [...Deno.readDirSync(s.ws.at("repo/out"))].map(({ name }) => name)
    .filter((name) => name.startsWith("t"))
    .filter((name) => JSON.parse(s.ws.read(`repo/out/${name}/result.json`)).exit_code === 0);
}

Deno.test("GNU parallel does all tasks, and those that were done not again", async () => {
  if (!await debian("parallel", "parallel")) return;
  await many(async (s, env) => {
    const command = block("scale.md", "| parallel").replace("199", String(TASKS - 1))
      .replace("-j 8", "-j 3");
    const go = () => run(["bash", "-c", command], { cwd: s.ws.at("repo"), env });
    const first = await go();
    assert.equal(first.code, 0, first.err);
    assert.equal(done(s).length, TASKS);
    const asked = s.server.requests.length;
    assert.equal((await go()).code, 0);
    assert.equal(s.server.requests.length, asked);
    const report = await s.hamr(["report", ...done(s).map((id) => `repo/out/${id}/result.json`)]);
    assert.match(report.stdout, new RegExp(`^# ${TASKS} of ${TASKS} runs done`));
    assert.deepEqual([...Deno.readDirSync(s.ws.at("tmp"))], []);
  });
});

Deno.test("a Slurm job array: a quarter is killed, the same again, and every task has its result", async (t) => {
  const slurm = fileURLToPath(new URL("../../../shared/tools/slurm.sh", import.meta.url));
  const folder = Deno.makeTempDirSync({ prefix: "hamr_slurm_" });
  const started = await run([slurm, "start", folder]);
  if (started.code !== 0) return void skip(t.name, started.err);
  try {
    // It waits three seconds before each job, to collect more of them.
    const quick = "SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0\n";
    Deno.writeTextFileSync(`${folder}/slurm.conf`, quick, { append: true });
    await run(["scontrol", "reconfigure"], { env: { SLURM_CONF: `${folder}/slurm.conf` } });
    await many(async (s, env) => {
      const cwd = s.ws.at("repo");
      const slurm_env = { ...env, SLURM_CONF: `${folder}/slurm.conf` };
      const text = block("scale.md", "#SBATCH").replace("0-199", `0-${TASKS - 1}`);
      s.ws.write("repo/array.sbatch", text);
      const submit = async () => {
        const sent = await run(["sbatch", "--parsable", "array.sbatch"], { cwd, env: slurm_env });
        assert.equal(sent.code, 0, sent.err);
        return sent.out.trim();
      };
      const left = async (...more: string[]) =>
        (await run(["squeue", "-h", "-r", "-o", "%a", ...more], { env: slurm_env })).out.trim();
      const job = await submit();
      // The first of those that work, until a quarter of all was hit.
      let killed = 0;
      while (killed < TASKS / 4 && await left() !== "") {
        const { out } = await run(["squeue", "-h", "-r", "-t", "R", "-o", "%K"], {
          env: slurm_env,
        });
        const [at] = out.trim().split("\n");
        if (at !== undefined && at !== "" && !s.ws.exists(`repo/out/t${at}`)) {
          await run(["scancel", "--signal=KILL", `${job}_${at}`], { env: slurm_env });
          killed++;
        }
        await pause(REPLY_MS);
      }
      await until("the array's end", async () => await left() === "", 300_000);
      assert.ok(done(s).length < TASKS, "some were killed");
      const before = done(s).length;
      await submit();
      await until("the second array's end", async () => await left() === "", 300_000);
      assert.equal(done(s).length, TASKS);
      // deno-lint-ignore no-console
      console.log(`${killed} of ${TASKS} were hit, ${TASKS - before} had no result, then none`);
    });
  } finally {
    const pids = ["slurmd", "slurmctld"].map((name) =>
      Deno.readTextFileSync(`${folder}/${name}.pid`).trim()
    );
    await run([slurm, "stop", folder]);
    const ended = async () =>
      (await Promise.all(pids.map((pid) => run(["kill", "-0", pid])))).every(({ code }) =>
        code > 0
      );
    await until("the end of Slurm", ended);
    await remove(folder);
  }
});

Deno.test("the Kubernetes job is one by Kubernetes' own schema", async () => {
  const program = await kubeconform();
  const source = await kubernetes();
  if (program === null || source === null) return;
  const { definitions } = JSON.parse(
    Deno.readTextFileSync(`${source}/api/openapi-spec/swagger.json`),
  );
  // Nothing but what is named there: a misspelled field would be ignored by the cluster, too.
  const strict = Object.entries<Record<string, unknown>>(definitions).map(([name, one]) => [
    name,
    one["properties"] === undefined ? one : { ...one, additionalProperties: false },
  ]);
  const folder = Deno.makeTempDirSync({ prefix: "hamr_kube_" });
  try {
    const schema = {
      $ref: "#/definitions/io.k8s.api.batch.v1.Job",
      definitions: Object.fromEntries(strict),
    };
    Deno.writeTextFileSync(`${folder}/job.json`, JSON.stringify(schema));
    const yaml = block("scale.md", "kind: Job");
    const check = async (text: string) => {
      Deno.writeTextFileSync(`${folder}/job.yaml`, text);
      const at = `${folder}/{{.ResourceKind}}.json`;
      return await run([program, "-summary", "-schema-location", at, `${folder}/job.yaml`]);
    };
    const good = await check(yaml);
    assert.equal(good.code, 0, good.out + good.err);
    assert.match(good.out, /Valid: 1/);
    assert.equal((await check(yaml.replace("parallelism", "paralelism"))).code, 1);
  } finally {
    await remove(folder);
  }
});
