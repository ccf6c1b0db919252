/** The patch of a run, from which `git apply` makes the same files, whatever they hold. */
import { attempt } from "../config/attempt.ts";
import { git_id } from "../permission/content_hash.ts";
import { deflated } from "../store/body.ts";
import type { DiffOptions, FileChange } from "./turn_diff.ts";
import { type FileDiff, type Sides, unified_diff, type Version } from "./unified_diff.ts";

export interface Patch {
  /** Empty if it was nothing. */
  readonly text: string;
  /** Files that are not in it: too large, of unknown content, or not to be shown. */
  readonly left_out: readonly string[];
}

interface PatchOptions extends DiffOptions {
  /** How the repository names its contents: git takes no other names for binary files. */
  readonly object_format: "sha1" | "sha256";
}

/** Lines of a larger file are not compared: it is in the patch as a binary one is. */
const COMPARE_BYTES = 2 * 1024 * 1024;
const FILE_MS = 1000;

export async function patch_of_files(
  files: readonly FileChange[],
  { chars, sides: sides_of, shown, object_format }: PatchOptions,
): Promise<Patch> {
  const left_out: string[] = [];
  let text = "";
  for (const { path } of files) {
    const sides = sides_of(path);
    const known = shown(path) && is_known(sides.before) && is_known(sides.after);
    const part = known ? await part_of_patch(path, sides, object_format) : null;
    if (part === null || text.length + part.text.length > chars) left_out.push(path);
    else text += part.text;
  }
  return { text, left_out };
}

export function is_known(version: Version | null): boolean {
  return version === null || version.bytes !== null;
}

/** One file's part: lines where no byte of it would be lost by that, else the whole content. Both sides are known. */
export async function part_of_patch(
  path: string,
  { before, after }: Sides,
  object_format: PatchOptions["object_format"],
): Promise<FileDiff> {
  if (is_text(before) && is_text(after)) {
    return await unified_diff(path, { before, after, ms: FILE_MS });
  }
  const binary = async (old: Version | null, now: Version | null) => {
    const id = (version: Version | null) =>
      version === null
        ? "0".repeat(object_format === "sha1" ? 40 : 64)
        : git_id(bytes_of(version), object_format);
    const literals = `${await literal(bytes_of(now))}\n${await literal(bytes_of(old))}\n`;
    return `index ${id(old)}..${id(now)}\nGIT binary patch\n${literals}`;
  };
  return await unified_diff(path, { before, after, ms: FILE_MS, binary });
}

function bytes_of(version: Version | null): Uint8Array<ArrayBuffer> {
  // Nobody shares memory here.
  return (version?.bytes ?? new Uint8Array()) as Uint8Array<ArrayBuffer>;
}

/** Whether it can be shown line by line, and no byte of it is lost. */
function is_text(version: Version | null): boolean {
  const bytes = bytes_of(version);
  if (bytes.length > COMPARE_BYTES || bytes.includes(0)) return false;
  return attempt(() => {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  }, false);
}

/** As git's base85.c. */
const DIGITS =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/** Bytes in a line; its first letter says how many there are. */
const LINE_BYTES = 52;

/** A content, deflated, in lines of base 85. */
async function literal(content: Uint8Array<ArrayBuffer>): Promise<string> {
  const small = await deflated(content, "deflate");
  const lines = [`literal ${content.length}\n`];
  for (let at = 0; at < small.length; at += LINE_BYTES) {
    const piece = small.subarray(at, at + LINE_BYTES);
    const length = piece.length <= 26 ? 64 + piece.length : 96 + piece.length - 26;
    let line = String.fromCharCode(length);
    for (let word = 0; word < piece.length; word += 4) {
      let value = 0;
      for (let byte = 0; byte < 4; byte++) value = value * 256 + (piece[word + byte] ?? 0);
      let digits = "";
      for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85)) {
        digits = DIGITS[value % 85] + digits;
      }
      line += digits;
    }
    lines.push(`${line}\n`);
  }
  return lines.join("");
}
