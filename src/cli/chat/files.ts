import type { Image } from "../../model/message.ts";
import { message_of } from "../../config/text.ts";
import { read_images } from "../base/images.ts";
import type { ChatState } from "./state.ts";
import { is_file } from "../../config/paths.ts";
import { IgnoreRules } from "../../tools/work/ignore_rules.ts";

/** More are not looked through while somebody types. */
const MOST_FILES = 5000;
/** A list is good for this long. */
const FRESH_MS = 5000;

/** The files of a workspace that no ignore rule covers, by their paths; the first few thousand. */
export function workspace_files(workspace: string): () => readonly string[] {
  let listed: readonly string[] = [];
  let at = -Infinity;
  return () => {
    if (performance.now() - at < FRESH_MS) return listed;
    listed = walk(workspace);
    at = performance.now();
    return listed;
  };
}

function walk(workspace: string): readonly string[] {
  const rules = new IgnoreRules(workspace);
  const files: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { name, isDirectory } of entries(`${workspace}/${folder}`)) {
      const path = `${folder}${name}`;
      if (rules.ignores(isDirectory ? `${path}/` : path)) continue;
      if (isDirectory) folders.push(`${path}/`);
      else if (files.push(path) === MOST_FILES) return files;
    }
  }
  return files;
}

function entries(folder: string): readonly Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return []; // It is gone, or may not be listed.
  }
}

/** A file that is named with an @, or by its whole path, as terminals write it where one is dragged there. */
const NAMED =
  /(?<=^|\s)(?:@"([^"]+)"|@'([^']+)'|"(\/[^"]+)"|'(\/[^']+)'|@?((?<=@)(?:\\.|[^\s\\"'])+|\/(?:\\.|[^\s\\])+)|file:\/\/(\/\S+))(?=\s|$)/g;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** The images that a message shows, by their paths. */
export function images_in(text: string, workspace: string): readonly string[] {
  const named = [...text.matchAll(NAMED)].map(([, ...parts]) => {
    const [bare, address] = parts.splice(4);
    const quoted = parts.find((part) => part !== undefined);
    const path = quoted ?? bare?.replace(/\\(.)/g, "$1") ?? unescaped(address ?? "");
    return path.startsWith("/") ? path : `${workspace}/${path}`;
  });
  return [...new Set(named)].filter((path) => IMAGE.test(path) && is_file(path));
}

function unescaped(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** They, for a model that may see them. */
export async function shown_images(
  text: string,
  chat: ChatState,
  { blind }: { readonly blind: boolean },
): Promise<readonly Image[]> {
  const paths = images_in(text, chat.settings.workspace);
  if (paths.length === 0) return [];
  if (blind) {
    chat.note("this model can't see images: it gets their paths");
    return [];
  }
  try {
    return await read_images(paths);
  } catch (error) {
    chat.note(message_of(error));
    return [];
  }
}
