import assert from "node:assert/strict";
import { passwd_homes, PermissionError } from "./paths.ts";
import { build_policy, type Permissions, prune_outputs } from "./policy.ts";
import { settle } from "./make_folders.ts";

const ASKED: Permissions = {
  read: [],
  deny_read: ["~/.ssh"],
  more_denied: [],
  write: [],
  run: [],
  net: "own",
  env: [],
  sandbox: "auto",
  read_only: false,
};
const DAY_MS = 86_400_000;

interface Place {
  /** Holds everything, and is removed. */
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly data: string;
  build(asked?: Partial<Permissions>, environ?: Record<string, string>): ReturnType<
    typeof build_policy
  >;
}

/** A home with a workspace in it. */
async function with_place(work: (place: Place) => void | Promise<void>): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const home = `${root}/home`;
  const workspace = `${home}/project`;
  Deno.mkdirSync(workspace, { recursive: true });
  Deno.mkdirSync(`${root}/tmp`);
  const data = `${home}/data`;
  try {
    await work({
      root,
      home,
      workspace,
      data,
      build(asked = {}, environ = {}) {
        return build_policy({ ...ASKED, ...asked }, {
          workspace,
          environ: { HOME: home, PATH: "/usr/bin:/bin", TMPDIR: `${root}/tmp`, ...environ },
          data_dir: data,
          config_file: `${home}/.config/hamr/config.toml`,
          session_id: crypto.randomUUID(),
        });
      },
    });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

function refusal(work: () => Promise<unknown>, words: RegExp): Promise<void> {
  return assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof PermissionError);
    assert.match(error.message, words);
    return true;
  });
}

const system_home = passwd_homes().find(({ uid }) => uid === Deno.uid())?.home ?? "";

Deno.test("children get the variables of the list, and those asked for", async () => {
  await with_place(async ({ build, home, root }) => {
    const environ = {
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      OPENAI_API_KEY: "secret",
      HAMR_API_KEY: "secret",
      AWS_SECRET_ACCESS_KEY: "secret",
      LD_PRELOAD: "/evil.so",
      BASH_ENV: "/evil",
      NODE_OPTIONS: "--require /evil.js",
      DATABASE_URL: "secret",
      JAVA_HOME: "/jdk",
      GIT_AUTHOR_NAME: "Ada",
      GIT_DIR: "/evil",
      HTTPS_PROXY: "http://proxy:3128",
      http_proxy: "http://me:secret@proxy:3128",
      AGENT: "other",
    };
    const policy = await build({ env: ["DATABASE_URL", "TMPDIR", "NOT_SET"] }, environ);
    assert.deepEqual(policy.env, {
      HOME: home,
      PATH: "/usr/bin:/bin",
      SHELL: "/bin/bash",
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      DATABASE_URL: "secret",
      JAVA_HOME: "/jdk",
      GIT_AUTHOR_NAME: "Ada",
      TMPDIR: policy.tmp,
      AGENT: "hamr",
    });
    assert.ok(policy.tmp.startsWith(`${root}/tmp/hamr-`));
    const open = (await build({ net: "all" }, environ)).env;
    assert.deepEqual([open["HTTPS_PROXY"], open["http_proxy"]], ["http://proxy:3128", undefined]);
    const own = (await build({}, { PATH: "", SHELL: "/bin/zsh" })).env;
    assert.deepEqual([own["PATH"], own["SHELL"]], ["", "/bin/zsh"]);
  });
});

Deno.test("nothing is made before the policy is settled; then each run has folders of its own", async () => {
  await with_place(async ({ build, data, root }) => {
    const [one, two] = [await build(), await build()];
    assert.deepEqual([...Deno.readDirSync(`${root}/tmp`)], []);
    assert.throws(() => Deno.statSync(data), Deno.errors.NotFound);
    assert.notEqual(one.tmp, two.tmp);
    const made = settle(one);
    assert.equal((Deno.statSync(made.tmp).mode ?? 0) & 0o777, 0o700);
    assert.equal((Deno.statSync(made.spill).mode ?? 0) & 0o777, 0o700);
    assert.equal(made.spill, one.spill);
    assert.ok(Deno.statSync(made.cache).isDirectory);
    assert.equal(made.cache, two.cache);
    // A folder that is there already may be a trap.
    assert.throws(() => settle(one), Deno.errors.AlreadyExists);
  });
});

Deno.test("a temporary folder may have a line end in its name", async () => {
  await with_place(async ({ build, root }) => {
    const tmp = `${root}/tmp/two\nlines`;
    Deno.mkdirSync(tmp);
    assert.equal(settle({ ...await build(), tmp: `${tmp}/run` }).tmp, `${tmp}/run`);
  });
});

Deno.test("where the data folder cannot be made, outputs and caches last as long as the run", async () => {
  await with_place(async ({ build, data }) => {
    Deno.writeTextFileSync(data, "a file is in the way");
    const policy = settle(await build());
    assert.equal(policy.spill, `${policy.tmp}/output`);
    assert.equal(policy.cache, `${policy.tmp}/cache`);
    assert.ok(Deno.statSync(policy.spill).isDirectory);
  });
});

