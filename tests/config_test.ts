import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { type Stage, stage, type StageOptions } from "./support/stage.ts";

const USER = ".config/hamr/config.toml";
const WORKSPACE = ".hamr/config.toml";

/** Works until it is stopped: the number of steps shows which limit was in force. */
const ENDLESS: StageOptions = {
  script: (request, n) =>
    request.body.tool_choice === "none" ? { text: "I was stopped." } : bash(`echo ${n}`),
};

async function limit_of(s: Stage, ...flags: string[]): Promise<number> {
  const { result } = await s.run("Count.", "--mode", "ask", ...flags);
  assert.equal(result.stop_reason, "max_steps");
  return s.server.requests.filter((request) => request.body.tool_choice !== "none").length;
}

const limit = (n: number) => `[agent]\nmax_model_steps = ${n}\n`;

Deno.test("each layer of settings wins over the one before", async () => {
  await stage(ENDLESS, async (s) => {
    s.home.write(USER, limit(1));
    assert.equal(await limit_of(s), 1);
  });
  await stage(ENDLESS, async (s) => {
    s.home.write(USER, limit(1));
    s.ws.write(WORKSPACE, limit(2));
    assert.equal(await limit_of(s), 2);
  });
  const env = { HAMR_AGENT_MAX_MODEL_STEPS: "3" };
  await stage({ ...ENDLESS, env }, async (s) => {
    s.home.write(USER, limit(1));
    s.ws.write(WORKSPACE, limit(2));
    assert.equal(await limit_of(s), 3);
  });
  await stage({ ...ENDLESS, env }, async (s) => {
    s.home.write(USER, limit(1));
    s.ws.write(WORKSPACE, limit(2));
    assert.equal(await limit_of(s, "--max-steps", "4"), 4);
  });
});

Deno.test("the user's file is where XDG_CONFIG_HOME says", async () => {
  await stage(ENDLESS, async (s) => {
    s.home.write("xdg/hamr/config.toml", limit(2));
    s.home.write(USER, limit(1));
    const env = { ...s.env, XDG_CONFIG_HOME: s.home.at("xdg") };
    const args = ["run", "--json", "--mode", "ask", "Count."];
    assert.equal((await s.hamr(args, { env })).result.stop_reason, "max_steps");
    assert.equal(s.server.requests.length, 3);
  });
});

Deno.test("a file for all users of a machine holds until their own says otherwise", async () => {
  await stage({ ...ENDLESS, env: {}, violations: true }, async (s) => {
    const address = `[provider]\nbase_url = "${s.server.url}"\nmodel = "scripted"\n`;
    s.outside.write("hamr/config.toml", `${address}${limit(1)}`);
    s.outside.write("less/hamr/config.toml", limit(9));
    s.outside.write("none/hamr/config.toml", "");
    const dirs = [s.outside.at("none"), s.outside.path, s.outside.at("less")];
    const env = { XDG_CONFIG_DIRS: dirs.join(":") };
    const steps = async (env: Record<string, string>) => {
      const { result } = await s.hamr(["run", "--json", "--mode", "ask", "Count."], { env });
      return result.steps;
    };
    assert.equal(await steps(env), 1);
    s.home.write(USER, limit(2));
    assert.equal(await steps(env), 2);
    const path = s.outside.at("hamr/config.toml");
    const { stdout } = await s.hamr(["config", "path"], { env });
    assert.match(stdout, /^system .*less\/hamr.*\nsystem .*\nsystem .*none\/hamr.*\nuser /);
    assert.ok(stdout.includes(`${path}  (exists)`), stdout);
    const doctor = await s.hamr(["doctor"], { env });
    assert.ok(doctor.stdout.includes(`✓ settings: ${path} (system)\n`), doctor.stdout);
    s.outside.write("hamr/config.toml", "[agent]\nmoode = 1\n");
    const broken = await s.hamr(["run", "Count."], { env });
    assert.equal(broken.code, 3);
    assert.ok(broken.stderr.includes(`${path}:2`), broken.stderr);
  });
});

Deno.test("commands that may write where a machine's file is are told of, unless HAMR_HOME leaves it out", async () => {
  await stage({ script: [] }, async (s) => {
    const env = { XDG_CONFIG_DIRS: s.outside.path };
    const said = async (env: Record<string, string>) => {
      const args = ["sandbox", `--allow-write=${s.outside.path}`, "--", "true"];
      return (await s.hamr(args, { env: { ...s.env, ...env } })).stderr;
    };
    assert.match(await said(env), /own settings or data \(.*\/hamr\/config\.toml\), which later/);
    assert.doesNotMatch(await said({ ...env, HAMR_HOME: s.home.at("own") }), /own settings/);
  });
});

