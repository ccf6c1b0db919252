import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { stage } from "./support/stage.ts";

const FIXTURES = fileURLToPath(new URL("./fixtures", import.meta.url));
const ID = "11111111-2222-4333-8444-555555555555";

for (const { name: version } of Deno.readDirSync(FIXTURES)) {
  const made = `${FIXTURES}/${version}`;

  Deno.test(`what hamr ${version} saved is read: its database, its settings, its exports`, async () => {
    await stage({}, async (s) => {
      const read = async (...args: string[]) => {
        const { code, stdout, stderr } = await s.hamr(args);
        assert.equal(code, 0, `${args.join(" ")}\n${stderr}`);
        return stdout;
      };
      const settings = await read("config", "show", "--config", `${made}/config.toml`);
      assert.match(settings, /max_model_steps/);
      s.home.write(".local/share/hamr/hamr.db", Deno.readFileSync(`${made}/hamr.db`));
      assert.match(await read("sessions", "list", "--all"), /Change it to two/);
      assert.match(await read("sessions", "show", ID), /It says two now/);
      assert.match(await read("report", ID), /verified: grep two a\.txt/);
      assert.match(await read("memory", "list", "--global"), /Everything is in English/);
      assert.match(await read("replay", ID), /the same|no difference|identical/i);
      // A run writes to it, too.
      assert.equal((await s.run("Say it.")).code, 0);
      assert.match(await read("sessions", "list"), /Say it/);
      await read("sessions", "rm", "--yes", ID);
      await read("sessions", "import", `${made}/session.jsonl`);
      assert.match(await read("sessions", "show", ID), /It says two now/);
    });
  });
}
