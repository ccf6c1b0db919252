/** What tests of MCP servers share. */
import { fileURLToPath } from "node:url";
import type { Reply } from "./model_server.ts";
import { inside_stage, type Stage, type StageOptions } from "./stage.ts";

export const SERVER = fileURLToPath(new URL("./mcp_server.js", import.meta.url));
export const CONFIG = ".config/hamr/config.toml";

/** `[mcp.NAME]` with the server for tests. */
export function section(name: string, kind = "honest", ...lines: string[]): string {
  const args = ["run", "-A", "--no-config", "--no-lock", SERVER, kind];
  return [
    `[mcp.${name}]`,
    `command = ${JSON.stringify(Deno.execPath())}`,
    `args = ${JSON.stringify(args)}`,
    ...lines,
    "",
  ].join("\n");
}

/** A stage with settings. */
export async function play(
  script: readonly Reply[],
  settings: string,
  body: (s: Stage) => Promise<void>,
  options: StageOptions = {},
): Promise<void> {
  await inside_stage({ script: [...script], ...options }, async (s) => {
    s.home.write(CONFIG, settings);
    await body(s);
  });
}

export const names = (s: Stage, n: number) =>
  (s.server.requests[n]?.body.tools ?? []).map((tool) => tool.function.name);
