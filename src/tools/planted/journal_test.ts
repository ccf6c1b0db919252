import assert from "node:assert/strict";
import { test_policy } from "../../sandbox/_testing.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { Journal } from "./journal.ts";
import { decode, encode } from "./journal_format.ts";
import type { Saved } from "./saved.ts";

const WRITER = { pid: 1, started: 2, workspace: "/w", inode: 3 };

const SAVED: Saved = {
  scope: { dotgits: ["/w/.git"], git_dirs: [], own: "/w/.hamr", skipped: [] },
  things: new Map([
    ["/w/.git", { role: "pointer", thing: { kind: "folder", mode: 0o755 } }],
    ["/w/.git/config", { role: "config", thing: file("[core]\n\n") }],
    ["/w/.git/hooks/a\n漢", { role: "whole", thing: { kind: "link", to: "../b" } }],
    ["/w/.git/hooks/c", { role: "whole", thing: file("\0\n\xff") }],
    ["/w/.git/hooks/d", { role: "whole", thing: { kind: "unkept", looks: "1:2" } }],
  ]),
};

function file(text: string) {
  return {
    kind: "file" as const,
    bytes: new TextEncoder().encode(text),
    mode: 0o644,
    uid: 0,
    gid: 0,
  };
}

function bytes_of(saved: Saved): Uint8Array<ArrayBuffer> {
  const pieces = encode(WRITER, saved);
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

Deno.test("a journal is read as it was written, and nothing else is read as one", () => {
  const bytes = bytes_of(SAVED);
  const read = decode(bytes);
  assert.deepEqual(read?.saved, SAVED);
  assert.deepEqual(read?.writer, WRITER);
  for (let end = 0; end < bytes.length; end++) assert.equal(decode(bytes.slice(0, end)), null);
  assert.equal(decode(new Uint8Array([...bytes, 1])), null);
  const line = new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(10)));
  const changed: [string, string][] = [
    ['"version":1', '"version":2'],
    ['"pointer"', '"pointer2"'],
    ['"kind":"folder"', '"kind":"none"'],
    ['"/w/.git/config"', '"w/.git/config"'],
    ['"mode":420', '"mode":-1'],
    ['"bytes":8', '"bytes":8.5'],
    ['"dotgits":["/w/.git"]', '"dotgits":[5]'],
    ['"pid":1', '"pid":"1"'],
    ['"rows":[[', '"rows":[5,['],
  ];
  for (const [from, to] of changed) {
    assert.ok(line.includes(from), from);
    const rest = bytes.subarray(bytes.indexOf(10));
    const other = new Uint8Array([...new TextEncoder().encode(line.replace(from, to)), ...rest]);
    assert.equal(decode(other), null, to);
  }
  for (const text of ["null\n", "[]\n", "{}\n", "5\n", "\n", ""]) {
    assert.equal(decode(new TextEncoder().encode(text)), null, text);
  }
});

