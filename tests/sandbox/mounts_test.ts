/** Keys that are reached by a second way, as file systems are mounted; each row makes its own machine. */
import assert from "node:assert/strict";
import { hamr } from "../support/hamr.ts";
import { ANSWER, bash, say } from "../support/model_server.ts";
import { remove } from "../support/remove.ts";
import { stage } from "../support/stage.ts";
import { installed } from "./support/world.ts";

const may_mount = Deno.build.os === "linux" && Deno.uid() === 0 && installed("unshare");

const NOT_HERE = may_mount ? "" : " (NOT TESTED HERE: not root on Linux with unshare)";

interface Row {
  readonly name: string;
  /** Run in a folder with `home` and `ws`; the key is in home/.ssh/id unless said otherwise. */
  readonly mounts: string;
  /** In that folder; every one of them is the key. */
  readonly keys: readonly string[];
  /** Where the home folder is. */
  readonly home?: string;
}

const KEY = "echo key > home/.ssh/id";
const ROWS: readonly Row[] = [
  {
    name: "a file system that is mounted in a folder of keys, and once more elsewhere",
    mounts:
      "mkdir home/.ssh/in media; mount -t tmpfs t home/.ssh/in; echo key > home/.ssh/in/id; " +
      "mount --bind home/.ssh/in media",
    keys: ["media/id", "home/.ssh/in/id"],
  },
  {
    name: "a folder that is shown in a folder of keys",
    mounts: "mkdir home/.ssh/in home/docs/k; echo key > home/docs/k/id; " +
      "mount --bind home/docs/k home/.ssh/in",
    keys: ["home/docs/k/id", "home/.ssh/in/id"],
  },
  {
    name: "a mount under another one",
    mounts: "mount -t tmpfs t home/.ssh; mkdir c; mount -t tmpfs t c; mount --bind c home; " +
      `mkdir home/.ssh home/docs; echo plain > home/docs/plain; ${KEY}`,
    keys: ["c/.ssh/id", "home/.ssh/id"],
  },
  {
    name: "the layers of an overlay, one of them mounted twice",
    mounts: "mount -t tmpfs t disk; cd disk; mkdir -p low/home/.ssh up work over; " +
      "echo key > low/home/.ssh/id; mkdir low/home/docs; echo plain > low/home/docs/plain; " +
      'mount -t overlay o -o "lowerdir=$PWD/low,upperdir=$PWD/up,workdir=$PWD/work" over; ' +
      "mkdir second; mount --bind low second; cd ..",
    home: "disk/over/home",
    keys: ["disk/low/home/.ssh/id", "disk/over/home/.ssh/id", "disk/second/home/.ssh/id"],
  },
  {
    name: "a name that is no UTF-8",
    mounts: `${KEY}; mkdir disk/a; b="disk/$(printf 'a\\377b')"; mkdir "$b"; mount --bind . "$b"`,
    keys: [`disk/$(printf 'a\\377b')/home/.ssh/id`, "home/.ssh/id"],
  },
];

for (const { name, mounts, keys, home = "home" } of ROWS) {
  test(`keys: ${name}`, async (root) => {
    const paths = keys.map((path) => `"${path}"`).join(" ");
    const script = `cd ${root}; cat ${home}/docs/plain; for key in ${paths}; do cat "$key"; done`;
    const { stdout, stderr } = await on_machine(root, {
      mounts,
      home,
      command: ["sh", "-c", script],
    });
    assert.equal(stdout, "plain\n", stderr);
    assert.equal(stderr.match(/cat: .*: Permission denied/g)?.length, keys.length, stderr);
  });
}

/** A workspace that is `data` by another name, with a disk below that. */
const SECOND = "mkdir -p data/disk data/sub; mount -t tmpfs t data/disk; mount --bind data ws";

test("a workspace whose other name holds what is denied is refused, also on a disk below it", async (root) => {
  for (const denied of ["disk", "sub"]) {
    const { code, stdout, stderr } = await on_machine(root, {
      mounts: SECOND,
      flags: [`--deny-read=${root}/data/${denied}`],
    });
    assert.deepEqual([code, stdout], [3, ""], stderr);
    assert.match(stderr, /to the kernel, \S+\/data\S* is a part of it\) can't be used while/);
  }
});

test("a workspace that is the home folder by another name is refused", async (root) => {
  const { code, stderr } = await on_machine(root, { mounts: "mount --bind home ws" });
  assert.equal(code, 3, stderr);
  assert.match(stderr, /holds your home folder/);
});

