/** Keys that are reached by a second way, as file systems are mounted; each row makes its own machine. */
import assert from "node:assert/strict";
import { hamr } from "../support/hamr.ts";
import { remove } from "../support/remove.ts";
import { installed } from "./support/world.ts";

const may_mount = Deno.build.os === "linux" && Deno.uid() === 0 && installed("unshare");

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
  Deno.test({
    name: `keys: ${name}${may_mount ? "" : " (NOT TESTED HERE: not root on Linux with unshare)"}`,
    ignore: !may_mount,
    fn: () =>
      with_machine(async (root) => {
        const paths = keys.map((path) => `"${path}"`).join(" ");
        const script =
          `cd ${root}; cat ${home}/docs/plain; for key in ${paths}; do cat "$key"; done`;
        const made = `cd "$1"; shift; ${mounts}; cd "$PWD/ws"; exec "$@"`;
        const { stdout, stderr } = await hamr(["sandbox", "--", "sh", "-c", script], {
          home: `${root}/${home}`,
          cwd: root,
          env: { HAMR_HOME: `${root}/own` },
          wrapper: ["unshare", "-m", "sh", "-ec", made, "sh", root],
        });
        assert.equal(stdout, "plain\n", stderr);
        assert.equal(stderr.match(/cat: .*: Permission denied/g)?.length, keys.length, stderr);
      }),
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
