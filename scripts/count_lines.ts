/** Counts the lines of the program, a row a room: `deno run -A scripts/count_lines.ts`. Tests and their helpers (`_name.ts`) are none of it. */
import { fileURLToPath } from "node:url";
import { sources } from "./bundle.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const rooms = new Map<string, { code: number; notes: number }>();
for (const path of sources(root)) {
  const [, room = "main.ts"] = /^src\/([^/]+)/.exec(path) ?? [];
  const sum = rooms.get(room) ?? { code: 0, notes: 0 };
  for (const line of Deno.readTextFileSync(`${root}/${path}`).trimEnd().split("\n")) {
    if (/^\s*(\/\/|\/?\*|$)/.test(line)) sum.notes++;
    else sum.code++;
  }
  rooms.set(room, sum);
}
const all = [...rooms].toSorted(([, a], [, b]) => b.code + b.notes - a.code - a.notes);
const sum = (of: "code" | "notes") => all.reduce((total, [, one]) => total + one[of], 0);
const rows = [
  `${"".padEnd(20)}  lines   code  comments and blank lines`,
  ...all.map(([room, { code, notes }]) => row(room, code, notes)),
  row("all", sum("code"), sum("notes")),
];
Deno.stdout.writeSync(new TextEncoder().encode(`${rows.join("\n")}\n`));

function row(room: string, code: number, notes: number): string {
  const cells = [code + notes, code, notes].map((n) => String(n).padStart(7)).join("");
  return `${room.padEnd(20)}${cells}`;
}
