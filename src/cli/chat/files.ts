import type { Image } from "../../model/message.ts";
import { by_name, decoded, message_of, plural } from "../../config/text.ts";
import { read_images } from "../base/images.ts";
import type { ChatState } from "./state.ts";
import { is_file } from "../../config/paths.ts";
import { entries_in } from "../../permission/paths.ts";
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
    for (const { name, isDirectory } of entries_in(`${workspace}/${folder}`).sort(by_name)) {
      const path = `${folder}${name}`;
      if (rules.ignores(isDirectory ? `${path}/` : path)) continue;
      if (isDirectory) folders.push(`${path}/`);
      else if (files.push(path) === MOST_FILES) return files;
    }
  }
  return files;
}

/** A file that is named with an @, or by its whole path, as terminals write it where one is dragged there. */
const NAMED =
  /(?<=^|\s)(?:@"([^"]+)"|@'([^']+)'|"(\/[^"]+)"|'(\/[^']+)'|@?((?<=@)(?:\\.|[^\s\\"'])+|\/(?:\\.|[^\s\\])+)|file:\/\/(\/\S+))(?=\s|$)/g;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** The images that a message shows, by their paths, and those that it names with an @ and that there are not. */
export function images_in(
  text: string,
  workspace: string,
): { readonly paths: readonly string[]; readonly missing: readonly string[] } {
  const paths = new Set<string>(), missing = new Set<string>();
  for (const [whole, ...parts] of text.matchAll(NAMED)) {
    const [bare, address] = parts.splice(4);
    const quoted = parts.find((part) => part !== undefined);
    const named = quoted ?? bare?.replace(/\\(.)/g, "$1") ?? decoded(address ?? "");
    const path = named.startsWith("/") ? named : `${workspace}/${named}`;
    if (!IMAGE.test(path)) continue;
    if (is_file(path)) paths.add(path);
    else if (whole.startsWith("@")) missing.add(named);
  }
  return { paths: [...paths], missing: [...missing] };
}

/** They, for a model that may see them. */
export async function shown_images(
  text: string,
  chat: ChatState,
  { blind }: { readonly blind: boolean },
): Promise<readonly Image[]> {
  const { paths, missing } = images_in(text, chat.settings.workspace);
  for (const name of missing) chat.note(`there is no image ${name}: the model gets only its name`);
  if (paths.length === 0) return [];
  if (blind) {
    chat.note("this model can't see images: it gets their paths");
    return [];
  }
  try {
    const images = await read_images(paths, chat.settings);
    chat.note(`with ${plural(images.length, "image")}`);
    return images;
  } catch (error) {
    chat.note(message_of(error));
    return [];
  }
}
