import { rejects, strictEqual } from "node:assert/strict";
import { parse } from "../cli/args/args.ts";
import { load } from "../config/load.ts";
import { confirm_of, load_settings } from "./settings.ts";

Deno.test("place() lays flags over the settings of the workspace they name", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${root}/.hamr`);
    Deno.writeTextFileSync(`${root}/.hamr/config.toml`, "agent.max_model_steps = 1");
    Deno.writeTextFileSync(`${root}/own.toml`, "agent.timeout_s = 1");
    const argv = ["run", "-C", `${root}/.hamr/..`, "--config", `${root}/own.toml`, "--no-stream"];
    const found = await load_settings(parse(argv), { environ: () => ({}) });
    strictEqual(found.workspace, root);
    strictEqual(found.settings.agent.max_model_steps, 1);
    strictEqual(found.settings.agent.timeout_s, 1);
    strictEqual(found.settings.agent.stream, false);
    strictEqual(found.origins.get("agent.stream")?.where, "--no-stream");
    const missing = parse(["run", "-C", `${root}/none`]);
    await rejects(load_settings(missing, { environ: () => ({}) }), /-C .*: no such file or folder/);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("confirm_of() takes a never from a person, and from no workspace", async () => {
  const at = async (environ: Record<string, string>, ...flags: string[]) => {
    const { overrides } = parse(["run", ...flags]);
    const loaded = await load({ workspace: "/nowhere", environ, overrides });
    return { ...loaded, workspace: "/nowhere" };
  };
  strictEqual(confirm_of(await at({})), "refuse");
  strictEqual(confirm_of(await at({ HAMR_AGENT_CONFIRM: "never" })), "never");
  strictEqual(confirm_of(await at({ HAMR_AGENT_CONFIRM: "all" }, "--yolo")), "never");
  strictEqual(confirm_of(await at({}, "--confirm", "all")), "all");
  // However it got so far: a workspace that is trusted may have people asked, not the contrary.
  const source = "workspace" as const;
  const origins = new Map([["agent.confirm", { source, where: "x:1" }]]);
  strictEqual(confirm_of({ ...await at({ HAMR_AGENT_CONFIRM: "never" }), origins }), "refuse");
  strictEqual(
    confirm_of({ ...await at({ HAMR_AGENT_CONFIRM: "sensitive" }), origins }),
    "sensitive",
  );
});
