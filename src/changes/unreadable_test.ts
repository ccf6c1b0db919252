/** What can't be looked at for a while, and what was there before anybody looked. */
import assert from "node:assert/strict";
import { sha256 } from "../permission/content_hash.ts";
import { bench, sh } from "../tools/_testing.ts";
import type { RecordRequest } from "../store/recorder.ts";
import { Changes } from "./changes.ts";
import { changes_of, ran, raw, Store } from "./_testing.ts";
import { file_events } from "./events.ts";
import { type Folders, name_bytes, STAT_WORDS, text_of_name } from "./folders.ts";
import { Look } from "./look.ts";
import { left_by_all } from "./remaining_changes.ts";
import { undoing } from "./put_back.ts";
import { not_listed } from "./turn_diff.ts";

const FAILURES = ["open", "list", "stat of a folder", "stat of its files"] as const;
type Failure = (typeof FAILURES)[number];

/** Calls that fail while something is broken, as they do where files or memory run short, or a disk does not answer. */
class Broken {
  failing: { readonly how: Failure; readonly folder: string } | null = null;
  /** Names of files that were made long ago. */
  readonly old = new Set<string>();
  readonly #open = new Map<number, string>();

  readonly folders: Folders = {
    tick_ms: raw.tick_ms,
    open: (parent, name) => {
      const text = parent === null ? "" : text_of_name(name);
      if (this.#fails("open", text)) return -1;
      const fd = raw.open(parent, name);
      this.#open.set(fd, text);
      return fd;
    },
    close: (folder) => raw.close(folder),
    list: (folder) => this.#fails("list", this.#open.get(folder)) ? null : raw.list(folder),
    stat: (folder, name, into) => {
      const how = name[0] === 0 ? "stat of a folder" : "stat of its files";
      const fails = folder !== null && this.#fails(how, this.#open.get(folder));
      return !fails && raw.stat(folder, name, into);
    },
    born: (folder, name) => this.old.has(text_of_name(name)) ? 1 : raw.born(folder, name),
    read: (folder, name, how) => raw.read(folder, name, how),
    remove: (folder, name) => raw.remove(folder, name),
  };

  #fails(how: Failure, folder: string | undefined): boolean {
    return this.failing?.how === how && this.failing.folder === folder;
  }
}

const FILES = { "d/a": "1\n", "d/s/b": "2\n", "x": "3\n" };

