import assert from "node:assert/strict";
import fc from "fast-check";
import { content_bytes } from "../store/content.ts";
import type { RecordRequest } from "../store/recorder.ts";
import { type Bench, bench, sh } from "../tools/_testing.ts";
import { cases } from "../../tests/support/thorough.ts";
import {
  Account,
  act,
  type Event,
  EVENTS,
  files_in,
  present,
  START,
} from "../../tests/support/world.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type ChangeFact, Changes } from "./changes.ts";
import { changes_of, ran, raw, Store, told } from "./_testing.ts";
import { file_events } from "./events.ts";
import { sha256 } from "../permission/content_hash.ts";
import { left_by_all } from "./remaining_changes.ts";
import { CTIME_NS, type Folders, MTIME_NS } from "./folders.ts";
import { PlainFolders } from "./deno_folders.ts";
import { undoing } from "./put_back.ts";
import { changed_files, turn_diff } from "./turn_diff.ts";

const RUNS = cases(200, 3000);
const bytes = (text: string) => new TextEncoder().encode(text);
const COMMIT = "git init -q; git add .; git -c user.name=t -c user.email=t@t commit -qm x; ";

/** Lets the events happen; gives what is said of files, `PATH BEFORE AFTER`. */
async function live(b: Bench, changes: Changes, events: readonly Event[]): Promise<string[]> {
  const facts: ChangeFact[] = [];
  for (const [nth, event] of events.entries()) {
    const call = `call${nth}`;
    if (event.kind === "foreign") {
      for (const deed of event.deeds) act(b.workspace, deed);
    } else if (event.kind === "command") {
      const work = () => {
        for (const deed of event.deeds) act(b.workspace, deed);
        return Promise.resolve();
      };
      await changes.begin(call);
      await work();
      facts.push(...await changes.end(call));
    } else {
      const { path, to } = event.deed;
      const full = b.at(path);
      let before = null;
      try {
        before = { bytes: Deno.readFileSync(full), mode: Deno.statSync(full).mode ?? 0 };
      } catch {
        // It is made.
      }
      facts.push(
        ...await changes.write(call, full, {
          before,
          after: bytes(to ?? ""),
          act: () => act(b.workspace, event.deed),
        }),
      );
    }
  }
  const hashes = new Map(["1\n", "2\n", "3\n", "1!"].map((text) => [sha256(bytes(text)), text]));
  const text = (hash: string | null) => hash === null ? null : hashes.get(hash);
  return facts.flatMap((fact) =>
    fact.kind === "file" ? [`${fact.path} ${text(fact.before)} ${text(fact.after)}`] : []
  );
}

/** Undoes what rows tell, without force. */
async function undo(b: Bench, store: Store): Promise<void> {
  const place = { policy: b.policy, raw, ignoring: b.machine.ignore, is_guarded: () => false };
  const left = left_by_all(file_events(store.rows, [])).filter(({ doubt }) => doubt === null);
  for (const { path, before, after } of left) {
    const content = store.contents.get(before?.hash ?? "");
    assert.ok(before === null || content !== undefined, `${path}: what it held is stored`);
    const to = before === null || content === undefined
      ? null
      : { state: before, bytes: await content_bytes(content) };
    undoing(place).put([{ path, expected: after, known: after, to }]);
  }
}

/** As on ext3: of each time the second alone. */
const in_seconds: Folders = {
  tick_ms: raw.tick_ms,
  open: (parent, name) => raw.open(parent, name),
  close: (folder) => raw.close(folder),
  list: (folder) => raw.list(folder),
  stat(folder, name, into) {
    const is_there = raw.stat(folder, name, into);
    into[CTIME_NS] = into[MTIME_NS] = 0;
    return is_there;
  },
  born: () => null,
  read: (folder, name, how) => raw.read(folder, name, how),
  remove: (folder, name) => raw.remove(folder, name),
};

const KINDS = [
  { name: "in a folder", git: false, by: raw, runs: RUNS },
  { name: "in git", git: true, by: raw, runs: RUNS / 10 },
  { name: "where whole seconds are all that is kept", git: false, by: in_seconds, runs: RUNS / 10 },
  { name: "by Deno's own calls", git: false, by: new PlainFolders(), runs: RUNS / 10 },
];

