import assert from "node:assert/strict";
import { build_policy, PermissionError, type Permissions, prune_outputs } from "./policy.ts";

const ASKED: Permissions = { write: [], net: "none", env: [], sandbox: "auto" };
const DAY_MS = 86_400_000;

interface Place {
  readonly root: string;
  readonly data: string;
  build(asked?: Partial<Permissions>, environ?: Record<string, string>): ReturnType<
    typeof build_policy
  >;
}

/** A place for a policy; its temporary folders are taken away again. */
function with_place(work: (place: Place) => void): void {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const made: string[] = [];
  try {
    work({
      root,
      data: `${root}/data`,
      build(asked = {}, environ = { HOME: root, PATH: "/bin" }) {
        const policy = build_policy({ ...ASKED, ...asked }, {
          workspace: root,
          environ,
          data_dir: `${root}/data`,
          session_id: "s1",
        });
        made.push(policy.tmp);
        return policy;
      },
    });
  } finally {
    for (const folder of [...made, root]) Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("children get the variables of the list, and those asked for", () => {
  with_place(({ build, root }) => {
    const environ = {
      HOME: root,
      PATH: "/bin",
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      OPENAI_API_KEY: "secret",
      HAMR_API_KEY: "secret",
      AWS_SECRET_ACCESS_KEY: "secret",
      LD_PRELOAD: "/evil.so",
      BASH_ENV: "/evil",
      TMPDIR: "/elsewhere",
      GOPATH: "/go",
      AGENT: "other",
    };
    const policy = build({ env: ["GOPATH", "TMPDIR", "NOT_SET"] }, environ);
    assert.deepEqual(policy.env, {
      HOME: root,
      PATH: "/bin",
      LANG: "C",
      LC_ALL: "C",
      TERM: "xterm",
      GOPATH: "/go",
      TMPDIR: policy.tmp,
      AGENT: "hamr",
    });
    assert.equal(build({}, {}).env["PATH"], "/usr/local/bin:/usr/bin:/bin");
  });
});

Deno.test("each run has folders of its own, for nobody else", () => {
  with_place(({ build, data }) => {
    const [one, two] = [build(), build()];
    assert.notEqual(one.tmp, two.tmp);
    assert.equal((Deno.statSync(one.tmp).mode ?? 0) & 0o777, 0o700);
    assert.equal(one.spill, `${data}/tool-output/s1`);
    assert.equal((Deno.statSync(one.spill).mode ?? 0) & 0o777, 0o700);
  });
});

Deno.test("where the data folder cannot be made, outputs last as long as the run", () => {
  with_place(({ build, data }) => {
    Deno.writeTextFileSync(data, "a file is in the way");
    const policy = build();
    assert.equal(policy.spill, `${policy.tmp}/output`);
    assert.ok(Deno.statSync(policy.spill).isDirectory);
  });
});

Deno.test("folders that may be written are real paths, and there", () => {
  with_place(({ build, root }) => {
    Deno.mkdirSync(`${root}/real`);
    Deno.symlinkSync(`${root}/real`, `${root}/link`);
    assert.deepEqual(build({ write: [`${root}/link`, "~/real", "~"] }).write, [
      `${root}/real`,
      `${root}/real`,
      root,
    ]);
    assert.equal(build({ write: "all" }).write, "all");
    assert.throws(
      () => build_of_missing(build, `${root}/none`),
      (error: unknown) =>
        error instanceof PermissionError &&
        error.message ===
          `--allow-write=${root}/none: there is no such file or folder; make it first`,
    );
  });
});

function build_of_missing(build: Place["build"], path: string): void {
  build({ write: [path] });
}

Deno.test("old outputs are removed, newer ones and strange ones stay", () => {
  with_place(({ data }) => {
    const outputs = `${data}/tool-output`;
    const age = (name: string, days: number) => {
      const time = new Date(Date.now() - days * DAY_MS);
      Deno.utimeSync(`${outputs}/${name}`, time, time);
    };
    for (const name of ["old", "older", "new"]) {
      Deno.mkdirSync(`${outputs}/${name}`, { recursive: true });
      Deno.writeTextFileSync(`${outputs}/${name}/output-1.txt`, "x");
    }
    age("old", 8);
    age("older", 30);
    age("new", 6);
    prune_outputs(data, 0);
    prune_outputs(null, 7);
    assert.equal([...Deno.readDirSync(outputs)].length, 3);
    prune_outputs(data, 7);
    assert.deepEqual([...Deno.readDirSync(outputs)].map(({ name }) => name), ["new"]);
    prune_outputs(`${data}/none`, 7);
  });
});

Deno.test("a program that ends before its tools were started leaves no folders behind", () => {
  with_place(({ root, data }) => {
    const module = new URL("./policy.ts", import.meta.url).href;
    const program = `
      import { build_policy } from ${JSON.stringify(module)};
      const policy = build_policy(${JSON.stringify(ASKED)}, ${
      JSON.stringify({ workspace: root, environ: {}, data_dir: data, session_id: "s2" })
    });
      console.log(policy.tmp);
      Deno.exit(3);`;
    Deno.writeTextFileSync(`${root}/program.ts`, program);
    const done = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-config", `${root}/program.ts`],
    }).outputSync();
    assert.equal(done.code, 3, new TextDecoder().decode(done.stderr));
    const tmp = new TextDecoder().decode(done.stdout).trim();
    assert.throws(() => Deno.statSync(tmp), Deno.errors.NotFound);
    assert.throws(() => Deno.statSync(`${data}/tool-output/s2`), Deno.errors.NotFound);
  });
});
