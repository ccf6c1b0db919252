/** What root could read besides what is the person's own. */
import assert from "node:assert/strict";
import { on_linux, result_of, run_job, sh, with_world } from "./support/world.ts";

const KEY = "somebody-else's-key";
/** A home that /etc/passwd names and that is not there (most systems have some), to be made for the test; nobody's is touched. */
const home = on_linux && Deno.uid() === 0 ? missing_home() : undefined;

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