for (const how of FAILURES) {
  for (const folder of ["d", ""]) {
    Deno.test(`what could not be looked at at first is not new later: ${how} of "${folder}"`, async () => {
      await bench({ files: FILES }, async (b) => {
        const broken = new Broken();
        const store = new Store();
        using changes = changes_of(b, store, broken.folders);
        broken.failing = { how, folder };
        await changes.begin("c");
        broken.failing = null;
        assert.deepEqual(await changes.end("c"), []);
        const rows = [...store.rows, ...changes.rows()];
        const told = rows.flatMap((row) => row.kind === "done" ? row.beyond ?? [] : []);
        assert.ok(told.length > 0, "it is said that it could not be looked at");
        assert.deepEqual(await ran(b, changes, "echo 9 > d/a; rm d/s/b"), [
          "file d/a",
          "file d/s/b",
        ]);
        assert.equal(
          text(changes.sides("d/a").before?.bytes),
          "1\n",
          "what it held is known by now",
        );
        assert.deepEqual(changes.gaps().closed, []);
      });
    });

    Deno.test(`what can no longer be looked at is not gone: ${how} of "${folder}"`, async () => {
      await bench({ files: FILES }, async (b) => {
        const broken = new Broken();
        using changes = changes_of(b, new Store(), broken.folders);
        await changes.begin("c");
        broken.failing = { how, folder };
        // Else a folder that has not changed for a moment is not even listed.
        sh("for at in . d; do : > $at/new; rm $at/new; done", b.workspace);
        assert.deepEqual(await changes.end("c"), []);
        const [said] = not_listed(changes.gaps());
        assert.match(said ?? "", /^hamr can't look at .*: changes there are not listed$/);
        assert.deepEqual(await ran(b, changes, "true"), []);
        broken.failing = null;
        const after = await ran(b, changes, "echo 9 > d/a; echo 9 > x");
        assert.deepEqual(after, ["file d/a", "file x"]);
        assert.deepEqual(changes.gaps().closed, []);
        await ran(b, changes, "rm -r d");
        assert.deepEqual(changes.net(), ["d/a", "d/s/b", "x"]);
      });
    });
  }
}

Deno.test("what was there before, and is moved to where hamr looks, is not the run's to take away", async () => {
  const files = {
    ".gitignore": "out\n",
    "out/old": "1\n",
    "out/set": "2\n",
    "s": "3\n",
    "w": "4\n",
  };
  await bench({ files }, async (b) => {
    const broken = new Broken();
    for (const name of ["moved", "s", "made", "v", "v2", "w"]) broken.old.add(name);
    const store = new Store();
    using changes = changes_of(b, store, broken.folders);
    const moves = "mv out/old moved; mv out/set s; echo 5 > new; mv w v";
    assert.deepEqual(await ran(b, changes, moves), [
      ...["file moved", "file new", "file s", "file v", "file w"],
      ...["deleted out/old", "deleted out/set"],
    ]);
    await ran(b, changes, "mv v out/w; echo 6 >> moved");
    await ran(b, changes, "mv out/w v2; ln s t; ln new u");
    const left = left_by_all(file_events(store.rows, []));
    const doubts = left.map(({ path, doubt }) => `${path} ${doubt}`);
    const older = "it is older than the run, which moved it here";
    assert.deepEqual(doubts, [
      ...[`moved ${older}`, "new null", `s ${older}`, "t null", "u null", "v2 null", "w null"],
    ]);
  });
});

Deno.test("what a tool has made where nobody looks is the run's, wherever a command moves it", async () => {
  await bench({ files: { ".gitignore": "out\n", "out/old": "1\n" } }, async (b) => {
    const broken = new Broken();
    for (const name of ["new", "twice", "t", "edited"]) broken.old.add(name);
    const store = new Store();
    using changes = changes_of(b, store, broken.folders);
    const write = (real: string, before: string | null, after: string) =>
      changes.write("c", real, {
        before: before === null ? null : { bytes: bytes(before), mode: 0o100644 },
        after: bytes(after),
        act: () =>
          b.machine.files.replace(
            real,
            bytes(after),
            before === null ? null : { bytes: bytes(before), mode: 0o100644 },
          ),
      });
    await write(b.at("out/new"), null, "2\n");
    await write(b.at("out/twice"), null, "3\n");
    await write(b.at("out/twice"), "3\n", "4\n");
    await write(b.at("out/old"), "1\n", "5\n");
    await write(`${b.policy.tmp}/t`, null, "6\n");
    await ran(b, changes, `mv out/new out/twice '${b.policy.tmp}/t' .; mv out/old edited`);
    const left = left_by_all(file_events(store.rows, []));
    const doubts = left.map(({ path, doubt }) => `${path} ${doubt !== null}`);
    const moved = ["edited true", "new false", "t false", "twice false"];
    assert.deepEqual(doubts.filter((one) => !one.startsWith("out/")), moved);
  });
});

Deno.test("what an earlier run of the session has made in an ignored place is no older file, and what the person had there is", async () => {
  await bench({ files: { ".gitignore": "out\n", "out/old": "1\n" } }, async (b) => {
    const moved = async (made?: Set<string>) => {
      const store = new Store();
      const write_down = (request: RecordRequest) => store.take(request);
      const options = { policy: b.policy, raw, ignoring: () => b.machine.ignore };
      const shared = made === undefined ? {} : { made };
      using first = new Changes({ ...options, ...shared, write_down: null });
      await ran(b, first, "echo 2 > out/new");
      await first.write("c", b.at("out/written"), {
        before: null,
        after: bytes("3\n"),
        act: () => Deno.writeTextFileSync(b.at("out/written"), "3\n"),
      });
      // Longer than any clock of a file system takes for one moment.
      await new Promise((resolve) => setTimeout(resolve, 300));
      using next = new Changes({ ...options, ...shared, write_down });
      await ran(b, next, "mv out/new new; mv out/written written; mv out/old zold");
      const doubts = left_by_all(file_events(store.rows, [])).map(({ path, doubt }) =>
        `${path} ${doubt !== null}`
      );
      sh("mv zold out/old; rm new written", b.workspace);
      return doubts;
    };
    const alone = await moved();
    // Where nothing tells when a file was made, none is older.
    const is_told = alone.every((one) => one.endsWith(" true"));
    assert.ok(is_told || alone.every((one) => one.endsWith(" false")), String(alone));
    assert.deepEqual(await moved(new Set()), ["new false", "written false", alone[2]]);
  });
});

Deno.test("a workspace that is gone under a command is said, and what was in it is not the command's", async () => {
  await bench({ files: { a: "1\n" } }, async (b) => {
    using changes = changes_of(b, new Store());
    await changes.begin("c");
    Deno.renameSync(b.workspace, `${b.workspace}.gone`);
    assert.deepEqual(await changes.end("c"), []);
    const gone = ["hamr can't look at .: changes there are not listed"];
    assert.deepEqual(not_listed(changes.gaps()), gone);
    Deno.symlinkSync(`${b.workspace}.gone`, b.workspace);
    assert.deepEqual(await ran(b, changes, "echo 3 > c"), []);
    assert.deepEqual(not_listed(changes.gaps()), gone);
    Deno.removeSync(b.workspace);
    Deno.renameSync(`${b.workspace}.gone`, b.workspace);
    assert.deepEqual(await ran(b, changes, "echo 2 > a"), ["file a"]);
    assert.deepEqual(not_listed(changes.gaps()), []);
  });
});

Deno.test("where there are more files than are watched, those that come into sight are not new", async () => {
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`d/${n}`, "1\n"]));
  await bench({ files: { ...files, "a/x": "1\n", "a/y": "2\n" } }, (b) => {
    const before = new Broken();
    for (const path of Object.keys(files)) before.old.add(path.slice("d/".length));
    const by = { ignoring: b.machine.ignore, listener: null, most_files: 6 };
    const look = new Look(b.workspace, { ...by, raw: before.folders }, null);
    look.look();
    assert.equal(look.overflow, true);
    sh("rm -r a; echo new > d/new", b.workspace);
    const came = look.look().filter(({ was }) => was === null);
    assert.ok(came.length > 0);
    const is_new = came.filter(({ learned }) => !learned).map(({ path }) => path);
    assert.ok(is_new.every((path) => path === "d/new"), is_new.join());
  });
});