/** A folder with a workspace and a data folder. */
async function with_data(
  work: (place: { root: string; data_dir: string; policy: Policy; names(): string[] }) => unknown,
): Promise<void> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "journal-" }));
  try {
    for (const name of ["work", "data"]) Deno.mkdirSync(`${root}/${name}`);
    const data_dir = `${root}/data`;
    const policy = test_policy({ workspace: `${root}/work` });
    const names = () => [...Deno.readDirSync(`${data_dir}/journal`)].map(({ name }) => name);
    await work({ root, data_dir, policy, names });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

const never = (message: string) => assert.fail(message);

/** A process of its own that has written its journal and waits. */
async function another(policy: Policy, data_dir: string): Promise<Deno.ChildProcess> {
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { Journal } from ${module("./journal.ts")};
    import { decode } from ${module("./journal_format.ts")};
    const journal = Journal.open(${JSON.stringify(policy)}, {
      data_dir: ${JSON.stringify(data_dir)}, warn: (text) => { throw new Error(text); } });
    const saved = decode(new Uint8Array(${JSON.stringify([...bytes_of(SAVED)])})).saved;
    Deno.permissions.revokeSync({ name: "write" });
    journal.begin(saved);
    console.log("written");
    setInterval(() => {}, 1000);`;
  const file = `${data_dir}/program.ts`;
  Deno.writeTextFileSync(file, program);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "--no-config", file],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  assert.equal((await reader.read()).done, false, "it ended before it had written");
  await reader.cancel();
  return child;
}

async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.status;
}

Deno.test("while a run is alive its journal is not replayed; once it was killed it is, once", () =>
  with_data(async ({ data_dir, policy, names, root }) => {
    const first = await another(policy, data_dir);
    const beside = Journal.open(policy, { data_dir, warn: never });
    assert.deepEqual(beside?.live, SAVED);
    assert.deepEqual(beside?.stale, []);
    beside?.end({ clean: false });
    assert.equal(names().length, 1);
    const [name] = names();
    assert.equal((Deno.statSync(`${data_dir}/journal/${name}`).mode ?? 0) & 0o777, 0o600);
    await kill(first);

    Deno.mkdirSync(`${root}/other`);
    const elsewhere = test_policy({ workspace: `${root}/other` });
    const stranger = Journal.open(elsewhere, { data_dir, warn: never });
    assert.deepEqual([stranger?.stale, stranger?.live], [[], null]);
    const next = Journal.open(policy, { data_dir, warn: never });
    assert.deepEqual(next?.stale, [SAVED]);
    assert.equal(next?.live, null);
    // Until it has been dealt with nobody else takes it up.
    const third = Journal.open(policy, { data_dir, warn: never });
    assert.deepEqual([third?.stale, third?.live], [[], SAVED]);
    next?.restored();
    const last = Journal.open(policy, { data_dir, warn: never });
    assert.deepEqual([last?.stale, last?.live], [[], null]);
    for (const journal of [stranger, next, third, last]) journal?.end({ clean: true });
    assert.deepEqual(names(), []);
  }));

Deno.test("a journal that was not needed is taken away; one that is, stays", () =>
  with_data(({ data_dir, policy, names }) => {
    const clean = Journal.open(policy, { data_dir, warn: never });
    clean?.begin(SAVED);
    clean?.end({ clean: true });
    assert.deepEqual(names(), []);
    const unclean = Journal.open(policy, { data_dir, warn: never });
    unclean?.begin(SAVED);
    unclean?.end({ clean: false });
    assert.equal(names().length, 1);
  }));

Deno.test("a broken journal is said and taken away, and one of a folder that is gone is, too", () =>
  with_data(async ({ data_dir, policy, names, root }) => {
    Deno.mkdirSync(`${root}/gone`);
    await kill(await another(test_policy({ workspace: `${root}/gone` }), data_dir));
    Deno.removeSync(`${root}/gone`);
    Deno.writeTextFileSync(`${data_dir}/journal/a.journal`, '{"version":1}');
    Deno.writeTextFileSync(`${data_dir}/journal/b.journal`, "");
    Deno.truncateSync(`${data_dir}/journal/b.journal`, 65 * 1024 * 1024);
    Deno.writeTextFileSync(`${data_dir}/journal/c.journal`, "");
    Deno.mkdirSync(`${data_dir}/journal/d.journal`);
    Deno.writeTextFileSync(`${data_dir}/journal/other`, "");
    const said: string[] = [];
    const journal = Journal.open(policy, { data_dir, warn: (text) => said.push(text) });
    assert.deepEqual(said.map((text) => text.replace(/^.*\/|:.*$/g, "")).sort(), [
      "a.journal cannot be read",
      "b.journal cannot be read",
    ]);
    assert.deepEqual([journal?.stale, journal?.live], [[], null]);
    journal?.restored();
    journal?.end({ clean: true });
    assert.deepEqual(names().sort(), ["d.journal", "other"]);
  }));

Deno.test("a workspace that was made anew under the same name is another one", () =>
  with_data(async ({ data_dir, policy }) => {
    await kill(await another(policy, data_dir));
    Deno.renameSync(policy.workspace, `${policy.workspace}2`);
    Deno.mkdirSync(policy.workspace);
    const journal = Journal.open(policy, { data_dir, warn: never });
    assert.deepEqual([journal?.stale, journal?.live], [[], null]);
    journal?.end({ clean: true });
  }));

Deno.test("where commands can write there is no journal, nor without a place for it", () =>
  with_data(({ data_dir, policy, root }) => {
    const open = (change: Partial<Policy>, dir: string | null = data_dir) =>
      Journal.open({ ...policy, ...change }, { data_dir: dir, warn: never });
    assert.equal(open({}, null), null);
    assert.equal(open({ workspace: root }), null);
    assert.equal(open({ write: [data_dir] }), null);
    Deno.writeTextFileSync(`${root}/file`, "");
    assert.equal(open({}, `${root}/file`), null);
    const journal = open({ write: [`${root}/work`] });
    assert.notEqual(journal, null);
    journal?.end({ clean: true });
  }));
