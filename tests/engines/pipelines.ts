/** hamr as a step of a pipeline: the workflows of docs/ci.md, run by act and gitlab-ci-local on this machine. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { deno_dir } from "../support/hamr.ts";
import { call, say, type Script } from "../support/model_server.ts";
import { type Stage, stage } from "../support/stage.ts";
import { block, debian, go_program, npm_program, run, with_hamr } from "./tools.ts";

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

/** Packs a program `hamr` as a release does; gives the folder. */
async function release(s: Stage): Promise<string> {
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  const name = `hamr-0.1.0-${Deno.build.os === "darwin" ? "macos" : "linux"}-${arch}`;
  s.outside.write(`release/${name}/hamr`, s.outside.read("bin/hamr"));
  Deno.chmodSync(s.outside.at(`release/${name}/hamr`), 0o755);
  const pack =
    `for k in xz gz; do tar -caf ${name}.tar.$k ${name}; done; sha256sum *.tar.* > SHA256SUMS`;
  const { code, err } = await run(["sh", "-c", pack], { cwd: s.outside.at("release") });
  assert.equal(code, 0, err);
  return s.outside.at("release");
}

Deno.test("act runs the action: it installs, a part passes and a part fails, later steps know both", async () => {
  const act = await go_program("github.com/nektos/act@v0.2.89");
  if (act === null) return;
  const workflow = block("ci.md", "uses: OWNER/hamr").replace("OWNER/hamr@v0.1.0", "./hamr");
  const files = {
    ".github/workflows/fix.yml": workflow
      .replace("          args: |", "          from: ${{ vars.FROM }}\n          args: |"),
    "hamr/action.yml": Deno.readTextFileSync(`${ROOT}action.yml`),
    "hamr/install.sh": Deno.readTextFileSync(`${ROOT}install.sh`),
  };
  await pipeline(files, async (s, env) => {
    // Not on the command line: everybody on the machine can read that.
    const secrets = s.outside.at("secrets.yml");
    Deno.writeTextFileSync(secrets, JSON.stringify({ HAMR_API_KEY: "not-a-key" }), { mode: 0o600 });
    const { code, out, err } = await run([
      ...[act, "push", "-P", "ubuntu-latest=-self-hosted", "--secret-file", secrets],
      ...["--var", `HAMR_BASE_URL=${s.server.url}`, "--var", `FROM=${await release(s)}`],
    ], { cwd: s.ws.path, env: { ...env, HAMR_MODEL: "scripted" } });
    assert.equal(code, 1, out + err);
    const jobs = ["fix-1", "fix-2"].map((name) =>
      out.split("\n").filter((line) => line.includes(name)).join("\n")
    );
    const passed = jobs.find((text) => text.includes("success, llm_done")) ?? "";
    const failed = jobs.find((text) => text.includes("partial, verification_failed")) ?? "";
    // The key came along.
    const keys = s.server.requests.map(({ headers }) => headers.get("authorization"));
    assert.deepEqual([...new Set(keys)], ["Bearer not-a-key"]);
    assert.match(passed, /hamr 0\.1\.0 is in [^]*Success - Main \.\/hamr/, out);
    // How the job ended act says of a part by what has become of the others so far: its steps tell.
    assert.doesNotMatch(passed, /Failure - /);
    assert.match(failed, /Failure - Main \.\/hamr[^]*Job failed/, out);
    // Nothing that a model says is a command.
    assert.doesNotMatch(out, /set-output:: status=fake|::error::fake\n.*Error: fake/);
    assert.match(out, /Summary - # ✅ Fix part two/);
  });
});

Deno.test("gitlab-ci-local runs the template, with its report", async () => {
  const gitlab = await npm_program("gitlab-ci-local@4.59.0");
  if (gitlab === null || !await debian("rsync", "rsync")) return;
  await pipeline({ ".gitlab-ci.yml": block("ci.md", "extends: .hamr") }, async (s, env) => {
    const { code, out, err } = await run([
      ...[gitlab, "--force-shell-executor", "--no-color", "--variable", "HAMR_MODEL=scripted"],
      ...["--variable", `HAMR_BASE_URL=${s.server.url}`],
    ], { cwd: s.ws.path, env });
    assert.equal(code, 0, out + err);
    assert.match(out, /PASS\s+fix/);
    const kept = `${s.ws.path}/.gitlab-ci-local/artifacts/fix`;
    assert.match(Deno.readTextFileSync(`${kept}/hamr/changes.patch`), /-one\n\+two/);
    const junit = Deno.readTextFileSync(`${s.ws.path}/hamr.xml`);
    assert.match(junit, /failures="0"/);
    assert.equal(Deno.readTextFileSync(`${s.ws.path}/hamr.json`), "[]\n");
  });
});
