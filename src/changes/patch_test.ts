import assert from "node:assert/strict";
import { patch_of_files } from "./patch.ts";
import type { FileChange } from "./turn_diff.ts";
import type { Version } from "./unified_diff.ts";

const FILE = 0o100644, PROGRAM = 0o100755, LINK = 0o120000;
type Side = readonly [mode: number, content: string | Uint8Array<ArrayBuffer>] | null;

const bytes_of = (content: string | Uint8Array<ArrayBuffer>) =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;
/** What deflating makes no smaller. */
const noise = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const latin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string) =>
  new Uint8Array(Uint16Array.from(`\ufeff${text}`, (char) => char.charCodeAt(0)).buffer);
const all_bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** Each file before and after. */
const FILES: Readonly<Record<string, readonly [before: Side, after: Side]>> = {
  "text": [[FILE, "one\n"], [FILE, "two\n"]],
  "an image": [[FILE, all_bytes], [FILE, noise(5000)]],
  "new\nimage": [null, [FILE, noise(1)]],
  "no image.png": [[FILE, noise(53)], null],
  "latin": [[FILE, latin("caf\xe9\n")], [FILE, latin("th\xe9\n")]],
  "new latin": [null, [FILE, latin("\xe9")]],
  "utf16": [[FILE, utf16("a\n")], [PROGRAM, utf16("b\n")]],
  "to text": [[FILE, all_bytes], [FILE, "text"]],
  "emptied": [[FILE, noise(26)], [FILE, ""]],
  "filled": [[FILE, ""], [FILE, noise(27)]],
  "large": [[FILE, "a line\n".repeat(400_000)], [FILE, "a line\n".repeat(400_001)]],
  "a link": [[FILE, noise(9)], [LINK, "text"]],
  "carriage": [[FILE, "\ufeffa\rb\r\n"], [FILE, "\ufeffa\rc\r\nd"]],
};

function write(folder: string, at: 0 | 1): void {
  for (const [name, sides] of Object.entries(FILES)) {
    const side = sides[at];
    if (side === null) continue;
    const [mode, content] = side;
    if (mode === LINK) Deno.symlinkSync(String(content), `${folder}/${name}`);
    else Deno.writeFileSync(`${folder}/${name}`, bytes_of(content), { mode: mode & 0o777 });
  }
}

function holds(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isSymlink } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (name === ".git") continue;
    const is_program = ((Deno.lstatSync(path).mode ?? 0) & 0o100) !== 0;
    found[name] = isSymlink
      ? `-> ${Deno.readLinkSync(path)}`
      : `${is_program} ${Deno.readFileSync(path)}`;
  }
  return found;
}

function git(cwd: string, ...args: string[]): void {
  const { code, stderr } = new Deno.Command("git", { args, cwd }).outputSync();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

const version = (side: Side): Version | null => side && { mode: side[0], bytes: bytes_of(side[1]) };
const changed = (names: readonly string[]) =>
  names.map((path): FileChange => ({ path, status: "modified", added: 0, removed: 0 }));

for (const object_format of ["sha1", "sha256"] as const) {
  Deno.test(`git makes the same files of a patch, and takes it back: ${object_format}`, async () => {
    const { text, left_out } = await patch_of_files(changed(Object.keys(FILES)), {
      chars: Infinity,
      shown: () => true,
      sides: (path) => {
        const [before, after] = FILES[path]!;
        return { before: version(before), after: version(after) };
      },
      object_format,
    });
    assert.deepEqual(left_out, []);
    const root = Deno.makeTempDirSync({ prefix: "hamr_patch_" });
    for (const name of ["ws", "after"]) Deno.mkdirSync(`${root}/${name}`);
    const ws = `${root}/ws`;
    git(ws, "init", "-q", "--object-format", object_format);
    write(ws, 0);
    write(`${root}/after`, 1);
    const before = holds(ws);
    Deno.writeTextFileSync(`${root}/changes.patch`, text);
    git(ws, "apply", `${root}/changes.patch`);
    assert.deepEqual(holds(ws), holds(`${root}/after`));
    git(ws, "apply", "-R", `${root}/changes.patch`);
    assert.deepEqual(holds(ws), before);
    Deno.removeSync(root, { recursive: true });
  });
}

Deno.test("what is not known, not to be shown, or too much is left out of a patch as a whole, and named", async () => {
  const side = (content: string | null) => ({
    mode: FILE,
    bytes: content === null ? null : bytes_of(content),
  });
  const files: Record<string, string | null> = {
    "a": "a\n",
    "unknown": null,
    ".env": "KEY=1\n",
    "much": "x".repeat(1000),
    "z": "z\n",
  };
  const { text, left_out } = await patch_of_files(changed(Object.keys(files)), {
    chars: 500,
    shown: (path) => path !== ".env",
    sides: (path) => ({ before: null, after: side(files[path] ?? null) }),
    object_format: "sha1",
  });
  assert.deepEqual(left_out, ["unknown", ".env", "much"]);
  assert.deepEqual(text.match(/^diff .*/gm), ["diff --git a/a b/a", "diff --git a/z b/z"]);
});