test("what a grant reaches by another name is named, and what it shows itself is not", async (root) => {
  const named = await on_machine(root, { mounts: SECOND });
  assert.deepEqual([named.code, named.stdout], [0, "ran\n"], named.stderr);
  assert.match(named.stderr, /commands can also reach what is mounted at \S+\/data\/disk:/);
  // As in a container: a project with a volume in it, which is shown in a second place with all that.
  const volume =
    "mkdir ws/node_modules app; mount -t tmpfs t ws/node_modules; mount --rbind ws app";
  const whole = await on_machine(root, { mounts: volume });
  assert.deepEqual([whole.code, whole.stdout, whole.stderr], [0, "ran\n", ""]);
});

test("hamr's own settings in a folder that may be written by another name are named", async (root) => {
  const { stdout, stderr } = await on_machine(root, {
    mounts: "mkdir extra; mount --bind own extra",
    flags: [`--allow-write=${root}/extra`],
  });
  assert.equal(stdout, "ran\n", stderr);
  assert.match(stderr, /commands can write hamr's own settings or data \(\S+\/own\/config\.toml, /);
});

test("hamr starts no program from a folder that is the workspace by another name", async (root) => {
  const file = new URL("../../src/permission/own_program.ts", import.meta.url);
  const code =
    `import { environment_beyond } from "${file}"; console.log(environment_beyond(["${root}/ws"]).PATH)`;
  const { stdout } = await new Deno.Command("unshare", {
    args: ["-m", "sh", "-ec", 'mount --bind "$1/ws" "$1/disk"; shift; exec "$@"', "sh", root]
      .concat([Deno.execPath(), "eval", "--no-check", code]),
    env: { PATH: `${root}/disk/bin:${Deno.env.get("PATH")}` },
  }).output();
  assert.equal(new TextDecoder().decode(stdout), `${Deno.env.get("PATH")}\n`);
});

Deno.test({
  name: `what a run does by another name of the workspace is seen, named, and put back${NOT_HERE}`,
  ignore: !may_mount,
  fn: () =>
    stage({
      script: [bash(DONE_THERE), say(ANSWER)],
      files: { "env.sh": "a\n", "bin/": "", "note": "a\n" },
    }, async ({ hamr, env, ws, home, outside }) => {
      const second = outside.at("second");
      outside.write("second/", "");
      home.write(".bashrc", `. ${second}/env.sh\n`);
      home.write(".gitconfig", `[core]\n pager = ${second}/bin/pager\n`);
      ws.write("bin/pager", "a\n");
      const made = 'git init -q .; mount --bind . "$1"; shift; exec "$@"';
      const wrapper = ["unshare", "-m", "sh", "-ec", made, "sh", second];
      const { result, stderr } = await hamr(["run", "--json", "Do it."], {
        wrapper,
        env: { ...env, PATH: `${second}/path:${Deno.env.get("PATH")}` },
      });
      const changed = result?.files_changed.map(({ path }) => path) ?? [];
      assert.deepEqual(changed.sort(), ["bin/pager", "env.sh", "note", "path/ls"], stderr);
      const warnings = result?.warnings.join("\n") ?? "";
      assert.match(warnings, /run later outside the sandbox: bin\/pager, env\.sh, path\/ls/);
      assert.match(warnings, /\.git\/hooks\/pre-commit/);
      assert.ok(!ws.exists(".git/hooks/pre-commit"));
      await hamr(["undo"], { wrapper });
      assert.deepEqual(["env.sh", "note"].map(ws.read), ["a\n", "a\n"]);
    }),
});

/** What the run's command does; modes change by the name alone that the workspace was given by. */
const DONE_THERE =
  "cd ../outside/second; for f in env.sh note bin/pager .git/hooks/pre-commit; do " +
  "echo b > $f; done; mkdir path; echo b > path/ls; chmod +x ../../ws/path/ls ../../ws/.git/hooks/*";

function test(name: string, work: (root: string) => Promise<void>): void {
  Deno.test({
    name: name + NOT_HERE,
    ignore: !may_mount,
    fn: () => with_machine(work),
  });
}

function on_machine(
  root: string,
  { mounts, home = "home", flags = [], command = ["echo", "ran"] }: {
    mounts: string;
    home?: string;
    flags?: readonly string[];
    command?: readonly string[];
  },
): ReturnType<typeof hamr> {
  const made = `cd "$1"; shift; ${mounts}; cd "$PWD/ws"; exec "$@"`;
  return hamr(["sandbox", ...flags, "--", ...command], {
    home: `${root}/${home}`,
    cwd: root,
    env: { HAMR_HOME: `${root}/own` },
    wrapper: ["unshare", "-m", "sh", "-ec", made, "sh", root],
  });
}

async function with_machine(work: (root: string) => Promise<void>): Promise<void> {
  const root = Deno.realPathSync(await Deno.makeTempDir({ prefix: "hamr_test_" }));
  for (const folder of ["home/.ssh", "home/docs", "ws", "own", "disk"]) {
    Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
  }
  Deno.writeTextFileSync(`${root}/home/docs/plain`, "plain\n");
  try {
    await work(root);
  } finally {
    await remove(root);
  }
}
