/** Prompts of MCP servers: tasks written by the server, with arguments. */
import { fields } from "../../config/json.ts";
import { text_of_resource } from "./content.ts";
import { harmless_text } from "./described.ts";

export interface McpPrompt {
  readonly server: string;
  /** Its name with the server. */
  readonly prompt: string;
  /** As it is typed, behind the slash. */
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly required: boolean }[];
}

const MOST_PROMPTS = 100;
const MOST_CHARS = 100;

export function prompts_of(server: string, listed: readonly unknown[]): readonly McpPrompt[] {
  const found = new Map<string, McpPrompt>();
  for (const { name: prompt, description, arguments: args } of listed.map(fields)) {
    if (typeof prompt !== "string") continue;
    const name = `mcp__${server}__${prompt.replace(/[^\w.-]+/g, "_").slice(0, MOST_CHARS)}`;
    if (found.has(name) || found.size === MOST_PROMPTS) continue;
    const wanted = (Array.isArray(args) ? args : []).map(fields).flatMap(({ name, required }) =>
      typeof name === "string" ? [{ name, required: required === true }] : []
    );
    const words = typeof description === "string" ? description : "";
    found.set(name, { server, prompt, name, description: words, args: wanted });
  }
  return [...found.values()];
}

export function prompt_help({ args, description }: McpPrompt): string {
  const places = args.map(({ name, required }) => required ? `<${name}>` : `[${name}]`).join(" ");
  const words = [places, description].map((part) => harmless_text(part).replaceAll(/\s+/g, " "));
  return words.filter((part) => part !== "").join("  ").slice(0, 2 * MOST_CHARS);
}

/** Arguments as `name=value` or in order, the last one taking the rest. Throws if one is missing or too many are given. */
export function prompt_arguments(
  { args, name: typed }: Pick<McpPrompt, "args" | "name">,
  text: string,
): Record<string, string> {
  const given: Record<string, string> = {};
  const rest: string[] = [];
  for (const word of text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? []) {
    const plain = word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(plain) ?? [];
    if (args.some((one) => one.name === name)) given[name] = value;
    else rest.push(plain);
  }
  const open = args.filter(({ name }) => !Object.hasOwn(given, name));
  open.forEach(({ name }, at) => {
    const words = at === open.length - 1 ? rest.slice(at) : rest.slice(at, at + 1);
    if (words.length > 0) given[name] = words.join(" ");
  });
  const missing = args.filter(({ name, required }) => required && !Object.hasOwn(given, name))
    .map(({ name }) => name);
  const use = `/${[typed, ...args.map(({ name }) => `${name}=…`)].join(" ")}`;
  if (missing.length > 0) {
    throw new Error(harmless_text(`it needs ${missing.join(" and ")}: ${use}`));
  }
  if (open.length === 0 && rest.length > 0) {
    throw new Error(harmless_text(`it has no place for "${rest[0]}": ${use}`));
  }
  return given;
}

/** The task that a server's answer stands for. Throws where it holds none. */
export function prompt_text(result: unknown): string {
  const { messages } = fields(result);
  const parts = (Array.isArray(messages) ? messages : []).map(fields).flatMap((message) => {
    const words = text_in(message["content"]);
    if (words === "") return [];
    return [message["role"] === "assistant" ? `The assistant says:\n${words}` : words];
  });
  if (parts.length === 0) throw new Error("it holds no text");
  return parts.join("\n\n");
}

function text_in(content: unknown): string {
  const { type, text, resource, uri } = fields(content);
  switch (type) {
    case "text":
      return typeof text === "string" ? text : "";
    case "resource":
      return text_of_resource(resource);
    case "resource_link":
      return typeof uri === "string" ? `resource ${uri}` : "";
    default:
      return typeof type === "string" ? `[${harmless_text(type).slice(0, 20)}, not shown]` : "";
  }
}
