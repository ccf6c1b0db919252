import assert from "node:assert/strict";
import { beside } from "../../tests/support/beside.ts";
import { parse } from "../cli/args/args.ts";
import { mcp_servers } from "./mcp_servers.ts";
import { load_settings } from "./settings.ts";

/** While `--mcp-config` was checked by its name, each of three tries took the key within 3 s. */
const TRIES = 150;

Deno.test({
  name: "no key is read for --mcp-config, though a command swaps the file and a link meanwhile",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const home = Deno.realPathSync(Deno.makeTempDirSync());
    const [workspace, file] = [`${home}/ws`, `${home}/ws/mcp.json`];
    for (const folder of [`${home}/.ssh`, workspace]) Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${home}/.ssh/id`, "KEY");
    const swapper = await beside(`
      const path = "${file}";
      for (let nth = 0; !is_over(); nth++) {
        Deno.writeTextFileSync(path + "~", '{"mcpServers":{}}');
        Deno.renameSync(path + "~", path);
        if (nth === 0) begun();
        Deno.symlinkSync("../.ssh/id", path + "~");
        Deno.renameSync(path + "~", path);
      }`);
    const met = { read: 0, refused: 0 };
    try {
      const args = parse(["run", "-C", workspace, "x"]);
      const place = await load_settings(args, { environ: () => ({ HOME: home }) });
      // Both were met, so it was a race.
      for (let nth = 0; nth < TRIES || met.read === 0 || met.refused === 0; nth++) {
        try {
          await mcp_servers(place, { mcp_config: [file] });
          met.read++;
        } catch (error) {
          assert.match(String(error), /a link in the workspace leads to what must not be read/);
          met.refused++;
        }
      }
    } finally {
      await swapper.end();
      Deno.removeSync(home, { recursive: true });
    }
  },
});
