/** What is tried in a network namespace of its own: prints what came of it as JSON. Started by `tests/air_gap_test.ts`. */
import { fileURLToPath } from "node:url";
import { call, say, type Script } from "./model_server.ts";
import { stage } from "./stage.ts";

const MCP = fileURLToPath(new URL("./mcp_server.js", import.meta.url));
const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });
const script: Script = ({ body }) =>
  body.messages.some(({ role }) => role === "tool") ? say("It says two now.") : EDIT;

const own = { command: Deno.execPath(), args: ["run", "-A", "--no-config", MCP] };
const files = {
  "a.txt": "one\n",
  "mcp.json": JSON.stringify({ mcpServers: { own } }),
};
await stage({ script, files, one_conversation: false, violations: true }, async (s) => {
  const alone = { ...s.env, HAMR_BASE_URL: "", HAMR_MODEL: "" };
  const tried: Record<string, readonly [number, string]> = {};
  const hamr = async (name: string, args: readonly string[], env = s.env) => {
    const { code, stdout, stderr } = await s.hamr(args, { env });
    tried[name] = [code, stdout + stderr];
  };
  await hamr("demo", ["demo"]);
  await hamr("run", ["run", "--verify", "grep two a.txt", "Change it."]);
  await hamr("resume", ["resume", "And again."]);
  await hamr("doctor", ["doctor", "--network"]);
  await hamr("mcp", ["mcp", "test", "own", "--mcp-config", "mcp.json"]);
  await hamr("no model", ["run", "Change it."], alone);
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(tried)}\n`));
});
