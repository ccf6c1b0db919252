/** Tasks that are written down, as commands of a client. */
import { type AvailableCommand, RequestError } from "@agentclientprotocol/sdk";
import {
  command_help,
  type CommandPlaces,
  custom_command,
  custom_commands,
  expand_command,
} from "../../app/custom_commands.ts";
import { own_folder, type RunSettings } from "../../app/settings.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import { prompt_help } from "../../tools/mcp/prompts.ts";
import { is_prompt, prompt_task } from "../servers/mcp_prompts.ts";
import { named_resources, names_resource } from "../servers/mcp_resources.ts";
import type { Mode } from "../../guards/rule.ts";

/** What a command makes of a prompt. */
interface CommandedPrompt {
  readonly task: string;
  /** The command wants this one for its task; null: it does not say. */
  readonly model: string | null;
  /** What the resources hold that it names; empty for none. */
  readonly context: string;
}

/** Those of the workspace and the user's own, and the prompts of MCP servers that are running. */
export function commands_of(place: RunSettings, servers: McpServers | null): AvailableCommand[] {
  const at = places(place);
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

/** A prompt that begins with `/NAME` is that command's task; any other is the task itself. */
export async function commanded_prompt(
  text: string,
  { mode, ...at }: { readonly mode: Mode } & Parameters<typeof named_resources>[1],
): Promise<CommandedPrompt> {
  const { task, model } = await commanded(text, { mode, ...at });
  return { task, model, context: names_resource(task) ? await named_resources(task, at) : "" };
}

async function commanded(
  text: string,
  { mode, ...of_prompts }: { readonly mode: Mode } & Parameters<typeof prompt_task>[2],
): Promise<Omit<CommandedPrompt, "context">> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const at = places(of_prompts.place);
  // A path at the beginning is none.
  if (custom_command(name, at) === undefined) {
    if (is_prompt(name)) return { task: await prompt_task(name, rest, of_prompts), model: null };
    return { task: text, model: null };
  }
  const { task, overrides } = await expand_command(name, rest === "" ? [] : [rest], at);
  const wanted = (key: string) => overrides.find((one) => one.key === key)?.value;
  const mode_wanted = wanted("agent.mode");
  if (mode_wanted !== undefined && mode_wanted !== mode) {
    throw RequestError.invalidRequest(
      undefined,
      `/${name} is for mode ${mode_wanted}: switch to it first`,
    );
  }
  const model = wanted("provider.model");
  return { task, model: typeof model === "string" ? model : null };
}

function places(place: RunSettings): CommandPlaces {
  return { workspace: place.workspace, own_folder: own_folder(place) };
}