Deno.test("a file that can't be looked at is not replaced, even by force", async () => {
  await bench({ files: { "d/a": "1\n" } }, (b) => {
    const broken = new Broken();
    const by = { raw: broken.folders, ignoring: b.machine.ignore, is_guarded: () => false };
    const { put, look } = undoing({ ...by, policy: b.policy });
    broken.failing = { how: "open", folder: "" };
    const why = "it can't be looked at";
    assert.deepEqual(look(["d/a"]), [{ state: null, obstacle: why }]);
    const to = { state: { mode: 0o100644, hash: sha256(bytes("2\n")) }, bytes: bytes("2\n") };
    const file = { path: "d/a", expected: "whatever", known: null, to } as const;
    assert.deepEqual(put([file]), [{ kind: "failed", why }]);
    broken.failing = null;
    assert.equal(put([file])[0]?.kind, "done");
  });
});

Deno.test("when a file was made is known where it has one name", async () => {
  await bench({ files: { a: "1\n" } }, (b) => {
    const folder = raw.open(null, name_bytes(b.workspace));
    try {
      const words = new Uint32Array(STAT_WORDS);
      assert.ok(raw.stat(folder, name_bytes("a"), words));
      const born = raw.born(folder, name_bytes("a"));
      assert.ok(born === null || Math.abs(born - Date.now()) < 3600_000, `${born}`);
      sh("ln a b", b.workspace);
      assert.equal(raw.born(folder, name_bytes("a")), null);
    } finally {
      raw.close(folder);
    }
  });
});

Deno.test("what changes under a name that is not UTF-8 is said, once it has", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await bench({ files: FILES }, async (b) => {
    sh("printf 1 > $(printf 'old\\377')", b.workspace);
    using changes = changes_of(b, new Store());
    await ran(b, changes, "echo 9 > x");
    assert.deepEqual(not_listed(changes.gaps()), []);
    await ran(b, changes, "printf 2 > $(printf 'd/new\\377')");
    await ran(b, changes, "true");
    assert.deepEqual(not_listed(changes.gaps()), [
      "changes to d/new\ufffd are not listed, and hamr undo leaves them: the name is not UTF-8",
    ]);
  });
});

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function text(bytes: Uint8Array | null | undefined): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}
