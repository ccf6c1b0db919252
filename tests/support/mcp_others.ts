/** MCP servers that nobody here wrote: where they are kept, and how they are set. */

/** Kept from one run of the tests to the next. */
export const CACHE = `${
  Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`
}/hamr-mcp-test-1`;

export const CONFIG = ".config/hamr/config.toml";

/** One that is started so. */
export function section(name: string, command: string, ...args: string[]): string {
  return `[mcp.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`;
}

/** Whether a program is there and does it. */
export async function runs(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return (await command.output()).success;
  } catch {
    return false;
  }
}
