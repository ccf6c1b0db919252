/** What killed runs have left in the temporary folder, and who takes it away. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { exists } from "../permission/paths.ts";
import { SessionLock } from "../store/session_lock.ts";
import { clear_abandoned, clear_leftovers, open_run_store } from "./persistence.ts";

const DAY_S = 86_400;

/** A data folder and a temporary one, with what a killed session has left in the latter. */
async function left(
  test: (at: {
    readonly data_dir: string;
    readonly tmp: string;
    readonly half: string;
    /** The temporary folder of a session's run, or undo. */
    readonly folder: (uuid: string, kind?: string) => string;
  }) => Promise<void>,
): Promise<void> {
  const root = Deno.makeTempDirSync({ prefix: "hamr_left_" });
  const folder = (uuid: string, kind = "") => `${root}/tmp/hamr-${kind}${uuid}`;
  Deno.mkdirSync(`${root}/tmp`);
  Deno.mkdirSync(`${root}/data`);
  const half = `${root}/.hamr-${crypto.randomUUID()}`;
  Deno.writeTextFileSync(half, "half");
  try {
    await test({ data_dir: `${root}/data`, tmp: folder("new"), half, folder });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

/** Makes it, at rest for so many seconds. */
function made(folder: string, rested_s: number): void {
  Deno.mkdirSync(folder);
  const then = Date.now() / 1000 - rested_s;
  Deno.utimeSync(folder, then, then);
}

Deno.test("a run's start takes away what killed sessions have left, where it is surely theirs and at rest", async () => {
  await left(async ({ data_dir, tmp, half, folder }) => {
    // Their processes are gone, and their locks with them; that of `busy` works on.
    const dead = ["old", "young", "full"];
    dead.forEach((uuid) => SessionLock.take(data_dir, uuid)?.release());
    const busy = SessionLock.take(data_dir, "busy");
    for (const uuid of ["old", "full", "busy", "stranger"]) made(folder(uuid), 2 * DAY_S);
    made(folder("old", "undo-"), 2 * DAY_S);
    made(folder("young"), DAY_S / 2);
    Deno.writeTextFileSync(`${folder("full")}/notes`, "a command's");
    Deno.utimeSync(folder("full"), 0, 0);
    Deno.writeTextFileSync(`${folder("young")}/.half-1`, half);
    const session = { uuid: "new", workspace: data_dir, task: "Do it." };
    const limits = { keep_days: 0, keep_bytes: 0, memory: false, step: () => 0 };
    const warn = (words: string) => strictEqual(words, "");
    const options = { ...limits, data_dir, workspace: data_dir, session, tmp };
    const store = await open_run_store(options, warn);
    store?.close();
    busy?.release();
    const there = ["old", "young", "full", "busy", "stranger"].filter((id) => exists(folder(id)));
    deepStrictEqual(there, ["young", "full", "busy", "stranger"]);
    deepStrictEqual([exists(folder("old", "undo-")), exists(half)], [false, false]);
    // It is looked at again.
    deepStrictEqual(dead.map((uuid) => exists(`${data_dir}/locks/${uuid}`)), [false, true, false]);
  });
});

Deno.test("who has locked a session takes away all that its killed run and undo have left", async () => {
  await left(({ tmp, half, folder }) => {
    const other = `${half.slice(0, -36)}${crypto.randomUUID()}`;
    Deno.writeTextFileSync(other, "another half");
    for (const kind of ["", "undo-"]) made(folder("one", kind), 0);
    made(folder("two"), 0);
    Deno.writeTextFileSync(`${folder("one")}/.half-1`, half);
    Deno.writeTextFileSync(`${folder("one", "undo-")}/.half-1`, other);
    clear_leftovers("one", { tmp });
    const folders = [folder("one"), folder("one", "undo-"), folder("two")];
    deepStrictEqual([...folders, half, other].map(exists), [false, false, true, false, false]);
    return Promise.resolve();
  });
});

Deno.test("what a run has left that nobody knows of is taken away if it is empty and long at rest", async () => {
  await left(({ data_dir, folder }) => {
    const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
    const [old = "", young = "", full = "", busy = ""] = ids;
    const lock = SessionLock.take(data_dir, busy);
    for (const uuid of [old, full, busy, "notes"]) made(folder(uuid), 11 * DAY_S);
    made(folder(old, "undo-"), 11 * DAY_S);
    made(folder(young), 9 * DAY_S);
    Deno.writeTextFileSync(`${folder(full)}/notes`, "a command's");
    Deno.utimeSync(folder(full), 0, 0);
    // The disk of a server whose clock is behind.
    const own = crypto.randomUUID();
    made(folder(own), 400 * DAY_S);
    clear_abandoned({ data_dir, tmp: folder(own) });
    lock?.release();
    const there = [old, young, full, busy, own, "notes"].filter((id) => exists(folder(id)));
    deepStrictEqual(
      [there, exists(folder(old, "undo-"))],
      [[young, full, busy, own, "notes"], false],
    );
    return Promise.resolve();
  });
});
