import type { Image } from "../../model/message.ts";
import { by_name, message_of, plural, uri_decoded } from "../../config/text.ts";
import { MOST_IMAGES, read_image } from "../base/images.ts";
import type { ChatState } from "./state.ts";
import { is_file } from "../../config/paths.ts";
import { entries_in, stat_or_null } from "../../permission/paths.ts";
import { IgnoreRules } from "../../tools/work/machine/ignore_rules.ts";

/** More are not looked through at once while somebody types: these take about 0.15 s. */
const AT_ONCE = 20_000;
/** Of more, each key would take long. */
const MOST_FILES = 100_000;
const FRESH_MS = 5000;

/**
 * The files of a workspace, or below a folder of it, that no ignore rule covers, by their paths; the first hundred thousand.
 * Where there are many, each call looks further than the one before; `whole`: it has come to the end.
 */
export function workspace_files(
  workspace: string,
  at_once = AT_ONCE,
): (below?: string) => { readonly files: readonly string[]; readonly whole: boolean } {
  const listed = new Map<string, () => ReturnType<ReturnType<typeof workspace_files>>>();
  return (below = "") => {
    const look = listed.get(below) ?? in_parts(() => walk(workspace, below), at_once);
    listed.set(below, look);
    return look();
  };
}

/** Until another walk has come to its end, there is what the last one found. */
function in_parts(begin: () => Iterator<string, void>, at_once: number) {
  let last: readonly string[] = [], ended = -Infinity;
  let found: string[] = [], walk: Iterator<string, void> | null = null;
  return () => {
    if (walk === null && performance.now() - ended >= FRESH_MS) [found, walk] = [[], begin()];
    for (let count = 0; walk !== null && count < at_once; count++) {
      const { value, done } = walk.next();
      if (!done && found.push(value) < MOST_FILES) continue;
      [last, ended, walk] = [found, performance.now(), null];
    }
    return { files: last.length === 0 ? found : last, whole: walk === null };
  };
}

function* walk(workspace: string, below: string): Generator<string, void> {
  const rules = new IgnoreRules(workspace);
  const folders = [below];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { name, isDirectory } of entries_in(`${workspace}/${folder}`).sort(by_name)) {
      const path = `${folder}${name}`;
      if (rules.ignores(isDirectory ? `${path}/` : path)) continue;
      if (isDirectory) folders.push(`${path}/`);
      else yield path;
    }
  }
}

/** A file that is named with an @, or by its whole path, as terminals write it where one is dragged there. */
const NAMED =
  /(?<=^|\s)(?:@"([^"]+)"|@'([^']+)'|"(\/[^"]+)"|'(\/[^']+)'|@?((?<=@)(?:\\.|[^\s\\"'])+|\/(?:\\.|[^\s\\])+)|file:\/\/(\/\S+))(?=\s|$)/g;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;

/** What a file's name hardly holds: patterns, versions (`@types/node@1.2`), lines (`@a.ts:3`), addresses. */
const NO_NAME = /[*?{}<>$:,;|=#@]/;

/** Whether what stands behind an @ can only be meant for a file: decorators, packages of npm and people are named so, too. */
function means_file(named: string, workspace: string): boolean {
  const [suffix] = /\.[a-z]\w*$/i.exec(named) ?? [];
  if (suffix === undefined || NO_NAME.test(named)) return false;
  const slash = named.indexOf("/");
  // `@/lib/a.ts` begins with a bundler's alias, mostly of `src`.
  if (slash >= 0) {
    return slash > 0 && stat_or_null(`${workspace}/${named.slice(0, slash)}`) !== null;
  }
  const { files } = workspace_files(workspace)();
  const has = (suffix: string) => files.some((path) => path.endsWith(suffix));
  // In Ruby `@response.json` is a variable.
  return has(suffix) && !has(".rb");
}

/** The images that a message shows, by their paths, and the images and other files that it names with an @ and that there are not. */
export function files_mentioned(text: string, workspace: string): {
  readonly images: readonly string[];
  readonly no_images: readonly string[];
  readonly no_files: readonly string[];
} {
  const images = new Set<string>(), no_images = new Set<string>(), no_files = new Set<string>();
  const at = (name: string) => name.startsWith("/") ? name : `${workspace}/${name}`;
  for (const [whole, ...parts] of text.matchAll(NAMED)) {
    const [bare, address] = parts.splice(4);
    const quoted = parts.find((part) => part !== undefined);
    const written = quoted ?? bare?.replace(/\\(.)/g, "$1") ?? uri_decoded(address ?? "");
    const by_name = whole.startsWith("@");
    // The end of a sentence is not the name's.
    const named = by_name && bare !== undefined && stat_or_null(at(written)) === null
      ? written.replace(/[.,;:!?)]+$/, "")
      : written;
    const is_image = IMAGE.test(named);
    if (is_image && is_file(at(named))) images.add(at(named));
    else if (!by_name || stat_or_null(at(named)) !== null) continue;
    else if (is_image) no_images.add(named);
    else if (means_file(named, workspace)) no_files.add(named);
  }
  return { images: [...images], no_images: [...no_images], no_files: [...no_files] };
}

/** The images, for a model that may see them; what is named and not there is said. */
export async function shown_images(
  text: string,
  chat: ChatState,
  { blind }: { blind: boolean },
): Promise<readonly Image[]> {
  const { images: paths, no_images, no_files } = files_mentioned(text, chat.settings.workspace);
  for (const name of no_images) {
    chat.note(`there is no image ${name}: the model gets only its name`);
  }
  for (const name of no_files) chat.note(`there is no file ${name}`);
  if (paths.length === 0) return [];
  if (blind) {
    chat.note("this model can't see images: it gets their paths");
    return [];
  }
  const images: Image[] = [];
  for (const path of paths.slice(0, MOST_IMAGES)) {
    try {
      images.push(await read_image(path, chat.settings));
    } catch (error) {
      chat.note(message_of(error).replace(`${chat.settings.workspace}/`, ""));
    }
  }
  const all = images.length === paths.length ? "" : ` of ${paths.length}`;
  if (images.length > 0) chat.note(`with ${plural(images.length, "image")}${all}`);
  return images;
}
