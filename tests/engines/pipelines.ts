/** hamr as a step of a pipeline: the workflows of docs/ci.md, run by act and gitlab-ci-local on this machine. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { deno_dir } from "../support/hamr.ts";
import { call, say, type Script } from "../support/model_server.ts";
import { type Stage, stage } from "../support/stage.ts";
import { act, block, debian, gitlab, run, with_hamr } from "./tools.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });
/** What a runner would take for commands, if hamr let it. */
const SAID = "It says two now.\n::error::fake\n::set-output name=status::fake\n##[add-matcher]x";
const script: Script = ({ body }) =>
  body.messages.some(({ role }) => role === "tool") ? say(SAID) : EDIT;

/** A repository with a pipeline, and a release of hamr in a folder. */
async function pipeline(
  files: Readonly<Record<string, string>>,
  body: (s: Stage, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  const options = { script, one_conversation: false, violations: true } as const;
  await stage({ ...options, files: { "a.txt": "one\n", ...files } }, async (s) => {
    const PATH = with_hamr(s.outside.at("bin"));
    const cwd = s.ws.path;
    for (
      const command of [
        ...["init -q -b main", "add .", "-c user.name=x -c user.email=x@x commit -qm one"],
        "remote add origin git@git.example:team/project.git",
      ]
    ) assert.equal((await run(["git", ...command.split(" ")], { cwd })).code, 0);
    await body(s, {
      PATH,
      HOME: s.home.path,
      DENO_DIR: deno_dir(),
      XDG_CACHE_HOME: s.home.at("c"),
    });
  });
}

/** What stands in the repository of the action; gives the folder. */
function action_in(s: Stage): string {
  for (const name of ["action.yml", "install.sh"]) {
    s.outside.write(`hamr/${name}`, Deno.readTextFileSync(`${ROOT}${name}`));
  }
  return s.outside.at("hamr");
}

/** Packs a program `hamr` as a release does, and serves it where GitHub would; gives the server's address. */
async function release(s: Stage): Promise<{ readonly url: string; close(): Promise<void> }> {
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  const name = `hamr-0.1.0-${Deno.build.os === "darwin" ? "macos" : "linux"}-${arch}`;
  s.outside.write(`release/${name}/hamr`, s.outside.read("bin/hamr"));
  Deno.chmodSync(s.outside.at(`release/${name}/hamr`), 0o755);
  const pack =
    `for k in xz gz; do tar -caf ${name}.tar.$k ${name}; done; sha256sum *.tar.* > SHA256SUMS`;
  const { code, err } = await run(["sh", "-c", pack], { cwd: s.outside.at("release") });
  assert.equal(code, 0, err);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const [, file] =
      /^\/OWNER\/hamr\/releases\/download\/v0\.1\.0\/([\w.-]+)$/.exec(new URL(url).pathname) ?? [];
    const there = file !== undefined && s.outside.exists(`release/${file}`);
    return there
      ? new Response(Deno.readFileSync(s.outside.at(`release/${file}`)))
      : new Response("", { status: 404 });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

Deno.test("act runs the action: it installs, a part passes and a part fails, later steps know both", async () => {
  const engine = await act();
  if (engine === null) return;
  const files = { ".github/workflows/fix.yml": block("ci.md", "uses: OWNER/hamr") };
  await pipeline(files, async (s, env) => {
    const github = await release(s);
    // Not on the command line: everybody on the machine can read that.
    const secrets = s.outside.at("secrets.yml");
    Deno.writeTextFileSync(secrets, JSON.stringify({ HAMR_API_KEY: "not-a-key" }), { mode: 0o600 });
    const { code, out, err } = await run([
      ...[engine, "push", "-P", "ubuntu-latest=-self-hosted", "--secret-file", secrets],
      ...["--var", `HAMR_BASE_URL=${s.server.url}`, "--env", `GITHUB_SERVER_URL=${github.url}`],
      ...["--local-repository", `OWNER/hamr@v0.1.0=${action_in(s)}`],
    ], { cwd: s.ws.path, env: { ...env, HAMR_MODEL: "scripted" } });
    await github.close();
    assert.equal(code, 1, out + err);
    const jobs = ["fix-1", "fix-2"].map((name) =>
      out.split("\n").filter((line) => line.includes(name)).join("\n")
    );
    const passed = jobs.find((text) => text.includes("success, llm_done")) ?? "";
    const failed = jobs.find((text) => text.includes("partial, verification_failed")) ?? "";
    // The key came along.
    const keys = s.server.requests.map(({ headers }) => headers.get("authorization"));
    assert.deepEqual([...new Set(keys)], ["Bearer not-a-key"]);
    assert.match(passed, /hamr 0\.1\.0 is in [^]*Success - Main OWNER\/hamr@v0\.1\.0/, out);
    assert.doesNotMatch(passed, /not in your PATH|running/);
    // How the job ended act says of a part by what has become of the others so far: its steps tell.
    assert.doesNotMatch(passed, /Failure - /);
    assert.match(failed, /Failure - Main OWNER\/hamr@v0\.1\.0[^]*Job failed/, out);
    // act marks what it takes for commands: those are ours.
    assert.match(passed, /❓ {2}::group::Step 1\n[^]*❓ {2}::endgroup::/);
    assert.match(failed, /❗ {2}::error title=hamr::verification_failed: /);
    const taken = out.split("\n").filter((line) =>
      /\]  +[⚙❓❗🛑]/u.test(line) && !/:: result=/.test(line)
    );
    assert.ok(taken.length > 10, out);
    assert.doesNotMatch(taken.join("\n"), /fake|add-matcher/);
    assert.match(out, /\| +:\u200b:error::fake/);
    assert.match(out, /Summary - # ✅ Fix part two/);
    // The files of the job itself are none of its changes.
    assert.deepEqual([...new Set(out.match(/^\| `.*` \| \w+ \|/gm))], ["| `a.txt` | modified |"]);
  });
});

Deno.test("act does a file of tasks as a matrix, one a job, and each job has its results", async () => {
  const engine = await act();
  if (engine === null) return;
  const tasks = ["one", "two"].map((id) => ({ id, task: "Change it.", verify: "grep two a.txt" }));
  const files = {
    ".github/workflows/tasks.yml": block("scale.md", "--index=${{ matrix.index }}"),
    "tasks.jsonl": tasks.map((task) => JSON.stringify(task)).join("\n"),
  };
  await pipeline(files, async (s, env) => {
    const github = await release(s);
    // What the service would keep is copied.
    const upload = `name: upload
inputs: { name: { required: true }, path: { required: true } }
runs:
  using: composite
  steps:
    - run: cp -r "\${{ inputs.path }}" "${s.outside.path}/\${{ inputs.name }}"
      shell: bash
`;
    s.outside.write("upload/action.yml", upload);
    const { code, out, err } = await run([
      ...[engine, "workflow_dispatch", "-P", "ubuntu-latest=-self-hosted"],
      ...["--var", `HAMR_BASE_URL=${s.server.url}`, "--env", `GITHUB_SERVER_URL=${github.url}`],
      ...["--local-repository", `OWNER/hamr@v0.1.0=${action_in(s)}`],
      ...["--local-repository", `actions/upload-artifact@v4=${s.outside.at("upload")}`],
    ], { cwd: s.ws.path, env: { ...env, HAMR_MODEL: "scripted" } });
    await github.close();
    assert.equal(code, 0, out + err);
    for (const [nth, { id }] of tasks.entries()) {
      const { status, session_id } = JSON.parse(s.outside.read(`task-${nth}/${id}/result.json`));
      assert.equal(status, "success");
      assert.match(out, new RegExp(`set-output:: session-id=${session_id}`));
      assert.match(s.outside.read(`task-${nth}/${id}/changes.patch`), /-one\n\+two/);
    }
  });
});

Deno.test("gitlab-ci-local runs the template, with its report", async () => {
  const engine = await gitlab();
  if (engine === null || !await debian("rsync", "rsync")) return;
  await pipeline({ ".gitlab-ci.yml": block("ci.md", "extends: .hamr") }, async (s, env) => {
    const job = (verify = "", ...more: string[]) => {
      const variables = ["HAMR_MODEL=scripted", `HAMR_BASE_URL=${s.server.url}`, ...more];
      if (verify !== "") variables.push(`HAMR_VERIFY_COMMAND=${verify}`);
      const given = variables.flatMap((one) => ["--variable", one]);
      return run([engine, "--no-color", ...given], { cwd: s.ws.path, env });
    };
    const junit_of = () => Deno.readTextFileSync(`${s.ws.path}/hamr.xml`);
    const { code, out, err } = await job();
    assert.equal(code, 0, out + err);
    assert.match(out, /PASS\s+fix/);
    const kept = `${s.ws.path}/.gitlab-ci-local/artifacts/fix`;
    assert.match(Deno.readTextFileSync(`${kept}/hamr/changes.patch`), /-one\n\+two/);
    assert.match(junit_of(), /failures="0"/);
    assert.equal(Deno.readTextFileSync(`${s.ws.path}/hamr.json`), "[]\n");
    const failed = await job("echo a.txt:1:1: error: it says one; false");
    assert.equal(failed.code, 1, failed.out + failed.err);
    assert.match(failed.out, /FAIL\s+fix/);
    assert.match(junit_of(), /<failure type="verification" .*>a\.txt:1:1: error: it says one</);
    const [fault] = JSON.parse(Deno.readTextFileSync(`${s.ws.path}/hamr.json`));
    assert.deepEqual([fault.description, fault.location.path], ["it says one", "a.txt"]);
    // Where the image has no hamr, the job installs it.
    const { url, close } = await release(s);
    s.outside.write("release/install.sh", Deno.readTextFileSync(`${ROOT}install.sh`));
    Deno.removeSync(s.outside.at("bin/hamr"));
    const from = `${url}/OWNER/hamr/releases/download/v0.1.0`;
    const installed = await job("", `HAMR_RELEASES=${from}`);
    await close();
    assert.equal(installed.code, 0, installed.out + installed.err);
    assert.match(installed.out, /hamr 0\.1\.0 is in [^]*PASS\s+fix/);
  });
});
