import assert from "node:assert/strict";
import { bench, is_root, sh } from "../../_testing.ts";
import { Refusal, ToolFailure } from "../../failure.ts";

const MANY = 5000;

Deno.test("a path is taken from the workspace, or from home", async () => {
  await bench({}, ({ machine: { files }, workspace, root }) => {
    const cases: [string, string][] = [
      ["a.txt", `${workspace}/a.txt`],
      ["", workspace],
      [".", workspace],
      ["./a/../b", `${workspace}/b`],
      ["../x", `${root}/x`],
      ["/etc/hosts", "/etc/hosts"],
      ["~", `${root}/home`],
      ["~/x", `${root}/home/x`],
      ["~other/x", `${workspace}/~other/x`],
      ["a//b/", `${workspace}/a/b`],
      ["\u{1f600}\ufffd\ufeff", `${workspace}/\u{1f600}\ufffd\ufeff`],
    ];
    for (const [given, full] of cases) assert.equal(files.locate(given), full, given);
    assert.throws(() => files.locate("a\0b"), /NUL/);
    for (const half of ["a\ud83d", "\ude00/b"]) {
      assert.throws(() => files.locate(half), /half of a character \(a lone surrogate\)/);
    }
    assert.throws(() => files.locate("a/".repeat(MANY)), /longer than 4096 bytes/);
  });
});

Deno.test("a path in the workspace is shown relative, dots in its name or not", async () => {
  await bench({}, ({ machine: { files }, workspace, root }) => {
    assert.equal(files.shown(`${workspace}/a/b`), "a/b");
    assert.equal(files.shown(workspace), ".");
    assert.equal(files.shown(`${workspace}/..a`), "..a");
    assert.equal(files.shown(`${workspace}/...`), "...");
    assert.equal(files.shown(`${root}/x`), `${root}/x`);
    assert.equal(files.shown(`${workspace}2/x`), `${workspace}2/x`);
  });
});

Deno.test("of a file that grows while it is read, no more is read than it had", async () => {
  await bench({ files: { "a.txt": "one" } }, ({ machine: { files }, at }) => {
    const open = files.open.bind(files);
    files.open = (full) => {
      const opened = open(full);
      Deno.writeTextFileSync(full, " and two", { append: true });
      return opened;
    };
    assert.equal(new TextDecoder().decode(files.read(at("a.txt"), 3).bytes), "one");
  });
});

