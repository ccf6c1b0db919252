import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import type { Policy } from "../sandbox/policy.ts";
import { Journal } from "./journal.ts";
import { mark_of } from "../sandbox/processes/run_mark.ts";
import { decode_journal, encode_saved, encode_writer } from "./journal_format.ts";
import { UNKNOWN } from "./left_running.ts";
import { end_killed_runs } from "./other_journals.ts";
import type { Baseline } from "./saved.ts";

const WRITER = {
  pid: 1,
  started: 2,
  workspace: "/w",
  inode: 3,
  mark: mark_of(3n * 2n ** 60n - 1n),
};

const SAVED: Baseline = {
  scope: { dotgits: ["/w/.git"], git_dirs: [], own: "/w/.hamr", skipped: [] },
  things: new Map([
    ["/w/.git", { role: "pointer", thing: { kind: "folder", mode: 0o755 } }],
    ["/w/.git/config", { role: "config", thing: file("[core]\n\n") }],
    ["/w/.git/hooks/a\n漢", { role: "whole", thing: { kind: "link", to: "../b" } }],
    ["/w/.git/hooks/c", { role: "whole", thing: file("\0\n\xff") }],
    ["/w/.git/hooks/d", { role: "whole", thing: { kind: "unkept", looks: "1:2" } }],
  ]),
  named: {
    files: new Map([[".envrc", null], ["a\n漢", { of: "x", inode: 1, is_shared: false }]]),
    replaced: new Map([["/w/.git/info/grafts", "1 2"]]),
    led_out: new Map([["dist", "/out"]]),
  },
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

function bytes_of(saved: Baseline): Uint8Array<ArrayBuffer> {
  const pieces = [encode_writer(WRITER), encode_saved(saved)];
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
  const read = decode_journal(bytes);
  assert.deepEqual(read?.saved, SAVED);
  assert.deepEqual(read?.writer, WRITER);
  const { saved_at } = read;
  assert.equal(decode_journal(bytes.slice(0, saved_at))?.saved, "none");
  for (let end = 0; end < bytes.length; end++) {
    const part = decode_journal(bytes.slice(0, end));
    if (end < saved_at) assert.equal(part, null);
    if (end > saved_at) assert.deepEqual([part?.saved, part?.writer], ["broken", WRITER]);
  }
  assert.equal(decode_journal(new Uint8Array([...bytes, 1]))?.saved, "broken");
  // A repository whose names are longer than any journal: all that runs later counts as changed.
  const files = new Map(
    Array.from({ length: 5000 }, (_, at) => [`${at}${"x".repeat(4000)}`, null]),
  );
  const long = decode_journal(bytes_of({ ...SAVED, named: { ...SAVED.named!, files } }))?.saved;
  assert.ok(typeof long === "object");
  assert.deepEqual([long.things, long.named?.files.size], [SAVED.things, 0]);
  const text = new TextDecoder("latin1").decode(bytes);
  const changed = (from: string, to: string) => {
    assert.ok(text.includes(from), from);
    const other = text.replace(from, to);
    return decode_journal(Uint8Array.from(other, (char) => char.charCodeAt(0)));
  };
  const broken: [string, string][] = [
    ['"pointer"', '"pointer2"'],
    ['"/w/.git/config"', '"w/.git/config"'],
    ['"base64":"', '"base64":"*'],
    ['"scope":{', '"scop":{'],
    ['"things":{"map":[', '"things":{"map":[5,'],
  ];
  for (const [from, to] of broken) assert.equal(changed(from, to)?.saved, "broken", to);
  const mark = `"mark":"${WRITER.mark?.last}"`;
  const none: [string, string][] = [
    ['"version":3', '"version":2'],
    ['"pid":1', '"pid":"1"'],
    // The limit of everybody else is none of ours.
    [mark, '"mark":"18446744073709551615"'],
    [mark, '"mark":"0"'],
    [mark, '"mark":"x"'],
    [mark, '"mark":5'],
  ];
  for (const [from, to] of none) assert.equal(changed(from, to), null, to);
  assert.equal(changed(mark, '"mark":null')?.writer.mark, null);
  for (const text of ["null\n", "[]\n", "{}\n", "5\n", "\n", ""]) {
    assert.equal(decode_journal(new TextEncoder().encode(text)), null, text);
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

const DAY_MS = 24 * 60 * 60 * 1000;

const never = (message: string) => assert.fail(message);

/** What it has left running. */
const LEFT = Deno.build.os === "linux"
  ? "1 process of a run that was killed was still running: ended"
  : UNKNOWN;

/** A process of its own that has started another, has written its journal and waits. */
async function another(policy: Policy, data_dir: string): Promise<Deno.ChildProcess> {
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { linux_libc } from ${module("../sandbox/kernel/libc.ts")};
    import { mark_run } from ${module("../sandbox/processes/run_mark.ts")};
    import { Journal } from ${module("./journal.ts")};
    import { decode_journal } from ${module("./journal_format.ts")};
    const libc = linux_libc();
    const mark = libc === null ? null : mark_run(libc);
    const data_dir = ${JSON.stringify(data_dir)};
    const warn = (text) => { throw new Error(text); };
    const journal = Journal.open(${JSON.stringify(policy)}, { data_dir, mark, warn });
    const saved = decode_journal(new Uint8Array(${JSON.stringify([...bytes_of(SAVED)])})).saved;
    Deno.permissions.revokeSync({ name: "write" });
    journal.begin(saved);
    if (mark !== null) {
      new Deno.Command("sleep", { args: ["100"], stdout: "null", stderr: "null" }).spawn();
    }
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
  with_data(async ({ data_dir, policy: { ...rest }, names, root }) => {
    const policy = { ...rest, git: "/w/.git" };
    const first = await another(policy, data_dir);
    const beside = Journal.open(policy, { data_dir, warn: never, mark: null });
    assert.deepEqual(beside?.beside(), [SAVED]);
    assert.deepEqual(beside?.stale, []);
    beside?.end({ clean: false });
    assert.equal(names().length, 1);
    const [name] = names();
    assert.equal((Deno.statSync(`${data_dir}/journal/${name}`).mode ?? 0) & 0o777, 0o600);
    await kill(first);

    Deno.mkdirSync(`${root}/other`);
    const elsewhere = test_policy({ workspace: `${root}/other` });
    const stranger = Journal.open(elsewhere, { data_dir, warn: never, mark: null });
    assert.deepEqual([stranger?.stale, stranger?.beside()], [[], []]);
    const said: string[] = [];
    const next = Journal.open(policy, { data_dir, warn: (line) => said.push(line), mark: null });
    assert.deepEqual(said, [LEFT]);
    assert.deepEqual(next?.stale, [SAVED]);
    assert.deepEqual(next?.beside(), []);
    // Until it has been dealt with nobody else takes it up.
    const third = Journal.open(policy, { data_dir, warn: never, mark: null });
    assert.deepEqual([third?.stale, third?.beside()], [[], [SAVED]]);
    next?.restored();
    const last = Journal.open(policy, { data_dir, warn: never, mark: null });
    assert.deepEqual([last?.stale, last?.beside()], [[], []]);
    for (const journal of [stranger, next, third, last]) journal?.end({ clean: true });
    assert.deepEqual(names(), []);
  }));

Deno.test("what a run has left running is ended only once it is gone, and only in its workspace", () =>
  with_data(async ({ data_dir, policy, root }) => {
    const { workspace } = policy;
    const first = await another(policy, data_dir);
    assert.deepEqual(end_killed_runs({ data_dir, workspace }), []);
    await kill(first);
    assert.deepEqual(end_killed_runs({ data_dir, workspace: root }), []);
    assert.deepEqual(end_killed_runs({ data_dir, workspace: `${root}/missing` }), []);
    assert.deepEqual(end_killed_runs({ data_dir: root, workspace }), []);
    const ended = Deno.build.os === "linux" ? [LEFT] : [];
    assert.deepEqual(end_killed_runs({ data_dir, workspace }), ended);
    assert.deepEqual(end_killed_runs({ data_dir, workspace }), []);
    // What it had let change has yet to be put back.
    const next = Journal.open(policy, { data_dir, warn: () => {}, mark: null });
    assert.deepEqual(next?.stale, [SAVED]);
    next?.restored();
    next?.end({ clean: true });
  }));

Deno.test("a journal that was not needed is taken away; one that is, stays", () =>
  with_data(({ data_dir, policy, names }) => {
    const clean = Journal.open(policy, { data_dir, warn: never, mark: null });
    clean?.begin(SAVED);
    clean?.end({ clean: true });
    assert.deepEqual(names(), []);
    const unclean = Journal.open(policy, { data_dir, warn: never, mark: null });
    unclean?.begin({ ...SAVED, things: new Map() });
    unclean?.begin(SAVED);
    unclean?.end({ clean: false });
    const [name] = names();
    const read = decode_journal(Deno.readFileSync(`${data_dir}/journal/${name}`));
    assert.deepEqual([read?.writer.workspace, read?.saved], [policy.workspace, SAVED]);
  }));

Deno.test("a broken journal is said and taken away; one of a folder that is gone is, a month later", () =>
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
    const journal = Journal.open(policy, { data_dir, warn: (text) => said.push(text), mark: null });
    const others = said.filter((text) => text !== LEFT);
    assert.deepEqual(others.map((text) => text.replace(/^.*\/|:.*$/g, "")).sort(), [
      "a.journal cannot be read",
      "b.journal cannot be read",
    ]);
    assert.deepEqual([journal?.stale, journal?.beside()], [[], []]);
    journal?.restored();
    journal?.end({ clean: true });
    const kept = names().filter((name) => name !== "d.journal" && name !== "other");
    assert.equal(kept.length, 1);

    // It may be on a disk that is not there just now; but not for ever.
    const of_gone = `${data_dir}/journal/${kept[0]}`;
    assert.deepEqual(decode_journal(Deno.readFileSync(of_gone))?.saved, SAVED);
    const written = decode_journal(Deno.readFileSync(of_gone))?.written ?? 0;
    const text = Deno.readTextFileSync(of_gone);
    Deno.writeTextFileSync(of_gone, text.replace(`${written}`, `${written - 31 * DAY_MS}`));
    const later = Journal.open(policy, { data_dir, warn: never, mark: null });
    later?.restored();
    later?.end({ clean: true });
    assert.deepEqual(names().sort(), ["d.journal", "other"]);
  }));

Deno.test("what a killed run found in a place that this run reaches is dealt with here, the rest where it belongs", () =>
  with_data(async ({ data_dir, policy, names, root }) => {
    Deno.mkdirSync(`${root}/one`);
    await kill(await another(test_policy({ workspace: `${root}/one` }), data_dir));
    const worktree = { ...policy, git: "/w/.git" };
    const warn = () => {};
    const next = Journal.open(worktree, { data_dir, warn, mark: null });
    assert.deepEqual(next?.stale.map(({ things }) => [...things]), [[...SAVED.things]]);
    next?.restored();
    const again = Journal.open(worktree, { data_dir, warn, mark: null });
    assert.deepEqual(again?.stale, []);
    for (const journal of [next, again]) journal?.end({ clean: true });
    // What is only named waits for a run in that very workspace.
    const in_place = test_policy({ workspace: `${root}/one` });
    const last = Journal.open(in_place, { data_dir, warn, mark: null });
    assert.deepEqual(last?.stale.map(({ named }) => named), [SAVED.named]);
    last?.restored();
    last?.end({ clean: true });
    assert.deepEqual(names(), []);
  }));

Deno.test("what a killed run of this workspace found where only a flag reaches waits for a run that reaches it", () =>
  with_data(async ({ data_dir, policy, names }) => {
    await kill(await another(policy, data_dir));
    const open = (write: readonly string[]) => {
      const journal = Journal.open({ ...policy, write }, { data_dir, warn: () => {}, mark: null });
      journal?.restored();
      // It has news of what is watched more than once.
      journal?.restored();
      journal?.end({ clean: true });
      return journal?.stale;
    };
    assert.deepEqual(open([]), [SAVED]);
    assert.equal(names().length, 1);
    assert.deepEqual(open(["/w"])?.map(({ things }) => things), [SAVED.things]);
    assert.deepEqual([open([]), names()], [[], []]);
  }));

Deno.test("a workspace that was made again under the same name is another one", () =>
  with_data(async ({ data_dir, policy }) => {
    await kill(await another(policy, data_dir));
    Deno.renameSync(policy.workspace, `${policy.workspace}2`);
    Deno.mkdirSync(policy.workspace);
    const journal = Journal.open(policy, { data_dir, warn: () => {}, mark: null });
    assert.deepEqual([journal?.stale, journal?.beside()], [[], []]);
    journal?.end({ clean: true });
  }));

Deno.test("where commands can write there is no journal, nor without a place for it", () =>
  with_data(({ data_dir, policy, root }) => {
    const open = (change: Partial<Policy>, dir: string | null = data_dir) =>
      Journal.open({ ...policy, ...change }, { data_dir: dir, warn: never, mark: null });
    assert.equal(open({}, null), null);
    assert.equal(open({ workspace: root }), null);
    assert.equal(open({ write: [data_dir] }), null);
    Deno.writeTextFileSync(`${root}/file`, "");
    assert.equal(open({}, `${root}/file`), null);
    const journal = open({ write: [`${root}/work`] });
    assert.notEqual(journal, null);
    journal?.end({ clean: true });
  }));
