/** A workspace's own settings can widen nothing until a person trusts them, as they are then. */
import assert from "node:assert/strict";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { inside_stage as stage, type Stage, type StageOptions } from "./support/stage.ts";

const FILE = ".hamr/config.toml";

/** Lets the model write to the folder outside, in a run of its own. */
const SCRIPT: StageOptions["script"] = (_, n) =>
  n % 2 === 0 ? bash("echo x > $OUT/new") : say(ANSWER);

function claims(s: Stage, more = ""): string {
  return `[permissions]\nwrite = ["${s.outside.path}"]\nenv = ["OUT"]\n${more}`;
}

async function writes_outside(s: Stage): Promise<{ wrote: boolean; warnings: readonly string[] }> {
  const args = ["run", "--output", "json", "--verify", "true", "Write it."];
  const run = await s.here(args, { env: { ...s.env, OUT: s.outside.path } });
  assert.equal(run.code, 0, run.stderr);
  const wrote = s.outside.exists("new");
  if (wrote) Deno.removeSync(s.outside.at("new"));
  return { wrote, warnings: run.result.warnings };
}

Deno.test("an untrusted workspace can widen nothing; a trusted one can, until its file changes", async () => {
  await stage({ script: SCRIPT, one_conversation: false }, async (s) => {
    s.ws.write(FILE, claims(s));
    const before = await writes_outside(s);
    assert.equal(before.wrote, false);
    assert.match(
      before.warnings.join("\n"),
      /config\.toml: ignored permissions\.write, permissions\.env.*hamr config trust/,
    );

    const trusting = await s.hamr(["config", "trust"]);
    assert.equal(trusting.code, 0, trusting.stderr);
    assert.match(
      trusting.stdout,
      new RegExp(`^permissions\\.write = \\["${s.outside.path}"\\]$`, "m"),
    );
    assert.match(trusting.stdout, /^permissions\.env = \["OUT"\]$/m);
    assert.match(trusting.stdout, /SHA-256 [0-9a-f]{64}/);
    const list = s.home.at(".local/share/hamr/trusted.json");
    assert.equal((Deno.statSync(list).mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await writes_outside(s), { wrote: true, warnings: [] });

    const again = await s.hamr(["config", "trust"]);
    assert.equal(again.code, 0);
    assert.match(again.stdout, /is already trusted, since \d{4}-/);

    s.ws.write(FILE, claims(s, "net = 'all'\n"));
    const after = await writes_outside(s);
    assert.equal(after.wrote, false);
    assert.match(after.warnings.join("\n"), /permissions\.net.*hamr config trust/);
  });
});

Deno.test("what an untrusted workspace decides of who sees the code, what is changed and what is saved, the user hears", async () => {
  await stage({ script: SCRIPT, one_conversation: false }, async (s) => {
    s.ws.write(FILE, "[agent]\nmode = 'auto'\n[sessions]\nsave = false\n");
    s.home.write(".config/hamr/config.toml", "[agent]\nmode = 'plan'\n");
    const run = await s.run("Write it.");
    assert.match(
      run.result.warnings.join(),
      /config\.toml decides agent\.mode = "auto", sessions\.save = false: you have not trusted/,
    );
    const planned = await s.run("Write it.", "--mode", "plan");
    assert.equal(planned.result.files_changed.length, 0);
    assert.equal((await s.hamr(["config", "trust"])).code, 0);
    assert.deepEqual((await s.run("Write it.")).result.warnings, []);
  });
});

/** The section of a provider whose key a command gives. */
const keyed = (url: string, command: string) =>
  `[providers.mine]\nbase_url = "${url}"\nmodel = "scripted"\n` +
  `api_key_cmd = ${JSON.stringify(command)}\n`;

Deno.test("the command that gives a key runs in the home folder, whichever file it stands in", async () => {
  await stage(
    { script: () => say(ANSWER), one_conversation: false, env: { HAMR_BASE_URL: "" } },
    async (s) => {
      const key_sent = async (env: Record<string, string> = {}) => {
        const run = await s.hamr(["run", "--output", "json", "--provider", "mine", "Say it."], {
          env: { ...s.env, ...env },
        });
        assert.equal(run.code, 0, run.stderr);
        return s.server.requests.at(-1)!.headers.get("authorization");
      };
      s.home.write(".config/hamr/config.toml", keyed(s.server.url, "pwd"));
      assert.equal(await key_sent(), `Bearer ${s.home.path}`);
      const own = s.home.at(".config");
      assert.equal(
        await key_sent({
          HOME: "/no/such",
          XDG_CONFIG_HOME: own,
          XDG_DATA_HOME: s.home.at("data"),
        }),
        "Bearer /",
      );
      // Nor does what it starts load code from there.
      s.home.write(".config/hamr/config.toml", keyed(s.server.url, "echo a$PYTHONPATH"));
      assert.equal(await key_sent({ PYTHONPATH: s.ws.at("lib") }), "Bearer a");
      s.ws.write(FILE, keyed(s.server.url, "pwd; true"));
      assert.equal((await s.hamr(["config", "trust"])).code, 0);
      assert.equal(await key_sent(), `Bearer ${s.home.path}`);
    },
  );
});

Deno.test("the command that gives a key starts nothing that commands can write, by its path, by PATH or by a link", async () => {
  await stage(
    { script: () => say(ANSWER), one_conversation: false, env: { HAMR_BASE_URL: "" } },
    async (s) => {
      const script = "#!/bin/sh\ntouch $(dirname $0)/ran\necho key\n";
      for (const name of ["key.sh", "bin/pass"]) {
        s.ws.write(name, script);
        Deno.chmodSync(s.ws.at(name), 0o755);
      }
      s.home.write("pass show mine.org/x", "");
      Deno.symlinkSync(s.ws.at("key.sh"), s.home.at("linked"));
      const asked = (...flags: string[]) =>
        s.hamr(["run", "--output", "json", "--provider", "mine", ...flags, "Say it."], {
          env: { ...s.env, PATH: `${s.ws.at("bin")}:bin:${s.env["PATH"] ?? "/usr/bin:/bin"}` },
        });
      for (
        const [command, file] of [
          ["./key.sh", FILE],
          [`sh '${s.ws.at("key.sh")}' 2>/dev/null`, FILE],
          [`cd ${s.ws.path} && make -s key`, "user"],
          ["~/linked", "user"],
          ['KEY=1 "$HOME/linked"', "user"],
        ] as const
      ) {
        const section = keyed(s.server.url, command);
        s.home.write(".config/hamr/config.toml", file === "user" ? section : "");
        s.ws.write(FILE, file === "user" ? "" : section);
        await s.hamr(["config", "trust"]);
        const { code, stderr } = await asked();
        assert.equal(code, 3, command);
        assert.match(stderr, /api_key_cmd of .* is where a run's commands may write/, command);
      }
      s.ws.write(FILE, "");
      s.home.write(".config/hamr/config.toml", keyed(s.server.url, "pass show mine.org/x"));
      const by_path = await asked();
      assert.equal(by_path.code, 3);
      assert.match(by_path.stderr, /the command failed \(exit code 127\)/);
      // What is in another folder that commands may write is no better.
      s.outside.write("tool.sh", script);
      s.home.write(
        ".config/hamr/config.toml",
        keyed(s.server.url, `sh ${s.outside.at("tool.sh")}`),
      );
      for (const flag of ["--add-dir", "--allow-write"]) {
        const added = await asked(`${flag}=${s.outside.path}`);
        assert.match(added.stderr, /tool\.sh is where a run's commands may write/, flag);
      }
      assert.ok(!s.outside.exists("ran") && !s.ws.exists("ran") && !s.ws.exists("bin/ran"));
      // Honest work.
      assert.equal((await asked()).code, 0);
      assert.ok(s.outside.exists("ran"));
    },
  );
});

const can_be_others = Deno.build.os === "linux" && Deno.uid() === 0;
const LISTENS = "import socket; s = socket.create_server(('127.0.0.1', 0)); " +
  "print(s.getsockname()[1], flush=True); s.accept()";

Deno.test({
  name: "a workspace's address leads to no server of another user's" +
    (can_be_others ? "" : " (NOT TESTED HERE: only root starts others' programs)"),
  ignore: !can_be_others,
  async fn() {
    const child = new Deno.Command("setpriv", {
      args: [
        ...["--reuid=54321", "--regid=54321", "--clear-groups", "--"],
        ...["/usr/bin/env", "python3", "-c", LISTENS],
      ],
      cwd: "/",
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin" },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = child.stdout.getReader();
    const port = Number(new TextDecoder().decode((await reader.read()).value));
    try {
      const env = { HAMR_BASE_URL: "" };
      await stage({ script: [say(ANSWER)], env, inside: false }, async (s) => {
        s.ws.write(FILE, `[provider]\nbase_url = "http://127.0.0.1:${port}/v1"\nmodel = "m"\n`);
        for (const more of [[], ["--provider", "llama.cpp"]]) {
          const theirs = await s.run("Say it.", ...more);
          assert.equal(theirs.code, 3, theirs.stderr);
          assert.match(theirs.stderr, /leads to .* server or another run's/);
        }
        // One's own is used as before.
        s.ws.write(FILE, `[provider]\nbase_url = "${s.server.url}"\nmodel = "scripted"\n`);
        const own = await s.run("Say it.");
        assert.deepEqual([own.code, own.result.final_output], [0, ANSWER], own.stderr);
      });
    } finally {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    }
  },
});

Deno.test("config path, config show and doctor say whether the workspace's file is trusted", async () => {
  await stage({ script: [] }, async (s) => {
    s.ws.write(FILE, "[permissions]\nnet = 'all'\n");
    const said = async () => {
      const [path, show, doctor] = await Promise.all([
        s.hamr(["config", "path"]),
        s.hamr(["config", "show"]),
        s.hamr(["doctor"]),
      ]);
      return [path.stdout, show.stdout, doctor.stdout] as const;
    };
    const [path, show, doctor] = await said();
    assert.match(path, /^workspace .*config\.toml {2}\(exists, not trusted\)$/m);
    assert.match(show, /^# .*config\.toml: not trusted \(hamr config trust\)\.$/m);
    assert.match(show, /^net = "own" +# default$/m);
    assert.match(doctor, /config\.toml \(workspace, not trusted\)$/m);
    assert.equal((await s.hamr(["config", "trust"])).code, 0);
    const [path_now, show_now, doctor_now] = await said();
    assert.match(path_now, /^workspace .*config\.toml {2}\(exists, trusted since \d{4}-.*\)$/m);
    assert.match(show_now, /^# .*config\.toml: trusted since \d{4}-.*\.$/m);
    assert.match(show_now, /^net = "all" +# workspace .*config\.toml:2$/m);
    assert.match(doctor_now, /config\.toml \(workspace, trusted\)$/m);
  });
});

Deno.test("no command of a run can trust the workspace, and none of its writes does", async () => {
  const command =
    "mkdir -p .hamr; printf '[permissions]\\nnet = \"all\"\\n' > .hamr/config.toml; " +
    "d=$HOME/.local/share/hamr; mkdir -p $d; echo '{}' > $d/trusted.json; ls $d; true";
  await stage({ script: [bash(command), say(ANSWER)] }, async (s) => {
    const run = await s.run("Do it.", "--verify", "true");
    assert.equal(run.code, 0, run.stderr);
    assert.ok(!s.home.exists(".local/share/hamr/trusted.json"));
    assert.ok(!s.ws.exists(FILE));
  });
});

Deno.test("config trust says what is in the way", async () => {
  await stage({ script: [] }, async (s) => {
    const none = await s.hamr(["config", "trust"]);
    assert.equal(none.code, 3);
    assert.match(
      none.stderr,
      /^hamr: config trust: .*\.hamr\/config\.toml does not exist, and neither does .*\.mcp\.json\n$/,
    );
    s.ws.write(FILE, "[permissions\n");
    const broken = await s.hamr(["config", "trust"]);
    assert.equal(broken.code, 3);
    assert.match(broken.stderr, /config\.toml:1: not valid TOML/);
    assert.equal(broken.stdout, "");
    s.ws.write(FILE, "[permissions]\nnet = 'all'\n");
    const own = await s.hamr(["config", "trust"], { env: { HAMR_HOME: s.ws.at(".hamr") } });
    assert.equal(own.code, 3);
    assert.match(own.stderr, /is your own settings file/);
    const inside = await s.hamr(["config", "trust"], { env: { HAMR_HOME: s.ws.at("home") } });
    assert.equal(inside.code, 3);
    assert.match(inside.stderr, /is in the workspace, which/);
    s.ws.write(FILE, "[agent]\nmode = 'ask'\n");
    const harmless = await s.hamr(["config", "trust"]);
    assert.match(harmless.stdout, /has nothing that needs trust/);
    assert.ok(!s.ws.exists("home"));
  });
});