Deno.test("what is not a file is refused, by its kind, and never waited for", async () => {
  await bench({ files: { folder: null } }, ({ machine: { files }, at, workspace }) => {
    sh("mkfifo pipe; ln -s pipe to_pipe; ln -s /dev/zero zero; ln -s loop loop", workspace);
    sh("ln -s /proc/self/environ environ; ln -s /proc procs; ln -s gone dangling", workspace);
    const socket = Deno.listen({ transport: "unix", path: at("socket") });
    try {
      const cases: [string, RegExp][] = [
        ["pipe", /a pipe, not a regular file/],
        ["to_pipe", /a pipe, not a regular file/],
        ["socket", /a socket, not a regular file/],
        ["loop", /leads to itself/],
        ["dangling", /does not exist/],
        ["folder/x", /does not exist/],
        ["zero", /the kernel's/],
        ["environ", /the kernel's/],
        ["procs/self/environ", /the kernel's/],
        ["/proc/self/environ", /the kernel's/],
        ["/proc/self/fd/0", /the kernel's|does not exist/],
        ["/dev/zero", /the kernel's/],
        ["/dev/tty", /the kernel's/],
        ["/sys/kernel", /the kernel's/],
      ];
      for (const [path, message] of cases) {
        assert.throws(() => files.open(files.locate(path)), message, path);
      }
      assert.throws(() => files.open("/proc/self/environ"), Refusal);
    } finally {
      socket.close();
    }
  });
});

Deno.test("looking at a pipe does not wake the program at its other end", async () => {
  await bench({}, async ({ machine: { files }, at, workspace }) => {
    sh("mkfifo pipe", workspace);
    const writer = new Deno.Command("/bin/bash", {
      args: ["-c", "echo x > pipe; echo $?"],
      cwd: workspace,
      stdout: "piped",
    }).spawn();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.throws(() => files.open(at("pipe")), /a pipe/);
    const reader = sh("timeout 5 cat pipe", workspace);
    assert.equal(reader, "x\n");
    assert.equal(new TextDecoder().decode((await writer.output()).stdout), "0\n");
  });
});

Deno.test("an empty file is empty, and a large one is not read", async () => {
  await bench({ files: { empty: "", large: "x".repeat(100) } }, ({ machine: { files }, at }) => {
    assert.equal(files.read(at("empty"), 10).bytes.length, 0);
    assert.throws(() => files.read(at("large"), 99), /100 bytes/);
    assert.equal(files.read(at("large"), 100).bytes.length, 100);
  });
});

Deno.test("a write goes where links lead, and no further than the policy", async () => {
  const options = { files: { "in/real": "x" }, beside: { "outside/old": "old" } };
  await bench(options, ({ machine: { files }, at, workspace, root }) => {
    sh("ln -s in/real link; ln -s ../outside out; ln -s ../outside/new dangling", workspace);
    sh("ln -s in/new hopeful; ln -s ../outside/old old; ln -s a b; ln -s b a", workspace);
    assert.equal(files.target(at("link")), at("in/real"));
    assert.equal(files.target(at("hopeful")), at("in/new"));
    assert.equal(files.target(at("new/deep/file")), at("new/deep/file"));
    assert.equal(files.target(`${root}/tmp/x`), `${root}/tmp/x`);
    for (const path of ["out/new", "out/new/deep", "dangling", "old", "../x", "~/x"]) {
      assert.throws(() => files.target(files.locate(path)), Refusal, path);
    }
    assert.throws(() => files.target(at("dangling")), {
      message: new RegExp(`leads to ${root}/outside/new\\).*--allow-write=${root}/outside$`),
    });
    assert.throws(() => files.target(`${root}/not/there/yet`), {
      message: new RegExp(`--allow-write=${root}$`),
    });
    assert.throws(() => files.target(`${workspace}2/x`), Refusal);
    assert.throws(() => files.target(at("a")), /leads to itself/);
    assert.throws(() => files.target(at("in/real/x")), /not a folder/);
    assert.throws(() => files.target(at("n".repeat(300))), /too long/);
  });
});

Deno.test("a path of two thousand folders is found out about in no time", async () => {
  await bench({}, ({ machine: { files }, at }) => {
    const start = performance.now();
    assert.equal(files.target(at("a/".repeat(1900) + "b")), at("a/".repeat(1900) + "b"));
    assert.ok(performance.now() - start < 20_000);
  });
});

/** A file as it was read. */
function as_it_is(path: string): { readonly bytes: Uint8Array; readonly mode: number } {
  return { bytes: Deno.readFileSync(path), mode: Deno.statSync(path).mode ?? 0 };
}

const on_linux = Deno.build.os === "linux";

Deno.test({
  name: "what somebody saves between the reading of a file and its writing stays" +
    (on_linux ? "" : " (NOT TESTED HERE: takes Linux)"),
  ignore: !on_linux,
  fn: () =>
    bench(
      { files: { a: "old", b: "old" } },
      ({ machine: { files }, at, put, text, workspace }) => {
        const ours = new TextEncoder().encode("ours");
        const old = as_it_is(at("a"));
        put("a", "theirs");
        put("new", "theirs");
        Deno.removeSync(at("b"));
        for (const [name, before] of [["a", old], ["new", null]] as const) {
          assert.throws(() => files.replace(at(name), ours, before), {
            message: new RegExp(`^${name} has just been changed by somebody else; read it again$`),
          });
        }
        assert.throws(() => files.replace(at("b"), ours, old), /b does not exist$/);
        assert.deepEqual([text("a"), text("new")], ["theirs", "theirs"]);
        assert.deepEqual([...Deno.readDirSync(workspace)].map(({ name }) => name).sort(), [
          "a",
          "new",
        ]);
        files.replace(at("a"), ours, as_it_is(at("a")));
        assert.equal(text("a"), "ours");
      },
    ),
});

Deno.test("replacing keeps mode and owner, and gives the old content up last", async () => {
  const name = "测".repeat(80);
  await bench({ files: { [name]: "old" } }, ({ machine: { files }, at, workspace }) => {
    const path = at(name);
    Deno.chmodSync(path, 0o4750);
    if (is_root()) Deno.chownSync(path, 1234, 4321);
    const before = Deno.statSync(path);
    files.replace(path, new TextEncoder().encode("new"), as_it_is(path));
    const after = Deno.statSync(path);
    assert.equal(Deno.readTextFileSync(path), "new");
    assert.equal(after.mode, before.mode);
    assert.deepEqual([after.uid, after.gid], [before.uid, before.gid]);
    assert.equal([...Deno.readDirSync(workspace)].length, 1, "nothing is left beside it");
  });
});

Deno.test("replacing parts a file from its other names: they may be outside", async () => {
  await bench({ files: { a: "old" }, beside: { "outside/x": "" } }, (b) => {
    sh("ln a ../outside/linked", b.workspace);
    b.machine.files.replace(b.at("a"), new TextEncoder().encode("new"), as_it_is(b.at("a")));
    assert.equal(b.text("a"), "new");
    assert.equal(Deno.readTextFileSync(`${b.root}/outside/linked`), "old");
  });
});

Deno.test("a read-only file stays as it is", async () => {
  await bench({ files: { a: "old" } }, ({ machine: { files }, at, text }) => {
    Deno.chmodSync(at("a"), 0o444);
    assert.throws(
      () => files.replace(at("a"), new Uint8Array(1), as_it_is(at("a"))),
      /read-only.*chmod/,
    );
    assert.equal(text("a"), "old");
  });
});

Deno.test("a new file has the usual mode", async () => {
  await bench({}, ({ machine: { files }, at }) => {
    files.replace(at("x/y/new"), new TextEncoder().encode("#!/bin/sh\n"), null);
    assert.equal((Deno.statSync(at("x/y/new")).mode ?? 0) & 0o777, 0o666 & ~Deno.umask());
  });
});

Deno.test("what was seen is known until it changes", async () => {
  await bench({ files: { a: "one" } }, async ({ machine: { files }, at, put }) => {
    assert.equal(files.seen.state(at("a")), "never");
    files.seen.note(at("a"), files.read(at("a"), 10).looks);
    assert.equal(files.seen.state(at("a")), "same");
    await new Promise((resolve) => setTimeout(resolve, 15));
    put("a", "two");
    assert.equal(files.seen.state(at("a")), "changed");
    files.seen.note(at("a"));
    Deno.removeSync(at("a"));
    assert.equal(files.seen.state(at("a")), "changed");
  });
});

Deno.test("where the disk is full the old content survives, in both ways of writing", async () => {
  await bench({}, ({ machine: { files }, at, workspace }) => {
    try {
      sh("mkdir small && mount -t tmpfs -o size=64k tmpfs small", workspace);
    } catch {
      return skipped("a full disk: no right to mount a file system");
    }
    try {
      const old = "o".repeat(30_000);
      Deno.writeTextFileSync(at("small/a"), old);
      const large = new TextEncoder().encode("n".repeat(90_000));
      assert.throws(() => files.replace(at("small/a"), large, as_it_is(at("small/a"))), {
        message: /the disk is full: .*small\/a was left unchanged/,
      });
      assert.equal(Deno.readTextFileSync(at("small/a")), old);
      assert.throws(() => files.replace(at("small/new"), large, null), ToolFailure);
      assert.deepEqual([...Deno.readDirSync(at("small"))].map(({ name }) => name), ["a"]);
      // Nothing can be renamed onto what is mounted itself, so this is written in place.
      sh("touch bound && mount --bind small/a bound", workspace);
      try {
        assert.throws(
          () => files.replace(at("bound"), large, as_it_is(at("bound"))),
          /disk is full/,
        );
        assert.equal(Deno.readTextFileSync(at("small/a")), old);
        files.replace(at("bound"), new TextEncoder().encode("short"), as_it_is(at("bound")));
        assert.equal(Deno.readTextFileSync(at("small/a")), "short");
        const short = as_it_is(at("bound"));
        files.replace(at("bound"), new TextEncoder().encode("a little longer"), short);
        assert.equal(Deno.readTextFileSync(at("small/a")), "a little longer");
        assert.throws(() => files.replace(at("bound"), large, short), /by somebody else/);
      } finally {
        sh("umount bound", workspace);
      }
    } finally {
      sh("umount small", workspace);
    }
  });
});

/** Says on standard error that a part was not tested. */
function skipped(what: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`SKIP ${what}\n`));
}
