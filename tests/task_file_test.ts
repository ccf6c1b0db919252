import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { call, say, type Script } from "./support/model_server.ts";
import { open_stage, processes, type Stage } from "./support/stage.ts";

const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });
const TASKS = [
  { task: "Change it.", repo: "repo/sub", id: "change", verify: "grep two a.txt" },
  { task: "Change it.", dir: "repo/sub", flags: ["--max-steps", "1"] },
  { task: "Change it.", id: "nowhere" },
];

async function git(s: Stage, ...args: string[]): Promise<string> {
  const who = ["-c", "user.name=x", "-c", "user.email=x@x.example"];
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...who, ...args],
    cwd: s.ws.at("repo"),
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Tasks beside a repository, and folders for temporary files where leftovers would show. */
async function many(
  script: Script,
  body: (s: Stage, env: Record<string, string>) => Promise<void>,
) {
  const files = {
    "repo/sub/a.txt": "one\n",
    "tasks.jsonl": TASKS.map((one) => JSON.stringify(one)).join("\n"),
    "tmp/": "",
  };
  await open_stage({ files, script, one_conversation: false, violations: true }, async (s) => {
    await git(s, "init", "--quiet");
    await git(s, "add", ".");
    await git(s, "commit", "--quiet", "-m", "one");
    await body(s, { ...s.env, TMPDIR: s.ws.at("tmp") });
  });
}

/** What a task has left behind; a binary keeps its compiled code there. */
const left = (s: Stage) =>
  names(s.ws.at("tmp")).filter((name) => !name.startsWith("deno-compile-"));
const names = (path: string) => [...Deno.readDirSync(path)].map(({ name }) => name).sort();

Deno.test("--task-file: a clone a task, its results whole in OUT/ID, and nothing is done twice", async () => {
  const script: Script = ({ body }) =>
    body.messages.some(({ role }) => role === "tool") ? say("It says two now.") : EDIT;
  await many(script, async (s, env) => {
    const args = ["run", "--json", "--task-file", "tasks.jsonl", "--artifacts", "results"];
    const first = await s.hamr(args, { env: { ...env, SLURM_ARRAY_TASK_ID: "0" } });
    assert.equal(first.code, 0, first.stderr);
    assert.deepEqual(names(s.ws.at("results/change")), [
      ...["changes.patch", "events.jsonl", "report.html", "result.json", "task.json"],
      "transcript.md",
    ]);
    assert.match(s.ws.read("results/change/changes.patch"), /-one\n\+two\n/);
    assert.equal(s.ws.read("repo/sub/a.txt"), "one\n");
    assert.equal(await git(s, "status", "--porcelain"), "");
    const asked = s.server.requests.length;
    const again = await s.hamr(args, { env: { ...env, PARALLEL_SEQ: "1" } });
    assert.equal(s.server.requests.length, asked);
    assert.match(again.stderr, /task change was done before: llm_done/);
    assert.equal(again.result.session_id, first.result.session_id);
    // Its own flags hold, and what it came to is its exit code.
    const limited = await s.hamr([...args, "--index", "1"], { env });
    assert.equal(limited.code, 2, limited.stderr);
    assert.equal(limited.result.stop_reason, "max_steps");
    assert.deepEqual(left(s), []);
    assert.deepEqual(names(s.ws.at("results/.tries")), ["1.lock", "change.lock"]);
    const table = await s.hamr(["report", "results/change/result.json", "results/1/result.json"]);
    assert.match(table.stdout, /change[^]*done[^]*\| ⚠️ 1 \|/);
    const nowhere = await s.hamr([...args, "--index", "2"], { env });
    assert.equal(nowhere.code, 3);
    assert.match(nowhere.stderr, /\/ws is not in a git repository: name a "repo"/);
    const outside = await s.hamr([...args, "--index", "3"]);
    assert.equal(outside.code, 3);
    assert.match(outside.stderr, /tasks\.jsonl has tasks 0 to 2/);
    assert.deepEqual(left(s), []);
  });
});

