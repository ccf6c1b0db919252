import { match, rejects, strictEqual } from "node:assert/strict";
import { parse } from "smol-toml";
import { parse as parse_args } from "./args/args.ts";
import { config } from "./config.ts";

/** Runs `hamr config …` in a fresh home and workspace. */
async function with_place(
  work: (place: {
    root: string;
    run: (...argv: string[]) => Promise<{ out: string; err: string }>;
    environ: Record<string, string>;
  }) => Promise<void>,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const environ: Record<string, string> = { HAMR_HOME: `${root}/new/home` };
  const run = async (...argv: string[]) => {
    const seen = { out: "", err: "" };
    const code = await config(parse_args(["config", ...argv]), {
      out: (text) => void (seen.out += text),
      err: (text) => void (seen.err += text),
      env: (name) => environ[name],
      environ: () => environ,
    });
    strictEqual(code, 0);
    return seen;
  };
  try {
    await work({ root, run, environ });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("config init writes a private file once, and names it", async () => {
  await with_place(async ({ root, run }) => {
    const file = `${root}/new/home/config.toml`;
    strictEqual((await run("init")).out, `${file}\n`);
    strictEqual((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);
    const written = Deno.readTextFileSync(file);
    await rejects(run("init"), /config\.toml: already exists; /);
    strictEqual(Deno.readTextFileSync(file), written);
    // The file as written changes nothing.
    strictEqual((await run("show")).out.includes("# user"), false);
  });
});

Deno.test("config init writes what is for all users of a machine so that they can read it", async () => {
  await with_place(async ({ root, run, environ }) => {
    Object.assign(environ, { HAMR_HOME: "", XDG_CONFIG_DIRS: `${root}/xdg` });
    await run("init", "--config", `${root}/xdg/hamr/config.toml`);
    const modes = ["", "/config.toml"].map((name) => Deno.statSync(`${root}/xdg/hamr${name}`).mode);
    strictEqual(modes.map((mode) => (mode ?? 0) & 0o444).join(), [0o444, 0o444].join());
  });
});

Deno.test("config init goes where --config says, and nowhere without a home", async () => {
  await with_place(async ({ root, run, environ }) => {
    await run("init", "--config", `${root}/a/b.toml`);
    strictEqual(Deno.statSync(`${root}/a/b.toml`).isFile, true);
    await rejects(run("init", "--config", `${root}/a/b.toml/c`), /b\.toml\/c: can't be written: /);
    Deno.symlinkSync(`${root}/nowhere`, `${root}/link`);
    await rejects(run("init", "--config", `${root}/link`), /link: /);
    delete environ.HAMR_HOME;
    await rejects(run("init"), /set HOME or HAMR_HOME/);
  });
});

Deno.test("config path names the files and whether they exist", async () => {
  await with_place(async ({ root, run, environ }) => {
    Deno.mkdirSync(`${root}/.hamr`);
    Deno.writeTextFileSync(`${root}/.hamr/config.toml`, "broken [");
    const { out } = await run("path", "-C", root);
    match(out, new RegExp(`^user +${root}/new/home/config.toml {2}\\(does not exist\\)$`, "m"));
    match(
      out,
      new RegExp(`^workspace +${root}/.hamr/config.toml {2}\\(exists, not trusted\\)$`, "m"),
    );
    match(out, new RegExp(`^data +${root}/new/home {2}\\(does not exist\\)$`, "m"));
    delete environ.HAMR_HOME;
    match((await run("path", "-C", root)).out, /^user +none: neither HOME nor HAMR_HOME is set$/m);
    await rejects(run("path", "-C", `${root}/none`), /must be an existing folder/);
  });
});

Deno.test("config show prints the merged settings, their sources, and no key", async () => {
  await with_place(async ({ root, run, environ }) => {
    Deno.mkdirSync(`${root}/new/home`, { recursive: true });
    Deno.writeTextFileSync(
      `${root}/new/home/config.toml`,
      '[providers.mine]\napi_key_env = "MY_KEY"\nheaders = { Authorization = "hunter2" }\n',
    );
    Deno.mkdirSync(`${root}/.hamr`);
    Deno.writeTextFileSync(`${root}/.hamr/config.toml`, "[permissions]\nnet = 'all'\n");
    Object.assign(environ, { MY_KEY: "hunter2", OPENAI_API_KEY: "hunter2", HAMR_MODEL: "m" });
    const { out, err } = await run("show", "-C", root, "--allow-write=a", "--verify", "x");
    strictEqual(out.includes("hunter2"), false);
    match(out, /^model = "m" +# env HAMR_MODEL$/m);
    match(out, /^mode = "verify" +# flag --verify$/m);
    match(out, /^write = \["a"\] +# flag --allow-write$/m);
    match(out, /^net = "own" +# default$/m);
    match(out, /^api_key_env = "MY_KEY" +# user .*config\.toml:2$/m);
    match(out, /^# MY_KEY +set \(\*\*\*\)$/m);
    match(out, /^# OPENAI_API_KEY +set \(\*\*\*\)$/m);
    match(out, /^# HAMR_API_KEY +not set$/m);
    match(err, /^hamr: warning: .*\.hamr\/config\.toml: ignored permissions\.net: .*\n$/);
    parse(out);
  });
});
