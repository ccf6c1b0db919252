/** Custom commands, as commands of an ACP client. */
import { type AvailableCommand, RequestError } from "@agentclientprotocol/sdk";
import { command_help, command_places, custom_commands } from "../../app/custom_commands.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import { prompt_help } from "../../tools/mcp/prompts.ts";
import { named_resources } from "../servers/mcp_resources.ts";
import { written_task } from "../servers/slash_commands.ts";
import type { Mode } from "../../guards/rule.ts";

export function available_commands(
  place: RunSettings,
  servers: McpServers | null,
): AvailableCommand[] {
  const at = command_places(place);
  const files = custom_commands(at).map((one) => {
    const { help, takes } = command_help(one, at);
    return { name: one.name, description: help, input: { hint: takes ?? "arguments" } };
  });
  const prompts = servers?.prompts ?? [];
  return [
    ...files,
    ...prompts.map((prompt) => ({
      name: prompt.name,
      description: prompt_help(prompt) || `a prompt of ${prompt.server}`,
      ...(prompt.args.length === 0
        ? {}
        : { input: { hint: prompt.args.map(({ name }) => name).join(" ") } }),
    })),
  ];
}

/** A prompt that begins with `/NAME` is that command's task; any other is the task itself. With what the resources hold that it names. */
export async function commanded_prompt(
  text: string,
  { mode, ...at }: { mode: Mode } & Parameters<typeof named_resources>[1],
): Promise<{ readonly task: string; readonly model: string | null; readonly context: string }> {
  const written = await written_task(text, at);
  if (written?.mode !== undefined && written.mode !== mode) {
    throw RequestError.invalidRequest(
      undefined,
      `/${written.name} is for mode ${written.mode}: switch to it first`,
    );
  }
  const { task = text, model } = written ?? {};
  return {
    task,
    model: typeof model === "string" ? model : null,
    context: await named_resources(task, at),
  };
}
