import { fileURLToPath } from "node:url";

/** A page of Markdown as `deno fmt` of this project leaves it. Throws if that fails. */
export async function formatted(markdown: string): Promise<string> {
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "--config", config, "--ext", "md", "-"],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(markdown));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error("deno fmt does not take the page");
  return new TextDecoder().decode(stdout);
}
