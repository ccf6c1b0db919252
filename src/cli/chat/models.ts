/** Who answers in a chat: shown before the first task, and on the very first start chosen by the person. */
import { endpoint_of } from "../../app/endpoint.ts";
import { found_models } from "../../app/found_models.ts";
import type { RunSettings } from "../../app/settings.ts";
import { StartError } from "../../app/start_error.ts";
import type { Endpoint } from "../../model/server/endpoint.ts";
import { reach } from "../../model/server/reach.ts";
import type { Choice } from "../../ui/chat/picker.ts";
import { line, short } from "../../ui/text.ts";

const NAME_CHARS = 60;

/** The model as it would be asked now, or in a few lines why there is none. */
export async function who_answers(settings: RunSettings): Promise<Endpoint | string> {
  try {
    const endpoint = await endpoint_of(settings);
    const { ok, words } = await reach(endpoint);
    return ok ? endpoint : words;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

/** Whether nobody has ever said which model to use. */
export function is_first_start({ settings: { provider }, files }: RunSettings): boolean {
  return provider.model === "" && provider.base_url === "" && !files.some(({ exists }) => exists);
}

/** What can be chosen: the values are what `write_choice` takes. */
export async function model_choices(
  settings: RunSettings,
  used: Endpoint,
): Promise<readonly Choice[]> {
  const servers = await found_models(settings, used);
  return servers.flatMap(({ provider, url, models }) =>
    models.map(({ name, window }) => ({
      // By its own protocol Ollama is told how large the window has to be.
      value: JSON.stringify({
        model: name,
        base_url: url,
        ...(provider === "ollama" ? { api_mode: "ollama_chat" } : {}),
      }),
      label: line(name, NAME_CHARS),
      description: `${provider} at ${url}${window === null ? "" : `, window ${short(window)}`}`,
    }))
  );
}

/** Writes it into the user's settings, of which there are none yet. Throws where that fails. */
export function write_choice(path: string, choice: Choice): void {
  const chosen: Record<string, string> = JSON.parse(choice.value);
  Deno.mkdirSync(path.replace(/[^/]*$/, ""), { recursive: true });
  const text =
    `# Chosen at the first start of hamr; "hamr config init" writes all settings down.\n` +
    `[provider]\n` +
    Object.entries(chosen).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("");
  Deno.writeTextFileSync(path, text, { createNew: true });
}
