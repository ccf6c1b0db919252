/** The model of a chat: shown before the first task, and chosen by the person on the very first start. */
import { endpoint_of } from "../../app/endpoint.ts";
import { found_models } from "../../app/found_models.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { Endpoint } from "../../model/server/endpoint.ts";
import { base_address, origin_of } from "../../model/server/address.ts";
import { api_mode_of } from "../../model/server/provider.ts";
import { reach } from "../../model/server/reach.ts";
import type { Choice } from "../../ui/chat/picker.ts";
import { line, short } from "../../ui/text.ts";
import { why } from "../../config/paths.ts";
import type { ChatState } from "./state.ts";
import { StartError } from "../../config/error.ts";

const NAME_CHARS = 60;
const PICKS = "/model picks one";
const ELSEWHERE = "/model lists what other servers here have\n/model URL uses a server elsewhere";

/** Says who would answer. Where nobody ever chose, and there is a choice, asks for one. Gives whether the model may see. */
export async function meet(chat: ChatState, busy: () => boolean): Promise<boolean> {
  const { settings, screen } = chat;
  const found = await who_answers(settings, { picking: false });
  if (typeof found === "string") {
    chat.note(found.endsWith(PICKS) ? found : `${found}\n${ELSEWHERE}`);
    return true;
  }
  const sees = found.sees !== false;
  screen.status.names(found.model, found.context_window, found.window_source);
  screen.render();
  if (!is_first_choice(settings)) return sees;
  const choices = await model_choices(settings, found);
  if (choices.length < 2 || busy()) return sees;
  const choice = await screen.picker.pick("Which model?", choices);
  if (choice !== null) await adopted(chat, choice);
  return sees;
}

function is_first_choice({ paths, settings: { provider }, files }: RunSettings): boolean {
  return provider.model === "" && provider.base_url === "" &&
    files.every(({ source, exists }) => source === "system" || !exists) &&
    paths.config_file !== null;
}

export async function pick_model(chat: ChatState): Promise<void> {
  const found = await who_answers(chat.settings, { picking: true });
  const used = typeof found === "string" ? null : found;
  const own = used === null ? "" : origin_of(used.base_url);
  const current = used === null ? "" : chat.screen.status.model || used.model;
  const others = (await model_choices(chat.settings, used)).filter(({ value }) => {
    const { model, base_url } = chosen(value);
    return model !== current || base_url !== own;
  });
  const none = typeof found === "string" ? found : `model: ${current}, the only one at ${own}`;
  if (others.length === 0) return chat.note(none);
  const now = current === "" ? "Model:" : `Model (now ${line(current, NAME_CHARS)}):`;
  const choice = await chat.screen.picker.pick(now, others);
  if (choice === null) return;
  const { model = "", base_url = "" } = chosen(choice.value);
  return base_url === own ? chat.set_model(model) : await move(chat, choice, base_url);
}

/** Takes it, whatever the server's list says: not every list is whole. What there is instead is said at once. */
export async function name_model(chat: ChatState, name: string): Promise<void> {
  chat.set_model(name);
  const { settings: all } = chat.settings;
  const settings = { ...all, provider: { ...all.provider, model: name } };
  const found = await who_answers({ ...chat.settings, settings }, { picking: false });
  if (typeof found === "string") chat.note(found);
}

/** Lets the person pick a model of the server at `url`; its only one is taken. */
export async function pick_model_at(chat: ChatState, url: string): Promise<void> {
  const { settings: all } = chat.settings;
  // Whatever model it has.
  const provider = { ...all.provider, default: "auto", base_url: url, model: "" };
  const settings = { ...chat.settings, settings: { ...all, provider } };
  const found = await who_answers(settings, { picking: true });
  if (typeof found === "string") return chat.note(found);
  const own = origin_of(found.base_url);
  const there = (await model_choices(settings, found))
    .filter(({ value }) => chosen(value)["base_url"] === own);
  const [only] = there;
  const choice = there.length > 1
    ? await chat.screen.picker.pick(`Model at ${own}:`, there)
    : only ?? null;
  if (choice === null) return;
  // Who has never had a model means this one, not only for today.
  const { default: asked } = chat.settings.settings.provider;
  const first = chat.screen.status.model === "" && asked === "auto" &&
    base_address(url).secret === "";
  const keeps = first && is_first_choice(chat.settings);
  if (!keeps || !(await adopted(chat, choice))) await move(chat, choice, url);
}

/** Another server takes a restart. `base_url`: it may have a password, which is not shown. */
async function move(chat: ChatState, choice: Choice, base_url: string): Promise<void> {
  const { model = "", base_url: shown, api_mode: own } = chosen(choice.value);
  // What a flag or a setting says of the protocol is said of the server before.
  const { api_mode: said } = chat.settings.settings.provider;
  const api_mode = own ??
    (said === "" ? said : api_mode_of({ explicit: "", provider: "", base_url }));
  const protocol = api_mode === "" ? [] : ["--api-mode", api_mode];
  const server = ["--provider", "auto", "--base-url", base_url, "--model", model, ...protocol];
  await chat.resume(server, { say: `from now on: ${model} at ${shown}` });
}

/** The model as it would be asked now, or in a few lines why there is none. */
export async function who_answers(
  settings: RunSettings,
  { picking }: { picking: boolean },
): Promise<Endpoint | string> {
  try {
    const endpoint = await endpoint_of(settings);
    const { ok, words, others } = await reach(endpoint);
    if (ok || (picking && others !== undefined)) return endpoint;
    return others === undefined ? words : `${words}; ${PICKS}`;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

async function model_choices(
  settings: RunSettings,
  used: Endpoint | null,
): Promise<readonly Choice[]> {
  const servers = await found_models(settings, used);
  return servers.flatMap(({ provider, url, models }) =>
    models.map(({ name, window }) => ({
      // With its own protocol, Ollama can be told how large the window has to be.
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

function chosen(value: string): Readonly<Record<string, string>> {
  return JSON.parse(value);
}

/** Writes it into the user's settings, of which there are none yet, and goes on with it; false where that fails. */
async function adopted(chat: ChatState, choice: Choice): Promise<boolean> {
  const path = chat.settings.paths.config_file ?? "";
  try {
    write_choice(path, choice);
  } catch (error) {
    chat.note(`${path}: ${why(error)}`);
    return false;
  }
  await chat.again(chat.chosen.flags, {
    say: `${choice.label} is your model from now on: ${path}`,
  });
  return true;
}

/** Throws where that fails. */
function write_choice(path: string, choice: Choice): void {
  Deno.mkdirSync(path.replace(/[^/]*$/, ""), { recursive: true });
  const text =
    `# Chosen at the first start of hamr; "hamr config init" writes all settings down.\n` +
    `[provider]\n` +
    Object.entries(chosen(choice.value)).map(([key, value]) =>
      `${key} = ${JSON.stringify(value)}\n`
    ).join("");
  Deno.writeTextFileSync(path, text, { createNew: true });
}