Deno.test("--config names a file", async () => {
  await stage(ENDLESS, async (s) => {
    s.ws.write("mine.toml", limit(2));
    assert.equal(await limit_of(s, "--config", "mine.toml"), 2);
  });
  await stage({ script: [] }, async (s) => {
    const { result } = await s.run("Count.", "--config", "missing.toml");
    assert.equal(result.exit_code, 3);
    assert.match(result.error?.message ?? "", /^--config missing\.toml: can't be read: no such/);
  });
});

Deno.test("a fault in a settings file names file, line and key", async () => {
  const faulty: readonly (readonly [string, number, RegExp])[] = [
    ["[agent]\nmax_model_steps = 3\nmax_steps = 3\n", 3, /max_steps/],
    ["\n[agnet]\nmax_model_steps = 3\n", 2, /agnet/],
    ['[agent]\n\nmax_model_steps = "3"\n', 3, /max_model_steps/],
    ["[agent]\nmax_model_steps = -3\n", 2, /max_model_steps/],
    ["[verify]\ncommand = 1\n", 2, /command/],
    ['[agent]\nmode = "fast"\n', 2, /mode/],
    ["[agent]\nmode = \n", 2, /./],
    ["agent = 3\n", 1, /agent/],
    ["[permissions]\nwrite = [1]\n", 2, /write/],
  ];
  await each(faulty, ([text, line, key]) =>
    stage({ script: [] }, async (s) => {
      s.home.write(USER, text);
      const { result, stderr } = await s.run("What is it?");
      assert.equal(result.exit_code, 3, text);
      const told = result.error?.message ?? "";
      assert.ok(told.includes(`config.toml:${line}`), `${told}\nin\n${text}`);
      assert.match(told, key);
      assert.match(stderr, key);
      assert.deepEqual(s.server.requests.length, 0);
    }));
});

Deno.test("a fault in the workspace's file is found as well", async () => {
  await stage({ script: [] }, async (s) => {
    s.ws.write(WORKSPACE, "[agent]\nbogus = 1\n");
    const { result } = await s.run("What is it?");
    assert.equal(result.exit_code, 3);
    assert.match(result.error?.message ?? "", /\.hamr\/config\.toml:2.*bogus/);
  });
});

Deno.test("a setting in the environment that is not a number names its variable", async () => {
  await stage({ script: [], env: { HAMR_AGENT_MAX_MODEL_STEPS: "few" } }, async (s) => {
    const { result } = await s.run("What is it?");
    assert.equal(result.exit_code, 3);
    assert.match(result.error?.message ?? "", /HAMR_AGENT_MAX_MODEL_STEPS.*few/);
  });
});

Deno.test("a settings file that can't be read is named", async () => {
  await stage({ script: [] }, async (s) => {
    s.home.write(`${USER}/`, "");
    const { result } = await s.run("What is it?");
    assert.equal(result.exit_code, 3);
    assert.match(result.error?.message ?? "", /config\.toml/);
  });
  await stage({ script: [] }, async (s) => {
    s.home.write(USER, new Uint8Array([0xff, 0xfe, 0x00, 0x41]));
    const { result } = await s.run("What is it?");
    assert.equal(result.exit_code, 3);
    assert.match(result.error?.message ?? "", /config\.toml/);
  });
});

Deno.test("a workspace's word on permissions and providers is ignored with a warning", async () => {
  const calls = (
    path: string,
  ) => [bash(`echo x > ${path}; true`), { text: "It was tried as asked." }];
  let target = "";
  const script: StageOptions["script"] = (_, n) => calls(target)[n] ?? {};
  await stage({ script }, async (s) => {
    target = s.outside.at("x");
    s.ws.write(
      WORKSPACE,
      `[permissions]\nwrite = ["${s.outside.path}"]\nnet = "all"\n` +
        `[providers.evil]\nbase_url = "http://127.0.0.1:9/v1"\n[agent]\nmax_model_steps = 9\n`,
    );
    const { result, stderr } = await s.run("Try it.", "--verify", "true");
    assert.equal(result.exit_code, 0);
    assert.ok(!s.outside.exists("x"), "the workspace gave itself a right");
    const warned = result.warnings.join("\n");
    assert.match(warned, /\.hamr\/config\.toml/);
    for (const key of ["permissions", "write", "net", "providers"]) {
      assert.ok(warned.includes(key), `${key} is not named in: ${warned}`);
    }
    assert.match(stderr, /permissions/);
  });
});

Deno.test("config show says where each value came from, and hides secrets", async () => {
  const env = { HAMR_AGENT_REPAIR_ATTEMPTS: "4", OPENAI_API_KEY: "sk-very-secret-0123456789" };
  await stage({ script: [], env }, async (s) => {
    s.home.write(USER, limit(7) + '[providers.mine]\nbase_url = "http://127.0.0.1:9/v1"\n');
    s.ws.write(WORKSPACE, "[agent]\nmax_tool_calls = 11\n");
    const { code, stdout, stderr } = await s.hamr(["config", "show"]);
    assert.equal(code, 0, stderr);
    const line = (key: string) => stdout.split("\n").find((one) => one.includes(key)) ?? "";
    assert.match(line("max_model_steps"), /7.*\.config\/hamr\/config\.toml/);
    assert.match(line("max_tool_calls"), /11.*\.hamr\/config\.toml/);
    assert.match(line("repair_attempts"), /4.*HAMR_AGENT_REPAIR_ATTEMPTS/);
    assert.match(line("step_timeout_s"), /0.*default/);
    assert.doesNotMatch(stdout + stderr, /very-secret/);
  });
});

Deno.test("HAMR_HOME is where settings are kept", async () => {
  await stage({ script: [] }, async (s) => {
    const env = { ...s.env, HAMR_HOME: s.home.at("mine") };
    const path = await s.hamr(["config", "path"], { env });
    assert.ok(path.stdout.includes(s.home.at("mine/")), path.stdout);
    assert.equal((await s.hamr(["config", "init"], { env })).code, 0);
    assert.ok(s.home.exists("mine/config.toml"));
    assert.ok(!s.home.exists(".config"));
  });
});

Deno.test("where commands can write hamr's own settings or data, that is said", async () => {
  await stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    const said = async (env: Record<string, string>, ...flags: string[]) => {
      const { result } = await s.inside(["run", "--json", ...flags, "What?"], {
        env: { ...s.env, ...env },
      });
      return result.warnings.filter((line) => line.includes("hamr's own settings or data")).join();
    };
    assert.equal(await said({}), "");
    const [inside, beside] = [s.ws.at("mine"), s.outside.at("mine")];
    for (const path of [inside, `${beside}/skills`]) Deno.mkdirSync(path, { recursive: true });
    assert.match(
      await said({ HAMR_HOME: inside }),
      /\(.*\/mine\/config\.toml, .*\/mine\), which later/,
    );
    assert.match(
      await said({ XDG_CONFIG_HOME: inside }),
      /\(.*\/mine\/hamr\/config\.toml\), which/,
    );
    // The file itself is put back, as is one for all users.
    for (const name of ["XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"]) {
      const plant = "mkdir mine/hamr; > mine/hamr/config.toml";
      const planted = await s.hamr(["sandbox", "--", "sh", "-c", plant], {
        env: { ...s.env, [name]: inside },
      });
      assert.match(planted.stderr, /put back mine\/hamr\/config\.toml/);
      assert.ok(!s.ws.exists("mine/hamr/config.toml"), name);
      Deno.removeSync(`${inside}/hamr`);
    }
    assert.match(
      await said({ HAMR_HOME: beside }, `--allow-write=${beside}/skills`),
      /\/mine\/config\.toml, .*\/mine\), which later/,
    );
    for (const flags of [[], ["--read-only"], ["--allow-write"], ["--sandbox", "off"]]) {
      const HAMR_HOME = flags.length === 0 ? beside : inside;
      assert.equal(await said({ HAMR_HOME }, ...flags), "", flags.join(" "));
    }
  });
});

