/** What root could read besides what is the person's own. */
import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { NOBODY } from "../support/nobody.ts";
import { on_linux, result_of, run_job, sh, with_world } from "./support/world.ts";

const is_root = on_linux && Deno.uid() === 0;
const KEY = "somebody-else's-key";
/** A home that /etc/passwd names and that is not there (most systems have some), to be made for the test; nobody's is touched. */
const home = is_root ? missing_home() : undefined;

function missing_home(): string | undefined {
  const homes = Deno.readTextFileSync("/etc/passwd").split("\n").map((row) => row.split(":")[5]);
  return homes.find((home) => {
    if (home === undefined || !/^\/(?:home|var)\/[^/]+$/.test(home)) return false;
    try {
      Deno.lstatSync(home);
      return false;
    } catch {
      return true;
    }
  });
}

Deno.test({
  name:
    "as root, others' keys and the system's passwords are not read, and what is beside them is" +
    (home === undefined ? " (NOT TESTED HERE: not root, or all homes are there)" : ""),
  ignore: home === undefined,
  fn: () =>
    with_world("self", async (world) => {
      assert.ok(home !== undefined);
      Deno.mkdirSync(home);
      try {
        for (const folder of [".ssh", ".aws"]) {
          Deno.mkdirSync(`${home}/${folder}`);
          Deno.writeTextFileSync(`${home}/${folder}/key`, KEY, { mode: 0o600 });
        }
        Deno.writeTextFileSync(`${home}/notes`, "beside\n");
        const deny_read = [".ssh", ".aws"].map((name) => `${world.policy.env["HOME"]}/${name}`);
        const system = "/etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key";
        const steps = [
          sh("keys", `cat ${home}/.ssh/key ${home}/.aws/*; cd ${home}/.ssh && cat key`),
          sh("system", `cat ${system}`),
          sh("beside", `cat ${home}/notes; grep -c ^root: /etc/passwd`),
        ];
        const outcome = await run_job(world, { policy: { deny_read }, steps });
        assert.equal(result_of(outcome, "keys").stdout, "");
        assert.equal(result_of(outcome, "system").stdout, "");
        assert.equal(result_of(outcome, "beside").stdout, "beside\n1\n");
        const named = { deny_read, read: ["/etc/shadow", `${home}/.ssh/key`] };
        const some = await run_job(world, { policy: named, steps });
        assert.equal(result_of(some, "keys").stdout, KEY + KEY, "what the user has named");
        assert.match(result_of(some, "system").stdout ?? "", /^root:/m);
        // As the test could read them without the sandbox, it is the sandbox that refused.
        const open = await run_job(world, { policy: { sandbox: "off" }, steps });
        assert.match(result_of(open, "keys").stdout ?? "", new RegExp(KEY));
        assert.match(result_of(open, "system").stdout ?? "", /^root:/m);
      } finally {
        Deno.removeSync(home, { recursive: true });
      }
    }),
});

Deno.test({
  name:
    "as root, what a service keeps from everybody else is not read, and what all may read, root's own and what is named are" +
    (is_root ? "" : " (NOT TESTED HERE: not root)"),
  ignore: !is_root,
  fn: () =>
    with_world("self", async (world) => {
      const service = Deno.makeTempDirSync({ dir: "/var/lib", prefix: "hamr-test-" });
      const file = (name: string, { mode, uid }: { mode: number; uid: number }) => {
        Deno.writeTextFileSync(`${service}/${name}`, `${name}\n`);
        Deno.chmodSync(`${service}/${name}`, mode);
        Deno.chownSync(`${service}/${name}`, uid, uid);
      };
      try {
        for (const folder of ["data", "data/1", "shut"]) Deno.mkdirSync(`${service}/${folder}`);
        file("key", { mode: 0o640, uid: NOBODY });
        file("data/1/table", { mode: 0o644, uid: NOBODY });
        file("shut/log", { mode: 0o644, uid: NOBODY });
        file("public", { mode: 0o644, uid: NOBODY });
        file("of_root", { mode: 0o600, uid: 0 });
        for (
          const [folder, mode] of [["", 0o755], ["data", 0o711], ["data/1", 0o700], [
            "shut",
            0o750,
          ]] as const
        ) {
          Deno.chmodSync(`${service}/${folder}`, mode);
          Deno.chownSync(`${service}/${folder}`, NOBODY, NOBODY);
        }
        const all = ["key", "data/1/table", "shut/log", "public", "of_root"];
        const steps = [sh("cat", `cd ${service}; for f in ${all.join(" ")}; do cat $f; done`)];
        const deny_read = [`${world.policy.env["HOME"]}/.ssh`];
        const read = async (policy: Partial<Policy>) => {
          const outcome = await run_job(world, { policy: { deny_read, ...policy }, steps });
          return result_of(outcome, "cat").stdout?.trim().split("\n");
        };
        assert.deepEqual(await read({}), ["public", "of_root"]);
        const named = [`${service}/key`, `${service}/shut`];
        assert.deepEqual(await read({ read: named }), ["key", "shut/log"]);
        assert.deepEqual(await read({ write: [service] }), all);
      } finally {
        Deno.removeSync(service, { recursive: true });
      }
    }),
});
