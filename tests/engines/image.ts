/**
 * The Containerfile, as far as that goes without a registry of images: its base is made of the same packages of Debian by mmdebstrap,
 * its RUN and COPY are done in there, and what it starts is started as its user.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { debian, npm_program, run, skip } from "./tools.ts";

const FILE = fileURLToPath(new URL("../../Containerfile", import.meta.url));
const TEXT = Deno.readTextFileSync(FILE).replaceAll("\\\n", " ");

/** What follows a word of the file, each time. */
function lines(word: string): string[] {
  return [...TEXT.matchAll(new RegExp(`^${word} +(.+)$`, "gm"))].map(([, rest = ""]) => rest);
}

Deno.test("a linter has nothing to object to the Containerfile", async () => {
  const linter = await npm_program("dockerfile-utils@0.16.3");
  if (linter === null) return;
  const { code, out, err } = await run([linter, "lint", FILE]);
  assert.deepEqual([code, out, err], [0, "", ""]);
});

Deno.test("what the Containerfile describes does the demo, as its user, sandbox and all", async () => {
  const binary = Deno.env.get("HAMR_BIN");
  if (binary === undefined) return void skip("Containerfile", "HAMR_BIN names no binary");
  if (Deno.uid() !== 0) return void skip("Containerfile", "only root makes an image here");
  if (!await debian("mmdebstrap", "mmdebstrap")) return;
  const release = /^debian:(\w+)-slim$/.exec(lines("FROM")[0] ?? "")?.[1];
  const [install = "", ...others] = lines("RUN");
  const packages = /--no-install-recommends ([a-z -]+?) +&&/.exec(install)?.[1]?.split(" ");
  const copied = /^--chmod=755 hamr (\/\S+)$/.exec(lines("COPY")[0] ?? "")?.[1];
  assert.ok(release !== undefined && packages !== undefined && copied !== undefined);
  const folder = Deno.makeTempDirSync({ prefix: "hamr_image_" });
  try {
    const root = `${folder}/root`;
    const base = ["mmdebstrap", "--quiet", "--variant=minbase", `--include=${packages.join(",")}`];
    const made = await run([...base, release, root]);
    if (made.code !== 0) return void skip("mmdebstrap", made.err);
    for (const command of others) {
      const done = await run(["chroot", root, "sh", "-c", command]);
      assert.equal(done.code, 0, `${command}: ${done.err}`);
    }
    Deno.copyFileSync(binary, root + copied);
    Deno.chmodSync(root + copied, 0o755);
    // What a container engine gives a process; no more of this machine.
    const start = `mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
      mount -t tmpfs tmp "$1/tmp" && chmod 1777 "$1/tmp" && root=$1 && shift &&
      user=$1 && shift && exec chroot --userspec="$user" "$root" /usr/bin/env -i ${
      lines("ENV")[0]
    } \
        PATH=/usr/local/bin:/usr/bin:/bin sh -c 'cd ${lines("WORKDIR")[0]} && exec "$@"' sh "$@"`;
    const [entry = ""] = JSON.parse(lines("ENTRYPOINT")[0] ?? "[]");
    // Its own user, and one whom it does not know.
    for (const user of [lines("USER")[0] ?? "", "1234:1234"]) {
      const inside = (...args: string[]) =>
        run(["unshare", "-m", "sh", "-c", start, "sh", root, user, entry, ...args]);
      const demo = await inside("demo");
      assert.equal(demo.code, 0, demo.err);
      assert.match(demo.err, /verified: bash test\.sh/);
      const { out } = await inside("doctor");
      assert.match(out, /✓ data: \S+ is writable\n/);
      assert.match(out, /✓ shell: \/bin\/bash\n✓ sandbox: in force: /);
      assert.equal((await inside("sandbox", "--", "git", "--version")).code, 0);
      Deno.removeSync(`${root}/home/hamr/.local`, { recursive: true });
    }
  } finally {
    await run(["rm", "-rf", "--one-file-system", folder]);
  }
});
