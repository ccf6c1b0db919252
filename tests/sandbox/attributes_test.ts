/** Extended attributes: Landlock shows them of every file. */
import assert from "node:assert/strict";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { with_world } from "./support/world.ts";

/** What no attack may print. */
const CONTENT = "the-content-of-what-is-denied";

/** Ways to an extended attribute of $O/keys/key; then what reads one of a file that is open. */
const ATTRIBUTE_ATTACKS = `
import os, ctypes
libc = ctypes.CDLL(None)
def attempt(name, f):
    try: print(name, f())
    except OSError as error: print(name, error.errno)
key = O + "/keys/key"
attempt("get", lambda: os.getxattr(key, "user.hamr"))
attempt("list", lambda: os.listxattr(key))
attempt("link", lambda: os.getxattr(key, "user.hamr", follow_symlinks=False))
attempt("names", lambda: os.listxattr(key, follow_symlinks=False))
attempt("path", lambda: os.getxattr(f"/proc/self/fd/{os.open(key, os.O_PATH)}", "user.hamr"))
attempt("descriptor", lambda: os.getxattr(os.open(key, os.O_PATH), "user.hamr"))
os.chdir(O + "/keys")
attempt("neither", lambda: os.getxattr(os.open(key, 3), "user.hamr"))
attempt("folder", lambda: os.getxattr("key", "user.hamr"))
value = ctypes.create_string_buffer(99)
args = (ctypes.c_uint64 * 2)(ctypes.addressof(value), 99)
libc.syscall(464, -100, key.encode(), 0, b"user.hamr", args, 16)
print("at", value.value)
attempt("open", lambda: os.getxattr(os.open(W + "/own", os.O_RDONLY), "user.hamr"))
`;

function set_attribute(path: string): boolean {
  const script = `import os, sys; os.setxattr(sys.argv[1], "user.hamr", b"${CONTENT}")`;
  return new Deno.Command("python3", { args: ["-c", script, path], stderr: "null" }).outputSync()
    .success;
}

/** The file systems of some machines know none. */
function has_attributes(): boolean {
  const file = Deno.makeTempFileSync();
  try {
    return set_attribute(file);
  } finally {
    Deno.removeSync(file);
  }
}

const able = on_linux && installed("python3") && has_attributes();

Deno.test({
  name: "the extended attributes of what is denied are not read; those of an open file are" +
    (able ? "" : " (NOT TESTED HERE: no Python, or no attributes on this file system)"),
  ignore: !able,
  fn: async (t) => {
    for (const who of everyone) {
      await t.step(`as ${who}`, () =>
        with_world(who, async (world) => {
          const { outside, workspace } = world;
          Deno.mkdirSync(`${outside}/keys`);
          own(`${outside}/keys`, who);
          Deno.writeTextFileSync(`${outside}/keys/key`, "");
          own(`${outside}/keys/key`, who);
          Deno.writeTextFileSync(`${workspace}/own`, "");
          own(`${workspace}/own`, who);
          for (const path of [`${outside}/keys/key`, `${workspace}/own`]) {
            assert.ok(set_attribute(path));
          }
          const script = `O, W = "${outside}", "${workspace}"\n${ATTRIBUTE_ATTACKS}`;
          const look = "ls -l own; cp -a own copy && cat copy && mv copy other && echo fine";
          const steps = [
            { kind: "run", name: "python", argv: ["python3", "-c", script] } as const,
            sh("look", look, workspace),
          ];
          const outcome = await run_job(world, {
            policy: { deny_read: [`${outside}/keys`] },
            steps,
          });
          const lines = (result_of(outcome, "python").stdout ?? "").trimEnd().split("\n");
          assert.deepEqual(
            lines.filter((line) => line.includes(CONTENT) || line.includes("user.")),
            [
              `open b'${CONTENT}'`,
            ],
          );
          assert.equal(lines.length, 10);
          const { stdout, stderr } = result_of(outcome, "look");
          assert.match(stdout ?? "", /fine\n$/);
          assert.equal(stderr, "");
          // As it could be read without the sandbox, it is the sandbox that refused.
          const open = await run_job(world, { policy: { sandbox: "off" }, steps });
          assert.match(
            result_of(open, "python").stdout ?? "",
            new RegExp(`^get b'${CONTENT}'`, "m"),
          );
        }));
    }
  },
});
