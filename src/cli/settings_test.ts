import { rejects, strictEqual } from "node:assert/strict";
import { parse } from "./args.ts";
import { place } from "./settings.ts";

Deno.test("place() lays flags over the settings of the workspace they name", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${root}/.hamr`);
    Deno.writeTextFileSync(`${root}/.hamr/config.toml`, "agent.max_model_steps = 1");
    Deno.writeTextFileSync(`${root}/own.toml`, "agent.timeout_s = 1");
    const argv = ["run", "-C", `${root}/.hamr/..`, "--config", `${root}/own.toml`, "--no-stream"];
    const found = await place(parse(argv), { environ: () => ({}) });
    strictEqual(found.workspace, root);
    strictEqual(found.settings.agent.max_model_steps, 1);
    strictEqual(found.settings.agent.timeout_s, 1);
    strictEqual(found.settings.agent.stream, false);
    strictEqual(found.origins.get("agent.stream")?.where, "--no-stream");
    const missing = parse(["run", "-C", `${root}/none`]);
    await rejects(place(missing, { environ: () => ({}) }), /-C .*: no such file or folder/);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
