/** Keys of people whom root's commands meet on a server for logins: more than can be looked into, and some whom /etc/passwd doesn't name; and one's own of another system. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hamr } from "../support/hamr.ts";
import { remove } from "../support/remove.ts";
import { installed } from "./support/world.ts";

const PEOPLE = 130;
/** In a folder: its own `/home` and `/etc/passwd`, seen by what is started here alone. */
const MACHINE = `mount -t tmpfs t /home; cp /etc/passwd passwd
person() { mkdir -p /home/$1/.ssh /home/$1/.tool /home/$1/work; for f in .ssh/id .tool/auth.json .netrc~ .b2db-1; do echo key > /home/$1/$f; done; echo plain > /home/$1/plain; }
person ldap; for n in $(seq ${PEOPLE}); do person p$n; echo "p$n:x:$((5000 + n)):5000::/home/p$n:/bin/sh" >> passwd; done
mount --bind passwd /etc/passwd; cd "$1"; shift; exec "$@"`;

const may_mount = Deno.build.os === "linux" && Deno.uid() === 0 && installed("unshare") &&
  ![fileURLToPath(import.meta.url), Deno.execPath()].some((path) => path.startsWith("/home/"));

/** Makes a test of what a command reads on a machine that `setup` makes of this one, for it alone. */
function on_machine(
  name: string,
  setup: string,
  body: (at: {
    readonly root: string;
    /** `hamr sandbox`, with more flags, of a shell command from a folder. */
    readonly run: (from: string, command: string, ...flags: string[]) => ReturnType<typeof hamr>;
  }) => Promise<void>,
): void {
  Deno.test({
    name: name +
      (may_mount ? "" : " (NOT TESTED HERE: not root on Linux with unshare, or this is in /home)"),
    ignore: !may_mount,
    async fn() {
      const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_homes_" }));
      try {
        for (const name of ["home", "ws"]) Deno.mkdirSync(`${root}/${name}`);
        const run = (from: string, command: string, ...flags: string[]) =>
          hamr(["sandbox", ...flags, "--", "sh", "-c", command], {
            home: `${root}/home`,
            cwd: root,
            wrapper: ["unshare", "-m", "sh", "-ec", setup, "sh", from],
          });
        await body({ root, run });
      } finally {
        await remove(root);
      }
    },
  });
}

on_machine(
  "as root, nobody's keys in /home are read, however many people there are",
  MACHINE,
  async ({ root, run }) => {
    const all = `ldap $(seq -f p%g ${PEOPLE})`;
    const keys =
      `for who in ${all}; do for f in .ssh/id .tool/auth.json .netrc~ .b2db-1; do cat /home/$who/$f; done; done 2> /dev/null; `;
    const beside = await run(`${root}/ws`, `${keys} cat /home/p1/plain`);
    assert.equal(beside.stdout, "plain\n", beside.stderr);
    // One of those who are not looked into works in their own.
    const last = `/home/p${PEOPLE}`;
    const own = await run(`${last}/work`, `${keys} cat ../plain; touch new; ls`);
    assert.equal(own.stdout, "plain\nnew\n", own.stderr);
    // It is the sandbox that refuses.
    const open = await run(`${root}/ws`, keys, "--sandbox", "off");
    assert.equal(open.stdout, "key\n".repeat(4 * (PEOPLE + 1)), open.stderr);
  },
);

/** A drive of Windows as WSL mounts it, but for what carries it. */
const DRIVE =
  `mount -t tmpfs drvfs /mnt; me="/mnt/Users/J Doe"; mkdir -p "$me/.ssh" "$me/AppData/Roaming/gcloud" "$me/AppData/Local/Programs" "$me/work" /mnt/Users/Public
for f in "$me/.ssh/id" "$me/AppData/Roaming/gcloud/k" "$me/.netrc~"; do echo key > "$f"; done; for f in "$me/AppData/Local/Programs/p" "$me/work/f" /mnt/Users/Public/f; do echo plain > "$f"; done
cd "$1"; shift; exec "$@"`;

on_machine(
  "keys in a home of Windows, in WSL, are not read, and a project there is",
  DRIVE,
  async ({ root, run }) => {
    const read =
      `cd "/mnt/Users/J Doe"; for f in .ssh/id AppData/Roaming/gcloud/k .netrc~ AppData/Local/Programs/p work/f ../Public/f; do cat $f; done 2> /dev/null; `;
    for (const from of [`${root}/ws`, "/mnt/Users/J Doe/work"]) {
      const { stdout, stderr } = await run(from, `echo new > made && cat made; ${read}`);
      assert.equal(stdout, "new\nplain\nplain\nplain\n", stderr);
    }
  },
);
