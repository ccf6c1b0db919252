/** MCP servers as most people start them: `npx` and `uvx` download them. Without a registry the tests say SKIP. */
import assert from "node:assert/strict";
import { CACHE, CONFIG, runs, section } from "./support/mcp_others.ts";
import { stage } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

const UV = `${CACHE}/uv`;

Deno.test("what npx and uvx have downloaded under --allow-net starts without it from then on", async () => {
  const uv = `${UV}/bin/uvx`;
  const has_uv = await runs(uv, ["--version"]) ||
    await runs("python3", ["-m", "venv", UV]) &&
      await runs(`${UV}/bin/pip`, ["install", "--quiet", "uv==0.13.9"]);
  const servers = [
    ["every", "npx", "-y", "@modelcontextprotocol/server-everything@2026.8.31"],
    ...has_uv ? [["time", uv, "--from", "mcp-server-time==2026.10.19", "mcp-server-time"]] : [],
  ] as const;
  await stage({ script: [] }, async (s) => {
    // Certificates of the machine: it may be behind a proxy of its own.
    const env = 'env = { UV_NATIVE_TLS = "1", UV_SYSTEM_CERTS = "1" }\n';
    s.home.write(
      CONFIG,
      servers.map(([name, ...command]) => section(name!, ...command as [string]) + env).join(""),
    );
    for (const [name] of servers) {
      const test = (...flags: string[]) => s.hamr(["mcp", "test", name!, ...flags]);
      const before = await test();
      assert.match(before.stdout, /^✗ .*the user can allow all networks with --allow-net\n$/);
      const open = await test("--allow-net");
      if (open.code !== 0) {
        skip(`${name} can't be downloaded in the sandbox here: ${open.stdout}`);
        continue;
      }
      const after = await test();
      assert.equal(after.code, 0, after.stdout);
    }
  });
});
