import { entries_in } from "../permission/paths.ts";
import { ToolFailure } from "./failure.ts";
import type { Machine } from "./machine.ts";
import type { Done } from "./tool.ts";

/** Files larger than this are not searched: they are data, and bash has grep. */
const SEARCH_FILE_BYTES = 4 * 1024 * 1024;
/** Nothing else can be done, and no interrupt heard, while a search is under way. */
const SEARCH_MS = 10_000;
/** A matching line is shown up to here (500 characters, as other agents cut grep), from a little before the match. */
const MATCH_CHARS = 500;
const BEFORE_MATCH = 100;
/** A file whose beginning has a NUL byte is not text (as git decides it). */
const SNIFF_BYTES = 8000;

/** The entries of a folder, sorted, folders with `/`; what `.gitignore` covers is left out and counted. */
export function list_folder(folder: string, machine: Machine): Done {
  const names: string[] = [];
  const hides = hiding(folder, machine);
  let ignored = 0;
  for (const entry of listing(folder, machine)) {
    const name = entry.isDirectory ? `${entry.name}/` : entry.name;
    if (hides(name)) ignored++;
    else names.push(plain(entry.isSymlink ? `${name}@` : name));
  }
  names.sort();
  const { kept, cut } = bounded(names, machine.limits);
  const notes = [
    ...(cut > 0 ? [`${cut} more entries`] : []),
    ...(ignored > 0 ? [`${ignored} ignored ${ignored === 1 ? "entry" : "entries"} not shown`] : []),
  ];
  const note = notes.length > 0 ? `[${notes.join("; ")}]` : "";
  const text = [...kept, note].filter((line) => line !== "").join("\n");
  const summary = `${names.length} ${names.length === 1 ? "entry" : "entries"}`;
  return { ok: true, text: text || "the folder is empty", summary };
}

/** Lines below a path that contain a literal text, as `path:N:line`. */
export function search_text(
  want: { readonly full: string; readonly search: string; readonly limit: number },
  machine: Machine,
): Done {
  if (want.search.includes("\n")) {
    throw new ToolFailure("search is for text within one line; look for one of the lines");
  }
  const deadline = performance.now() + SEARCH_MS;
  const matches: string[] = [];
  let large = 0;
  let left_out = "";
  for (const file of files_below(want.full, machine)) {
    if (performance.now() > deadline) {
      left_out = `the search was stopped after ${SEARCH_MS / 1000} s`;
    } else if (matches.length > want.limit) left_out = "more matches left out";
    if (left_out !== "") break;
    const bytes = machine.files.peek(file, SEARCH_FILE_BYTES);
    if (bytes === "large") large++;
    else if (bytes !== null) collect(bytes, { ...want, file }, { matches, machine });
  }
  const { kept, cut } = bounded(matches.slice(0, want.limit), machine.limits);
  if (matches.length > want.limit || cut > 0) left_out ||= "more matches left out";
  const notes = [
    ...(left_out === "" ? [] : [`${left_out}: search further down, or use bash with grep`]),
    ...(large === 0
      ? []
      : [`${large} larger than ${SEARCH_FILE_BYTES} bytes not searched: use bash with grep`]),
  ].map((note) => `[${note}]`);
  if (kept.length === 0) {
    // Models often send a regular expression; `search` is literal, and bash has the rest.
    const hint = /[\\|*+?^$()[\]{}]/.test(want.search)
      ? "; the text is taken literally: for patterns use bash with grep -rnE"
      : "";
    const text = [`no line contains it${hint}`, ...notes].join("\n");
    return { ok: true, text, summary: "no match" };
  }
  const summary = `${kept.length} match${kept.length === 1 ? "" : "es"}`;
  return { ok: true, text: [...kept, ...notes].join("\n"), summary };
}

/** What is left out of a listing: what ignore rules cover, unless the folder itself is covered and was asked for. */
function hiding(folder: string, machine: Machine): (name: string) => boolean {
  const inside = machine.files.inside(folder);
  if (inside === null) return () => false;
  if (inside === ".") return (name) => machine.ignore.ignores(name);
  if (machine.ignore.covers(`${inside}/`)) return () => false;
  return (name) => machine.ignore.ignores(`${inside}/${name}`);
}

function listing(folder: string, machine: Machine): Iterable<Deno.DirEntry> {
  try {
    return [...Deno.readDirSync(folder)];
  } catch (error) {
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new ToolFailure(`no permission to list ${machine.files.shown(folder)}`);
  }
}

/** Files in the order of their names, those of a folder before those of its folders. Links are not followed. */
function* files_below(full: string, machine: Machine): Generator<string> {
  const opened = machine.files.open(full);
  if (opened.kind === "file") {
    machine.files.close(opened);
    yield opened.real;
    return;
  }
  const folders = [opened.real];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const below: string[] = [];
    const hides = hiding(folder, machine);
    for (const entry of entries_in(folder).sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`;
      if (hides(entry.isDirectory ? `${entry.name}/` : entry.name)) continue;
      if (entry.isFile) yield path;
      else if (entry.isDirectory && !machine.files.is_kernel_view(path)) below.push(path);
    }
    folders.push(...below.reverse());
  }
}

/** Adds the lines of a text file that match, up to one more than wanted. */
function collect(
  bytes: Uint8Array,
  want: { readonly file: string; readonly search: string; readonly limit: number },
  to: { readonly matches: string[]; readonly machine: Machine },
): void {
  if (bytes.subarray(0, SNIFF_BYTES).includes(0)) return;
  const text = new TextDecoder().decode(bytes);
  if (!text.includes(want.search)) return;
  const name = plain(to.machine.files.shown(want.file));
  for (const [at, line] of text.split("\n").entries()) {
    const found = line.indexOf(want.search);
    if (found < 0) continue;
    to.matches.push(`${name}:${at + 1}:${around(line.replace(/\r$/, ""), found)}`);
    if (to.matches.length > want.limit) return;
  }
}

function around(line: string, found: number): string {
  const line_shown = line.replaceAll("\0", "␀");
  if (line.length <= MATCH_CHARS) return line_shown;
  const from = Math.max(0, found - BEFORE_MATCH);
  const end = from + MATCH_CHARS < line.length ? "…" : "";
  return `${from > 0 ? "…" : ""}${line_shown.slice(from, from + MATCH_CHARS)}${end}`;
}

/** A name on one line, whatever is in it. */
function plain(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
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
