/**
 * Holds the source to the rules of the house that no other tool knows: imports point down from room to
 * room and never in a circle, neither among files nor among folders, files stay readable, and only `main.ts` ends the process.
 *
 *     deno run -A scripts/check_imports.ts [ROOT]
 */
import { basename, dirname, join, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

/** Rooms from top to bottom. A room may import itself and those below it. */
export const ROOMS: readonly string[] = [
  "cli",
  "ui",
  "app",
  "agent",
  "gates",
  "guards",
  "context",
  "model",
  "dialects",
  "tools",
  "persistence_guard",
  "changes",
  "store",
  "permission",
  "sandbox",
  "config",
];

/** Node's modules are loaded when they are needed (`config/node.ts`): an import would cost every run 10 to 30 ms. `node:sqlite` takes 2. */
const NODE = /^import\s+(?!type\b)[^;]*?from\s*"(node:(?!sqlite")[^"]+)"/gm;
/** What hardly a run loads, and what the terminal's library loads anyway. */
const MAY_IMPORT_NODE = ["src/store/packed_reply.ts", "src/cli/chat/live.ts"];

/** Lines a file may have (design.md), and the loop in particular: it is to be read in one sitting. */
const MOST_LINES = 400;
const MOST_LINES_OF = new Map([["src/agent/loop.ts", 250]]);

/** One import as it is in a file. */
interface Import {
  readonly specifier: string;
  readonly line: number;
}

const IMPORT = new RegExp(
  [
    String.raw`^\s*(?:import|export)\b[^;"'\x60()]*?\bfrom\s*["']([^"']+)["']`,
    String.raw`^\s*import\s*["']([^"']+)["']`,
    String.raw`\bimport\(\s*["']([^"']+)["']`,
  ].join("|"),
  "gm",
);

/** Every import of a file, static, of types, re-exported or dynamic. */
export function imports_of(text: string): Import[] {
  const code = text.replace(/^[ \t]*(?:\/\/|\*|\/\*).*$/gm, "");
  return [...code.matchAll(IMPORT)].map((match) => ({
    specifier: match[1] ?? match[2] ?? match[3] ?? "",
    line: code.slice(0, match.index + match[0].length).split("\n").length,
  }));
}

function room_of(path: string): string | null {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** Whether a file is a test, or only used by some. */
function is_test(path: string): boolean {
  return path.endsWith("_test.ts") || basename(path).startsWith("_");
}

/** What is wrong with an import from one file of the project to another; null if nothing is. */
function direction_fault(from: string, to: string): string | null {
  if (is_test(from)) return null;
  if (to === "main.ts") return "nothing imports main.ts";
  if (!to.startsWith("src/")) return `source must not import ${to}`;
  if (is_test(to)) return "source must not import a test";
  if (from === "main.ts") return null;
  const [upper, lower] = [room_of(from), room_of(to)];
  if (upper === null || lower === null || upper === lower) return null;
  if (ROOMS.indexOf(upper) < ROOMS.indexOf(lower)) return null;
  return `${upper} may not import ${lower}: imports point down (${ROOMS.join(" > ")})`;
}

function file_faults(path: string, text: string): string[] {
  const out: string[] = [];
  const room = room_of(path);
  if (path.startsWith("src/") && (room === null || !ROOMS.includes(room))) {
    out.push(`${path}: not in a room; the rooms are ${ROOMS.join(", ")}`);
  }
  const lines = text.trimEnd().split("\n").length;
  const most = MOST_LINES_OF.get(path) ?? MOST_LINES;
  if (lines > most) out.push(`${path}: ${lines} lines; ${most} is the most`);
  if (!is_test(path) && !MAY_IMPORT_NODE.includes(path)) {
    for (const [, module] of text.matchAll(NODE)) {
      out.push(
        `${path}: imports ${module} at the start; config/node.ts loads it when it is needed`,
      );
    }
  }
  if (path !== "main.ts" && !is_test(path)) {
    text.split("\n").forEach((line, i) => {
      if (/Deno\s*\.\s*exit\b/.test(line)) {
        out.push(`${path}:${i + 1}: only main.ts ends the process`);
      }
    });
  }
  return out;
}

/** Circles among files, each once, as the list of files from the first to itself. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  const walk = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path]);
    if (at >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return found;
}

/** Which folders of the source import which others; tests and what only they use left out. */
function folders_of(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const [path, targets] of graph) {
    if (!path.startsWith("src/") || is_test(path)) continue;
    const from = dirname(path);
    const to = targets.map((target) => dirname(target)).filter((folder) => folder !== from);
    folders.set(from, [...folders.get(from) ?? [], ...to]);
  }
  return folders;
}

/** Everything wrong with the files of a project, given by path relative to its root. */
export function problems(files: ReadonlyMap<string, string>): string[] {
  const out: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    out.push(...file_faults(path, text));
    const targets: string[] = [];
    for (const { specifier, line } of imports_of(text)) {
      if (!specifier.startsWith(".")) continue;
      const to = join(dirname(path), specifier);
      const fault = direction_fault(path, to);
      if (fault !== null) out.push(`${path}:${line}: imports ${to}: ${fault}`);
      if (files.has(to)) targets.push(to);
      else if (to.startsWith("src/")) out.push(`${path}:${line}: there is no ${to}`);
    }
    graph.set(path, targets);
  }
  out.push(...circles(graph).map((circle) => `circular import: ${circle.join(" -> ")}`));
  out.push(
    ...circles(folders_of(graph)).map((circle) => `folders in a circle: ${circle.join(" -> ")}`),
  );
  return out;
}

function read(root: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      const full = join(path, entry.name);
      if (entry.isDirectory) walk(full);
      else if (entry.name.endsWith(".ts")) {
        files.set(relative(root, full), Deno.readTextFileSync(full));
      }
    }
  };
  walk(join(root, "src"));
  files.set("main.ts", Deno.readTextFileSync(join(root, "main.ts")));
  return files;
}

if (import.meta.main) {
  const root = Deno.args[0] ?? fileURLToPath(new URL("..", import.meta.url));
  const files = read(root);
  const found = problems(files);
  const text = found.length === 0
    ? `imports point down in ${files.size} files`
    : found.map((line) => `error: ${line}`).join("\n");
  await Deno.stderr.write(new TextEncoder().encode(text + "\n"));
  Deno.exitCode = found.length === 0 ? 0 : 1;
}
