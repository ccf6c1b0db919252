import assert from "node:assert/strict";
import { parse } from "../cli/args/args.ts";
import { mcp_servers } from "./mcp_servers.ts";
import { load_settings } from "./settings.ts";

/** While `--mcp-config` was checked by its name, each of three tries took the key within 3 s. */
const TRIES = 600;

Deno.test({
  name: "no key is read for --mcp-config, though a command swaps the file and a link meanwhile",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const home = Deno.realPathSync(Deno.makeTempDirSync());
    const [workspace, file] = [`${home}/ws`, `${home}/ws/mcp.json`];
    for (const folder of [`${home}/.ssh`, workspace]) Deno.mkdirSync(folder);
    Deno.writeTextFileSync(`${home}/.ssh/id`, "KEY");
    const over = new Int32Array(new SharedArrayBuffer(4));
    const code = `
      const over = await new Promise((resolve) => onmessage = ({ data }) => resolve(data));
      const path = "${file}";
      for (let begun = false; Atomics.load(over, 0) === 0; begun = true) {
        Deno.writeTextFileSync(path + "~", '{"mcpServers":{}}');
        Deno.renameSync(path + "~", path);
        if (!begun) postMessage("begun");
        Deno.symlinkSync("../.ssh/id", path + "~");
        Deno.renameSync(path + "~", path);
      }
      postMessage("ended");`;
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const swapper = new Worker(url, { type: "module" });
    const begun = new Promise((resolve) => swapper.onmessage = resolve);
    swapper.postMessage(over);
    await begun;
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
      Atomics.store(over, 0, 1);
      await new Promise((resolve) => swapper.onmessage = resolve);
      swapper.terminate();
      URL.revokeObjectURL(url);
      Deno.removeSync(home, { recursive: true });
    }
  },
});
