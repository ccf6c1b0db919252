import type { Machine } from "./machine.ts";
import type { Done } from "./tool.ts";

/** Files larger than this are not searched: they are data, and bash has grep. */
const SEARCH_FILE_BYTES = 4 * 1024 * 1024;
/** A matching line is shown up to here (500 characters, as other agents cut grep). */
const MATCH_CHARS = 500;

/** The entries of a folder, sorted, folders with `/`; what `.gitignore` covers is left out and counted. */
export function list_folder(folder: string, machine: Machine): Done {
  const { workspace } = machine.policy;
  const inside = folder === workspace || folder.startsWith(`${workspace}/`);
  const prefix = folder === workspace ? "" : `${folder.slice(workspace.length + 1)}/`;
  const names: string[] = [];
  let ignored = 0;
  for (const entry of Deno.readDirSync(folder)) {
    const name = entry.isDirectory ? `${entry.name}/` : entry.name;
    if (inside && machine.ignore.ignores(prefix + name)) ignored++;
    else names.push(entry.isSymlink ? `${name}@` : name);
  }
  names.sort();
  const { kept, cut } = bounded(names, machine.limits);
  const notes = [
    ...(cut > 0 ? [`${cut} more entries`] : []),
    ...(ignored > 0 ? [`${ignored} ignored entries not shown`] : []),
  ];
  const note = notes.length > 0 ? `[${notes.join("; ")}]` : "";
  const text = [...kept, note].filter((line) => line !== "").join("\n");
  return { ok: true, text: text || "the folder is empty", summary: `${names.length} entries` };
}

/** Lines below a path that contain a literal text, as `path:N:line`. */
export function search_text(
  want: { readonly full: string; readonly search: string; readonly limit: number },
  machine: Machine,
): Done {
  const matches: string[] = [];
  let more = false;
  for (const file of files_below(want.full, machine)) {
    for (const match of matches_in(file, want.search, machine)) {
      if (matches.length >= want.limit) {
        more = true;
        break;
      }
      matches.push(match);
    }
    if (more) break;
  }
  if (matches.length === 0) {
    // Models often send a regular expression; `search` is literal, and bash has the rest.
    const hint = /[\\|*+?^$()[\]{}]/.test(want.search)
      ? "; the text is taken literally: for patterns use bash with grep -rnE"
      : "";
    return { ok: true, text: `no line contains it${hint}`, summary: "no match" };
  }
  const { kept, cut } = bounded(matches, machine.limits);
  const note = more || cut > 0 ? "\n[more matches left out: search a folder further down]" : "";
  return { ok: true, text: kept.join("\n") + note, summary: `${matches.length} matches` };
}

function* files_below(full: string, machine: Machine): Generator<string> {
  const { workspace } = machine.policy;
  const opened = machine.files.open(full);
  if (opened.kind === "file") {
    machine.files.close(opened);
    yield full;
    return;
  }
  const folders = [opened.real];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside = folder === workspace || folder.startsWith(`${workspace}/`);
    const prefix = inside ? `${folder}/`.slice(workspace.length + 1) : "";
    for (const entry of entries_of(folder)) {
      const name = entry.isDirectory ? `${entry.name}/` : entry.name;
      if (inside && machine.ignore.ignores(prefix + name)) continue;
      if (entry.isDirectory) folders.push(`${folder}/${entry.name}`);
      else if (entry.isFile) yield `${folder}/${entry.name}`;
    }
  }
}

function entries_of(folder: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return []; // Not to be read: nothing below it can match.
  }
}

function matches_in(file: string, search: string, machine: Machine): string[] {
  let bytes: Uint8Array;
  try {
    bytes = machine.files.read(file, SEARCH_FILE_BYTES).bytes;
  } catch {
    return []; // Too large, gone, or not to be read.
  }
  if (bytes.subarray(0, 8000).includes(0)) return [];
  const name = machine.files.shown(file);
  const found: string[] = [];
  for (const [at, line] of new TextDecoder().decode(bytes).split("\n").entries()) {
    if (line.includes(search)) {
      found.push(`${name}:${at + 1}:${line.replace(/\r$/, "").slice(0, MATCH_CHARS)}`);
    }
  }
  return found;
}

/** As many whole lines as the limits allow. */
function bounded(lines: readonly string[], limits: Machine["limits"]) {
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
