import { plural } from "../../../config/text.ts";
import { ToolFailure } from "../../failure.ts";
import type { OutputLimits } from "../../limits.ts";
import type { Machine } from "../machine/machine.ts";
import type { Done } from "../../tool.ts";

/** The entries of a folder, sorted, folders with `/`; what `.gitignore` covers is left out and counted, `.git` not. */
export function list_tree(folder: string, most: OutputLimits, machine: Machine): Done {
  const names: string[] = [];
  const hides = hiding(folder, machine);
  let ignored = 0;
  for (const entry of listing(folder, machine)) {
    const name = entry.isDirectory ? `${entry.name}/` : entry.name;
    if (hides(name)) ignored += entry.name === ".git" ? 0 : 1;
    else names.push(plain_name(entry.isSymlink ? `${name}@` : name));
  }
  names.sort();
  const { kept, cut } = bounded(names, most);
  const notes = [
    ...(cut > 0 ? [plural(cut, "more entry", "more entries")] : []),
    ...(ignored > 0 ? [`${plural(ignored, "ignored entry", "ignored entries")} not shown`] : []),
  ];
  const note = notes.length > 0 ? `[${notes.join("; ")}]` : "";
  const text = [...kept, note].filter((line) => line !== "").join("\n");
  const summary = plural(names.length, "entry", "entries");
  return { ok: true, text: text || "the folder is empty", summary };
}

/** What of a folder is left out: what ignore rules cover, unless the folder itself is covered and was asked for. */
export function hiding(
  folder: string,
  machine: Machine,
  covered = is_covered(folder, machine),
): (name: string) => boolean {
  const inside = machine.files.inside(folder);
  if (inside === null || covered) return () => false;
  const before = inside === "." ? "" : `${inside}/`;
  return (name) => machine.ignore.ignores(before + name);
}

export function is_covered(folder: string, machine: Machine): boolean {
  const inside = machine.files.inside(folder);
  return inside !== null && inside !== "." && machine.ignore.covers(`${inside}/`);
}

function listing(folder: string, machine: Machine): Iterable<Deno.DirEntry> {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new ToolFailure(`no permission to list ${machine.files.shown(folder)}`);
  }
}

/** A name on one line, whatever is in it. */
export function plain_name(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name.toWellFormed();
}

/** As many whole lines as the limits allow. */
export function bounded(lines: readonly string[], limits: OutputLimits) {
  const encoder = new TextEncoder();
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += encoder.encode(line).length + 1;
    if (count >= limits.lines || bytes > limits.bytes) break;
    count++;
  }
  return { kept: lines.slice(0, count), cut: lines.length - count };
}