Deno.test("config path and config init name and make the user's file, which is then good", async () => {
  await stage({ script: [] }, async (s) => {
    const path = await s.hamr(["config", "path"]);
    assert.equal(path.code, 0);
    assert.ok(path.stdout.includes(s.home.at(USER)), path.stdout);
    assert.equal((await s.hamr(["config", "init"])).code, 0);
    const made = s.home.read(USER);
    assert.match(made, /max_model_steps/);
    const show = await s.hamr(["config", "show"]);
    assert.equal(show.code, 0, show.stderr);
    s.home.write(USER, "# mine\n");
    await s.hamr(["config", "init"]);
    assert.equal(s.home.read(USER), "# mine\n", "init overwrote a file");
  });
});

Deno.test("a variable that is a slip of one that hamr reads is told, without its value; a script's own is not", async () => {
  const env = { HAMR_MODLE: "other", HAMR_APIKEY: "sk-secret", HAMR_BIN: "/x", HAMR_TASK: "t" };
  await stage({ script: [say(ANSWER)], env }, async (s) => {
    const { result, stderr } = await s.run("Answer.", "--mode", "ask");
    assert.equal(result.exit_code, 0);
    assert.deepEqual(result.warnings, [
      "HAMR_APIKEY is not a variable that hamr reads; did you mean HAMR_API_KEY?",
      "HAMR_MODLE is not a variable that hamr reads; did you mean HAMR_MODEL?",
    ]);
    assert.equal(stderr.split("HAMR_MODLE").length, 2);
    assert.doesNotMatch(stderr, /sk-secret|HAMR_BIN|HAMR_TASK/);
    const doctor = await s.hamr(["doctor"]);
    assert.match(doctor.stdout, /^⚠ settings: HAMR_MODLE is not/m);
  });
  // Nor is it left out where it is why nothing begins.
  await stage({ script: [] }, async (s) => {
    const env = { HAMR_BASEURL: s.server.url, HAMR_PROVIDER: "nowhere" };
    const { code, stderr } = await s.hamr(["run", "Answer."], {
      env: { HOME: s.home.path, ...env },
    });
    assert.deepEqual([code, s.server.requests.length], [3, 0], stderr);
    const said = "HAMR_BASEURL is not a variable that hamr reads; did you mean HAMR_BASE_URL?";
    assert.equal(stderr.split(said).length, 2, stderr);
  });
});
