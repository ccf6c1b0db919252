/** What a client puts into a prompt, as text and images for the model. */
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { is_inside } from "../../config/paths.ts";
import { defused, one_line, uri_decoded } from "../../config/text.ts";
import type { Image } from "../../model/message.ts";
import { ToolFailure } from "../../tools/failure.ts";
import { fit_image } from "../../tools/image/fit_image.ts";

interface Prompted {
  readonly text: string;
  readonly images: readonly Image[];
}

/** Throws a `RequestError` for what can't be taken. `signal`: nobody waits for it anymore. */
export async function prompted(
  blocks: readonly ContentBlock[],
  { workspace, signal }: { workspace: string; signal: AbortSignal },
): Promise<Prompted> {
  const texts: string[] = [];
  const images: Image[] = [];
  const files: string[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "resource_link":
        texts.push(named(block.uri, workspace));
        break;
      case "resource": {
        const { resource } = block;
        const name = named(resource.uri, workspace);
        texts.push(name);
        if ("text" in resource) {
          const words = defused(resource.text, "file|hamr");
          files.push(`<file path=${JSON.stringify(name)}>\n${words}\n</file>`);
        } else if (resource.mimeType?.startsWith("image/")) {
          images.push(await fitted(resource.blob, signal));
        }
        break;
      }
      case "image":
        images.push(await fitted(block.data, signal));
        break;
      case "audio":
        throw RequestError.invalidParams(undefined, "hamr does not accept audio");
    }
  }
  const text = [texts.join("").trim(), ...files].filter((part) => part !== "").join("\n\n");
  if (text === "" && images.length === 0) {
    throw RequestError.invalidParams(undefined, "the prompt is empty");
  }
  return { text, images };
}

/** A file by its path from the workspace; another address as it is. */
function named(uri: string, workspace: string): string {
  if (!uri.startsWith("file:") || !URL.canParse(uri)) return plain(uri);
  const { pathname, hash } = new URL(uri);
  const path = uri_decoded(pathname);
  const shown = is_inside(path, workspace) ? path.slice(workspace.length + 1) || "." : path;
  return plain(`${shown}${hash}`);
}

/** The name of a file may be anything: here it is one line, and no mark of hamr's own. */
function plain(name: string): string {
  return defused(one_line(name), "file|hamr");
}

async function fitted(data: string, signal: AbortSignal): Promise<Image> {
  try {
    return (await fit_image(Uint8Array.fromBase64(data), signal)).image;
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw RequestError.invalidParams(undefined, "an image is not base64");
    }
    if (!(error instanceof ToolFailure)) throw error;
    throw RequestError.invalidParams(undefined, `an image ${error.message}`);
  }
}