Deno.test("folders that may be written or read are real paths, and there", async () => {
  await with_place(async ({ build, root, home }) => {
    Deno.mkdirSync(`${home}/real`);
    Deno.symlinkSync(`${home}/real`, `${root}/link`);
    const policy = await build({ write: [`${root}/link`, "~/real", "~"], read: ["~/real"] });
    assert.deepEqual(policy.write, [`${home}/real`, `${home}/real`, home]);
    assert.deepEqual(policy.read, [`${home}/real`]);
    assert.equal((await build({ write: "all" })).write, "all");
    assert.equal((await build()).read, "all");
    await refusal(
      () => build({ write: [`${root}/none`] }),
      /^--allow-write=.*none: there is no such file or folder; make it first$/,
    );
    await refusal(() => build({ read: ["~/none"] }), /^--allow-read=~\/none: there is no/);
  });
});

Deno.test("keys and hamr's own folders are not read, unless all reading was asked for", async () => {
  await with_place(async ({ build, home, data }) => {
    const own = [data, `${home}/.config/hamr/config.toml`];
    // The system may know of another home than HOME says: the keys may be there.
    const keys = [`${home}/.ssh`, `${system_home}/.ssh`];
    const denied = (await build()).deny_read;
    for (const path of [...keys, ...own]) assert.ok(denied.includes(path), path);
    assert.ok((await build({}, { HOME: "" })).deny_read.includes(`${system_home}/.ssh`));
    assert.deepEqual((await build({ read: "all" })).deny_read, []);
    assert.deepEqual(
      (await build({ read: "all", more_denied: ["~/x/../y", "/z/"] })).deny_read,
      [`${home}/y`, `${system_home}/y`, "/z"],
    );
  });
});

Deno.test("a workspace that holds what must not be read, or is in it, is refused by both names", async () => {
  await with_place(async ({ build, workspace, home, root }) => {
    await refusal(() => build({ more_denied: [home] }), new RegExp(`${workspace}.* ${home} `));
    Deno.writeTextFileSync(`${workspace}/key`, "x");
    await refusal(
      () => build({ more_denied: [`${workspace}/key`] }),
      /project can't be.*project\/key/,
    );
    await build({ more_denied: [`${workspace}/not-there`] });
    await build({ more_denied: [home], sandbox: "off" });
    const at_home = { HOME: workspace };
    await refusal(() => build({}, at_home), /holds your home folder/);
    await build({ read: "all" }, at_home);
    await build({}, { HOME: `${root}/elsewhere` });
  });
});

Deno.test("programs are resolved to what has to be executable for them", async () => {
  await with_place(async ({ build, root }) => {
    assert.equal((await build()).run, "all");
    assert.equal((await build({ run: "all" })).run, "all");
    const script = (name: string, text: string) => {
      Deno.writeTextFileSync(`${root}/${name}`, text, { mode: 0o755 });
      return `${root}/${name}`;
    };
    const inner = script("inner", "#!/bin/sh\n");
    const outer = script("outer", `#!/usr/bin/env -S FOO=1 inner\n`);
    Deno.symlinkSync(outer, `${root}/link`);
    const { run } = await build({ run: ["link"] }, { PATH: `${root}:/usr/bin:/bin` });
    assert.ok(Array.isArray(run));
    const expected = [outer, inner, "/usr/bin/env", "/bin/sh", "/bin/bash"];
    for (const file of expected) assert.ok(run.includes(Deno.realPathSync(file)), file);
    // Their loader.
    assert.ok(run.some((file) => /\/ld-[^/]*$/.test(file)), run.join(" "));
    const folder = await build({ run: [root, `${root}/inner`] });
    assert.ok(folder.run.includes(root) && !folder.run.includes(inner));
    await refusal(() => build({ run: ["no-such-program"] }), /^--allow-run=no-such-program: /);
  });
});

Deno.test("old outputs are removed, newer ones, strange ones and those of a session at work stay", () => {
  return with_place(async ({ data }) => {
    const outputs = `${data}/tool-output`;
    const age = (name: string, days: number) => {
      const time = new Date(Date.now() - days * DAY_MS);
      Deno.utimeSync(`${outputs}/${name}`, time, time);
    };
    const is_at_work = (name: string) => name === "long";
    for (const name of ["old", "older", "new", "long"]) {
      Deno.mkdirSync(`${outputs}/${name}`, { recursive: true });
      Deno.writeTextFileSync(`${outputs}/${name}/output-1.txt`, "x");
    }
    age("old", 8);
    age("older", 30);
    age("long", 30);
    age("new", 6);
    await prune_outputs(data, 0, is_at_work);
    await prune_outputs(null, 7, is_at_work);
    assert.equal([...Deno.readDirSync(outputs)].length, 4);
    await prune_outputs(data, 7, is_at_work);
    const left = [...Deno.readDirSync(outputs)].map(({ name }) => name).sort();
    assert.deepEqual(left, ["long", "new"]);
    await prune_outputs(`${data}/none`, 7, is_at_work);
  });
});

Deno.test("a program that ends before its tools were started leaves no folders behind", async () => {
  await with_place(async ({ build, root }) => {
    const policy = await build();
    const module = new URL("./make_folders.ts", import.meta.url).href;
    const program = `
      import { settle } from ${JSON.stringify(module)};
      console.log(settle(${JSON.stringify(policy)}).tmp);
      Deno.exit(3);`;
    Deno.writeTextFileSync(`${root}/program.ts`, program);
    const done = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-config", `${root}/program.ts`],
    }).outputSync();
    assert.equal(done.code, 3, new TextDecoder().decode(done.stderr));
    assert.equal(new TextDecoder().decode(done.stdout).trim(), policy.tmp);
    assert.throws(() => Deno.statSync(policy.tmp), Deno.errors.NotFound);
    assert.throws(() => Deno.statSync(policy.spill), Deno.errors.NotFound);
  });
});