for (const { name, git, by, runs } of KINDS) {
  Deno.test(`whoever changes files, calls are told apart from others: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(EVENTS, async (events) => {
        await bench({ files: START }, async (b) => {
          if (git) {
            await new Promise((resolve) => setTimeout(resolve, 25));
            sh(`${COMMIT} sleep 0.03; git status`, b.workspace);
          }
          const account = new Account();
          for (const event of events) account.take(event);
          const store = new Store();
          using changes = changes_of(b, store, by);
          assert.deepEqual(await live(b, changes, events), account.facts);
          const files = await changed_files(changes);
          assert.deepEqual(files.map(({ path }) => path), account.net);
          assert.deepEqual(files_in(b.workspace), present(account.files), "the world is as it is");
          const expected = present(account.undone);
          await undo(b, store);
          assert.deepEqual(
            new Map([...files_in(b.workspace)].sort(([x], [y]) => x < y ? -1 : 1)),
            expected,
            "undone",
          );
        });
      }),
      { numRuns: runs },
    );
  });
}

const AS = "git -c user.name=t -c user.email=t@t";

Deno.test("refs that come, go or change are facts, and what is staged", async () => {
  await bench({ files: { a: "1\n" } }, async (b) => {
    sh(COMMIT, b.workspace);
    using changes = changes_of(b);
    assert.deepEqual(await ran(b, changes, "git status; git log"), []);
    assert.deepEqual((await ran(b, changes, "git branch new; git tag v1")).sort(), [
      "ref refs/heads/new",
      "ref refs/tags/v1",
    ]);
    assert.deepEqual(await ran(b, changes, "git pack-refs --all"), [], "they say the same");
    assert.deepEqual(await ran(b, changes, "git checkout -q new"), ["ref HEAD"]);
    assert.deepEqual(await ran(b, changes, `${AS} commit -q --allow-empty -m y`), [
      "ref refs/heads/new",
    ]);
    assert.deepEqual(await ran(b, changes, "touch a; git status"), [], "git notes what it saw");
    assert.deepEqual(await ran(b, changes, "echo 2 > a; git add a"), ["file a", "ref index"]);
    assert.deepEqual((await ran(b, changes, "git tag -d v1; git stash -q")).sort(), [
      "file a",
      "ref index",
      "ref refs/stash",
      "ref refs/tags/v1",
    ]);
  });
});

Deno.test("a repository that a command makes is a fact, wherever it lies", async () => {
  await bench({ files: { a: "1\n" } }, async (b) => {
    const dotgits: string[] = [];
    const listener = {
      dotgits,
      enter: (folder: string, names: readonly string[]) =>
        void (names.includes(".git") && dotgits.push(`${folder}.git`)),
      leave() {},
    };
    const { policy, machine: { ignore } } = b;
    using changes = new Changes({
      policy,
      raw,
      ignoring: () => ignore,
      listener,
      write_down: null,
    });
    assert.deepEqual(await ran(b, changes, "git init -q"), ["ref HEAD"]);
    assert.deepEqual(await ran(b, changes, "git init -q sub"), ["ref sub/HEAD"]);
  });
});

Deno.test("of a folder of data only so much is read before the first command: the rest is known by its looks alone", async () => {
  await bench({ files: {} }, async (b) => {
    for (const name of ["x", "y"]) {
      Deno.writeFileSync(b.at(name), new Uint8Array());
      Deno.truncateSync(b.at(name), 300 * 1024 * 1024);
    }
    // What has just been made is looked at once more, and known then.
    await new Promise((resolve) => setTimeout(resolve, 5 * raw.tick_ms));
    using changes = changes_of(b, new Store());
    assert.deepEqual(await ran(b, changes, "true"), []);
    const touched = [await ran(b, changes, "touch x"), await ran(b, changes, "touch y")];
    assert.equal(touched.flat().length, 1, `${touched}: one was read, and is the same`);
  });
});

Deno.test("ignored paths and those of the run's own folders are facts of a command, and no changes", async () => {
  const files = { ".gitignore": "dist\n*.log\n", "dist/old": "1\n" };
  await bench({ files }, async (b) => {
    const store = new Store();
    using changes = changes_of(b, store);
    const { tmp } = b.policy;
    assert.deepEqual(
      await ran(
        b,
        changes,
        `echo 1 > x.log; echo 2 > dist/new; echo 3 > dist/old; echo 4 > ${tmp}/t`,
      ),
      ["added x.log", `added ${tmp}/t`, "added dist/new", "modified dist/old"],
    );
    assert.deepEqual(
      await ran(b, changes, "rm -r dist; mkdir -p node_modules/p/q"),
      [
        "file node_modules/p",
      ].slice(1).concat("deleted dist/"),
    );
    assert.deepEqual(changes.net(), []);
    const beyond = store.rows.flatMap((row) => row.kind === "done" ? row.beyond ?? [] : []);
    assert.ok(beyond.includes("dist/new"));
    assert.ok(!beyond.some((path) => path.startsWith(tmp)), "which an undo has nothing to say of");
    const before = null, after = bytes("5\n");
    const act = () => Deno.writeFileSync(b.at("y.log"), after);
    const written = await changes.write("c", b.at("y.log"), { before, after, act });
    assert.deepEqual(told(written), ["file y.log"], "a tool's file is a change, ignored or not");
    const own = await changes.write("c", `${tmp}/u`, { before, after, act: () => {} });
    assert.deepEqual(told(own), [`added ${tmp}/u`]);
  });
});

Deno.test("what a command makes of an ignored file that a tool has written is a change, and no one else's", async () => {
  const files = { ".gitignore": "dist\n*.log\n.env\n", ".env": "A=1\n", "x.log": "old\n" };
  await bench({ files }, async (b) => {
    const store = new Store();
    using changes = changes_of(b, store);
    const write = async (path: string, before: string | null, after: string) => {
      const was = before === null ? null : { bytes: bytes(before), mode: 0o100644 };
      const act = () => Deno.writeTextFileSync(b.at(path), after);
      await changes.write("c", b.at(path), { before: was, after: bytes(after), act });
    };
    const left = () =>
      left_by_all(file_events(store.rows.map((row) => ({ ...row, step: 1 })), []))
        .map(({ path, before, doubt }) => [path, before?.hash, doubt]);
    const env = [".env", sha256(bytes("A=1\n"))];
    await write(".env", "A=1\n", "A=2\n");
    Deno.mkdirSync(b.at("dist"));
    await write("dist/made.js", null, "1\n");
    assert.deepEqual(
      await ran(b, changes, "sed -i s/2/3/ .env; rm x.log; echo 2 > dist/made.js"),
      ["file .env", "file dist/made.js", "deleted x.log"],
    );
    assert.deepEqual(left(), [[...env, null], ["dist/made.js", undefined, null]]);
    assert.deepEqual(await ran(b, changes, "rm -r dist; rm .env"), [
      ...["file .env", "file dist/made.js", "deleted dist/"],
    ]);
    assert.deepEqual(changes.net(), [".env"]);
    assert.deepEqual(left(), [[...env, null]]);
    await write(".env", null, "A=4\n");
    Deno.writeTextFileSync(b.at(".env"), "A=5\n");
    assert.deepEqual(await ran(b, changes, "true"), []);
    assert.deepEqual(await ran(b, changes, "echo A=6 > .env"), ["file .env"]);
    assert.deepEqual(left(), [[...env, "changed by someone else in step 1"]]);
  });
});

Deno.test("an ignored file that an earlier run of the session has written is its own as well, and no longer followed once it is seen", async () => {
  await bench({ files: { ".gitignore": "*.log\n", "x.log": "1\n", "a": "1\n" } }, async (b) => {
    const store = new Store();
    const written = new Set(["x.log", "gone.log", "a"]);
    const write_down = (request: RecordRequest) => store.take(request);
    const shared = { policy: b.policy, raw, ignoring: () => b.machine.ignore, written, write_down };
    using changes = new Changes(shared);
    assert.deepEqual(await ran(b, changes, "echo 2 > x.log; echo 2 > a"), ["file a", "file x.log"]);
    assert.deepEqual([...written], ["x.log", "gone.log"]);
    const [begin] = store.rows;
    const hash = sha256(bytes("1\n"));
    assert.deepEqual(
      begin?.files.map(({ path, before, after }) => [path, before?.hash, after?.hash]),
      [["x.log", hash, hash]],
    );
    assert.deepEqual(await ran(b, changes, "echo 3 > gone.log"), ["file gone.log"]);
  });
});

Deno.test("a command begins by the clock of the workspace's file system, which may be behind", async () => {
  await bench({ files: { "d/a.txt": "one\n" } }, async (b) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const store = new Store();
    using changes = changes_of(b, store);
    await ran(b, changes, "true");
    const [begin] = store.rows;
    assert.ok(begin?.kind === "begin" && begin.at < Date.now() - 25, `${begin?.kind}`);
    assert.ok(begin.at >= Deno.statSync(b.at("d")).ctime!.getTime(), `${begin.at}`);
  });
});

Deno.test("what git has is read from there once it differs, and not before", async () => {
  await bench({ files: { "a.txt": "one\n", "sub/b.txt": "two\n" } }, async (b) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    sh(`${COMMIT} sleep 0.03; git status`, b.workspace);
    const store = new Store();
    using changes = changes_of(b, store);
    assert.deepEqual(await ran(b, changes, "true"), []);
    assert.deepEqual([...store.contents.keys()].length, 1, "the listing, which names a tree");
    await ran(b, changes, "echo 1 > a.txt; rm sub/b.txt; chmod +x a.txt");
    const diff = await turn_diff(1, changes, () => true);
    assert.deepEqual(diff?.files.map(({ path, status }) => [path, status]), [
      ["a.txt", "modified"],
      ["sub/b.txt", "deleted"],
    ]);
    assert.match(diff?.diff ?? "", /^old mode 100644\nnew mode 100755$[^]*^-one\n\+1$[^]*^-two$/m);
    assert.ok(store.contents.has(sha256(bytes("two\n"))), "it can be put back without git");
    assert.equal(await turn_diff(1, changes, () => true), null, "it is told once");
    sh("git checkout -q .", b.workspace);
    assert.deepEqual(await changed_files(changes), [], "the person has put it back");
  });
});

Deno.test("where git keeps other line ends than a file has, what it held is known if all of them are others", async () => {
  const held = {
    "all.txt": "one\r\ntwo\r\n",
    "none.txt": "one\ntwo\n",
    "some.txt": "one\r\ntwo\n",
  };
  await bench({ files: { ...held, ".gitattributes": "* text=auto\n" } }, async (b) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    sh(`${COMMIT} sleep 0.03; git status`, b.workspace);
    using changes = changes_of(b, new Store());
    assert.deepEqual(
      await ran(b, changes, "rm *.txt"),
      Object.keys(held).map((one) => `file ${one}`),
    );
    for (const [name, text] of Object.entries(held)) {
      const { before } = changes.sides(name);
      assert.deepEqual(before?.bytes, name === "some.txt" ? null : bytes(text), name);
    }
  });
});

Deno.test("files, links, pipes and folders in each other's place", async () => {
  await bench({ files: { "a/b": "1\n", "c": "2\n", "l": "3\n" } }, async (b) => {
    using changes = changes_of(b);
    const command = "rm -r a; echo x > a; rm c; mkdir c; echo y > c/d; rm l; ln -s c/d l; mkfifo p";
    assert.deepEqual(await ran(b, changes, command), [
      "file a",
      "file a/b",
      "file c",
      "file c/d",
      "file l",
    ]);
    assert.deepEqual(await ran(b, changes, "mv c e; rm p; touch a"), ["file c/d", "file e/d"]);
    assert.deepEqual(await ran(b, changes, "mv e c"), ["file c/d", "file e/d"]);
  });
});

Deno.test("where a command was looked at is told: nowhere else could it have changed anything, or it may have", async () => {
  await bench({}, async (b) => {
    const deep = "node_modules/zdep/lib/index.js";
    Deno.mkdirSync(`${b.workspace}/node_modules/zdep/lib`, { recursive: true });
    Deno.writeTextFileSync(`${b.workspace}/${deep}`, "a=1\n");
    Deno.writeTextFileSync(`${b.workspace}/.gitignore`, "node_modules\n");
    const looked = async (changes: Changes, command: string) => {
      await changes.begin("c", command);
      sh(command, b.workspace);
      const facts = told(await changes.end("c"));
      return [changes.looked(), ...facts];
    };
    const on = (policy: Partial<Policy>) =>
      new Changes({
        policy: { ...b.policy, sandbox: "auto", net: "none", ...policy },
        raw,
        ignoring: () => b.machine.ignore,
        write_down: null,
      });
    assert.deepEqual(await looked(on({}), "true"), ["everywhere"]);
    assert.deepEqual(await looked(on({ net: "all" }), "true"), ["here"]);
    assert.deepEqual(await looked(on({ write: "all" }), "true"), ["here"]);
    assert.deepEqual(await looked(on({ sandbox: "off" }), "true"), ["here"]);
    // More in an ignored folder than is looked at: what the command names is, all the same.
    for (let n = 0; n < 1100; n++) Deno.mkdirSync(`${b.workspace}/node_modules/p${n}`);
    const changes = on({});
    assert.deepEqual(await looked(changes, "true"), ["here"]);
    assert.deepEqual(await looked(changes, `sed -i s/1/2/ ${deep}`), [
      "in part",
      `modified ${deep}`,
    ]);
    const from_there = "cd node_modules/zdep/lib && sed -i s/2/3/ index.js";
    assert.deepEqual(await looked(changes, from_there), ["in part", `modified ${deep}`]);
    assert.deepEqual(await looked(changes, "node_modules/.bin/jest; true"), ["here"]);
    // A text with as many folders as words has no path for each of both.
    const text = Array.from({ length: 5000 }, (_, n) => `cd ${n}`).join(" ");
    assert.deepEqual(await looked(changes, `true # ${text}`), ["here"]);
  });
});
