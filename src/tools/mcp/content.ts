/** Turns the result of an MCP call into text and images. Its forms: modelcontextprotocol.io/specification, "Tool result". */
import { attempt } from "../../config/attempt.ts";
import { fields, is_text } from "../../config/json.ts";
import { one_line } from "../../config/text.ts";
import type { McpAnswer } from "../mcp_server.ts";

type McpImage = NonNullable<McpAnswer["images"]>[number];

/** Of the first line of a result, for the person. */
const SUMMARY_CHARS = 80;
/** What a server holds as an object has at most this many times the length of the text that tells it. */
const TOLD = 3;
const IS_TEXT =
  /^text\/|^application\/(?:json|xml|yaml|toml|javascript|typescript)\b|\+(?:json|xml)\b/;

export function failed_call(why: string): McpAnswer {
  return { ok: false, text: `Error: ${why}`, summary: one_line(why).slice(0, 200) };
}

/** What a server's result comes to, whatever it holds. */
export function mcp_answer_of(result: unknown): McpAnswer {
  const { content, structuredContent, isError } = fields(result);
  const images: McpImage[] = [];
  const parts = (Array.isArray(content) ? content : []).flatMap((item: unknown) => {
    const { type, text, data, mimeType, resource } = fields(item);
    switch (type) {
      case "text":
        return typeof text === "string" ? [text] : [];
      case "image":
        if (typeof data === "string") images.push({ media_type: String(mimeType), data });
        return [];
      case "audio":
        return [`[audio (${word(mimeType)}), not shown]`];
      case "resource": {
        const image = image_of_resource(resource);
        if (image !== null) images.push(image);
        return [text_of_resource(resource)];
      }
      case "resource_link": {
        const { uri, name, description } = fields(item);
        return [[`resource ${word(uri)}`, name, description].filter(is_text).join(": ")];
      }
      default:
        return [];
    }
  });
  const held = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  const shown = parts.join("\n");
  // Most say the same in the text; some only that there is something: "6 projects found".
  const is_told = shown === "" ? images.length > 0 : held.length <= TOLD * shown.length + 40;
  const text = [shown, is_told ? "" : held].filter(is_text).join("\n");
  const ok = isError !== true;
  return {
    ok,
    text: ok ? text : `Error: ${text}`,
    summary: first_line(text) || (images.length > 0 ? "an image" : ok ? "nothing" : "failed"),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** What a resource is to look at; null if it is not an image. */
export function image_of_resource(value: unknown): McpImage | null {
  const { blob, mimeType } = fields(value);
  const is_image = typeof blob === "string" && /^image\//.test(String(mimeType));
  return is_image ? { media_type: String(mimeType), data: blob } : null;
}

/** Each piece of a resource below its address. */
export function text_of_resource(value: unknown): string {
  const { uri, text, blob, mimeType } = fields(value);
  const head = `resource ${word(uri)}:`;
  if (typeof text === "string") return `${head}\n${text}`;
  if (typeof blob === "string") {
    if (image_of_resource(value) !== null) return `${head} an image`;
    if (IS_TEXT.test(String(mimeType))) {
      // Servers send files as they are: without a look at what they hold.
      const read = () => new TextDecoder().decode(Uint8Array.fromBase64(blob));
      return `${head}\n${attempt(read, "it is not base64")}`;
    }
    return `${head} ${word(mimeType)}, ${Math.floor(blob.length * 3 / 4)} bytes, not shown`;
  }
  return `${head} empty`;
}

export function first_line(text: string): string {
  return (text.split("\n").find((line) => line.trim() !== "") ?? "").trim().slice(0, SUMMARY_CHARS);
}

function word(value: unknown): string {
  return typeof value === "string" && value !== "" ? value.slice(0, 500) : "of no known kind";
}