Deno.test("--task-file: what was interrupted or killed is done again; two at once do not do the same", async () => {
  let slow = true;
  const script: Script = ({ body }) => {
    if (body.messages.some(({ role }) => role === "tool")) return say("It says two now.");
    return slow ? { ...EDIT, silent: true } : EDIT;
  };
  await many(script, async (s, env) => {
    const args = ["run", "--json", "--task-file", "tasks.jsonl", "--index", "0"];
    const killed = s.start(args, { env });
    await until("the first request", () => s.server.requests.length === 1);
    const second = await s.hamr(args, { env });
    assert.equal(second.code, 3);
    assert.match(second.stderr, /task change is being done by another process/);
    killed.kill("SIGKILL");
    await killed.done.catch(() => {});
    // Nothing goes on for nobody.
    await until(
      "the end of the run",
      () => !processes().some(([, line]) => line.includes(s.ws.at("tmp"))),
    );
    assert.ok(!s.ws.exists("out/change"));
    const stopped = s.start(args, { env });
    await until("the next request", () => s.server.requests.length === 2);
    stopped.kill("SIGTERM");
    const { code, result } = await stopped.done;
    assert.equal(code, 130);
    assert.equal(result.stop_reason, "user_interrupt");
    assert.match(s.ws.read("out/change/result.json"), /user_interrupt/);
    slow = false;
    const done = await s.hamr(args, { env });
    assert.equal(done.code, 0, done.stderr);
    assert.match(s.ws.read("out/change/result.json"), /llm_done/);
    assert.deepEqual(left(s), []);
    assert.deepEqual(names(s.ws.at("out/.tries")), ["change.lock"]);
  });
});

Deno.test("--task-file: no link of a repository leads to what is written over, and nothing but a result makes way", async () => {
  await many(() => say("Done."), async (s, env) => {
    s.outside.write("precious", "mine\n");
    s.outside.write("folder/file", "mine\n");
    const args = ["run", "--task-file", "tasks.jsonl", "--index", "0"];
    const refused = async (path: string, why: RegExp) => {
      const { code, stderr } = await s.hamr(args, { env });
      assert.equal(code, 3, stderr);
      assert.match(stderr, why);
      Deno.removeSync(s.ws.at(path), { recursive: true });
    };
    s.ws.write("out/.tries/", "");
    Deno.symlinkSync(s.outside.at("precious"), s.ws.at("out/.tries/change.lock"));
    await refused("out/.tries", /out\/\.tries\/change\.lock is a link: remove it/);
    Deno.symlinkSync(s.outside.at("folder"), s.ws.at("out/.tries"));
    await refused("out/.tries", /out\/\.tries is a link/);
    Deno.symlinkSync(s.outside.at("folder"), s.ws.at("out/change"));
    await refused("out/change", /out\/change is a link/);
    s.ws.write("out/change/thesis.txt", "mine\n");
    await refused("out/change", /out\/change is not a result of hamr: move it away/);
    assert.equal(s.outside.read("precious"), "mine\n");
    assert.deepEqual(names(s.outside.at("folder")), ["file"]);
    assert.equal(s.server.requests.length, 0);
    // Results are often kept on another disk.
    Deno.removeSync(s.ws.at("out"), { recursive: true });
    Deno.symlinkSync(s.outside.at("folder"), s.ws.at("out"));
    await s.hamr(args, { env });
    assert.ok(s.outside.exists("folder/change/result.json"));
  });
});

Deno.test("--task-file starts no program of a repository that PATH leads into, whatever made it", async () => {
  await many(() => say("Done."), async (s, env) => {
    for (const name of ["git", "cp", "setpriv", "true", "sh", "ssh"]) {
      const file = s.ws.at(`repo/bin/${name}`);
      s.ws.write(
        `repo/bin/${name}`,
        `#!/bin/sh\necho ${name} >> "${s.outside.at("ran")}"\nexit 1\n`,
      );
      Deno.chmodSync(file, 0o755);
    }
    // Nor a hook to which the user's own settings lead; nor does git work in the repository whose hook has started hamr.
    s.ws.write("repo/.hooks/post-checkout", `#!/bin/sh\necho hook >> "${s.outside.at("ran")}"\n`);
    Deno.chmodSync(s.ws.at("repo/.hooks/post-checkout"), 0o755);
    s.home.write(".gitconfig", "[core]\nhooksPath = .hooks\n");
    await git(s, "add", ".hooks");
    await git(s, "commit", "--quiet", "-m", "two");
    const GIT_DIR = s.ws.at("repo/.git");
    const PATH = `bin:${s.ws.at("repo/bin")}:${s.ws.at("repo/sub/../bin")}:${Deno.env.get("PATH")}`;
    const more = { cwd: s.ws.at("repo/sub"), env: { ...env, PATH, GIT_DIR } };
    for (const index of [0, 1]) {
      const args = ["run", "--json", "--task-file", "../../tasks.jsonl", "--index", `${index}`];
      const { stderr } = await s.hamr(args, more);
      assert.ok(s.ws.exists(`repo/sub/out/${index === 0 ? "change" : 1}/result.json`), stderr);
    }
    assert.ok(!s.outside.exists("ran"), "it was started outside the sandbox");
    assert.match(await git(s, "symbolic-ref", "HEAD"), /^refs\/heads\//);
  });
});
