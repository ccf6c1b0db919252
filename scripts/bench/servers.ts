/** Ten MCP servers, for a run that asks its model before any of them has answered. */
const SERVERS = 10;

/**
 * Settings below a home folder, which take their time to be read, with so many servers or with none. They hear everything and say
 * nothing, and end with their input.
 */
export function with_settings(home: string, { servers }: { readonly servers: boolean }): void {
  const folder = `${home}/.config/hamr`;
  Deno.mkdirSync(folder, { recursive: true });
  const sections = Array.from(
    { length: servers ? SERVERS : 0 },
    (_, n) => `[mcp.server${n}]\ncommand = "sh"\nargs = ["-c", "cat > /dev/null"]\n`,
  );
  Deno.writeTextFileSync(
    `${folder}/config.toml`,
    "[sessions]\nkeep_days = 90\n" + sections.join(""),
  );
}
