import assert from "node:assert/strict";
import { type Bench, bench, sh } from "./_testing.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import type { Fact } from "./ledger.ts";
import { Tracker } from "./tracker.ts";

/** Facts in a form that is easy to compare: `+` new, `-` gone, `~` changed. */
function signs(facts: readonly Fact[]): string[] {
  return facts.map((fact) => {
    assert.ok(fact.kind === "file");
    const sign = fact.before === null ? "+" : fact.after === null ? "-" : "~";
    return `${sign}${fact.path}`;
  });
}

const scan = (b: Bench) => signs(b.machine.tracker.scan());
function started(workspace: string, folder: string): Tracker {
  return Tracker.start(workspace, new IgnoreRules(workspace), { folder });
}

const changes = async (b: Bench) =>
  (await b.machine.tracker.changes()).map(({ path, status, added, removed }) =>
    `${path} ${status} +${added} -${removed}`
  );

Deno.test("what changed is found, whoever did it, and once", async () => {
  const files = { "a.txt": "one\ntwo\n", "b.txt": "x\n", "sub/c.txt": "c\n", "gone/d": "" };
  await bench({ files }, async (b) => {
    assert.deepEqual(scan(b), []);
    sh(
      "echo three >> a.txt; rm -r gone; mkdir -p new/er; echo y > new/er/e; mv b.txt z.txt",
      b.workspace,
    );
    assert.deepEqual(scan(b), ["~a.txt", "-b.txt", "-gone/d", "+new/er/e", "+z.txt"]);
    assert.deepEqual(scan(b), []);
    assert.deepEqual(await changes(b), [
      "a.txt modified +1 -0",
      "b.txt deleted +0 -1",
      "gone/d deleted +0 -0",
      "new/er/e added +1 -0",
      "z.txt added +1 -0",
    ]);
  });
});

Deno.test("a touch or a rewrite of the same is no change; content and mode are", async () => {
  await bench({ files: { a: "same", b: "12345", c: "c" } }, async (b) => {
    sh("touch a; cp a x; mv x a; touch -d 2001-01-01 b", b.workspace);
    assert.deepEqual(scan(b), []);
    sh("printf 54321 > b; touch -d 2001-01-01 b; chmod +x c", b.workspace);
    assert.deepEqual(scan(b), ["~b", "~c"], "same size and time, and mode alone");
    sh("printf 12345 > b; chmod -x c", b.workspace);
    assert.deepEqual(scan(b), ["~b", "~c"], "changing back is a change in itself");
    assert.deepEqual(await changes(b), [], "but not from the start");
  });
});

Deno.test("changes of the same size in the same tick of the clock are seen", async () => {
  await bench({ files: { a: "0" } }, (b) => {
    for (let n = 1; n < 200; n++) {
      b.put("a", String(n % 10));
      assert.deepEqual(scan(b), ["~a"], `change ${n}`);
    }
  });
});

Deno.test("links, and files that become something else", async () => {
  await bench({ files: { a: "target", b: "b", "folder/x": "x" } }, async (b) => {
    sh("ln -s one link; ln -s a to_a", b.workspace);
    scan(b);
    sh("ln -sfn two link; rm a; ln -s target a", b.workspace);
    assert.deepEqual(scan(b), ["~a", "~link"], "retargeted; a link that reads as the file did");
    sh("rm b; mkdir b; echo y > b/y; rm -r folder; echo z > folder", b.workspace);
    assert.deepEqual(scan(b), ["-b", "+b/y", "+folder", "-folder/x"]);
    sh("rm folder; mkfifo folder", b.workspace);
    assert.deepEqual(scan(b), ["-folder"], "a pipe has no content");
    assert.equal((await changes(b)).length, 6);
  });
});

Deno.test("ignored files do not count, by the rules of the start", async () => {
  const files = { ".gitignore": "*.log\nout/\n", "a.log": "", "b.txt": "", "out/x": "" };
  await bench({ files }, async (b) => {
    sh(
      "echo x >> a.log; echo x >> out/x; mkdir -p node_modules; touch node_modules/y",
      b.workspace,
    );
    assert.deepEqual(scan(b), ["+node_modules/y"], "its .gitignore does not name it");
    sh(
      "printf '*.txt\\n' > .gitignore; echo x >> b.txt; echo x > new.log; echo x > c.txt",
      b.workspace,
    );
    assert.deepEqual(scan(b), ["~.gitignore", "~b.txt", "+c.txt"]);
    sh("mkdir cache; echo '*' > cache/.gitignore; echo x > cache/y", b.workspace);
    assert.deepEqual(scan(b), [], "a folder that was made to be ignored");
    assert.equal((await changes(b)).length, 4);
  });
});

Deno.test("a tool's own change is noted, and the next look does not find it again", async () => {
  await bench({ files: { a: "1", ".gitignore": "ignored\n" } }, (b) => {
    b.put("a", "2");
    b.put("sub/b", "b");
    b.put("ignored", "x");
    const { tracker } = b.machine;
    assert.deepEqual(["a", "sub/b"].flatMap((path) => signs([tracker.note(path)!])), [
      "~a",
      "+sub/b",
    ]);
    for (const path of ["a", "ignored", "none", `${b.root}/tmp/x`, "/etc/hostname"]) {
      assert.equal(tracker.note(path), null, path);
    }
    assert.deepEqual(scan(b), []);
  });
});

Deno.test("a large file is watched by its hash, its lines are not counted", async () => {
  await bench({}, async (b) => {
    const { workspace, policy } = b;
    sh("truncate -s 30M big; truncate -s 600M huge", workspace);
    using tracker = started(workspace, policy.spill);
    tracker.keep();
    sh("touch big", workspace);
    assert.deepEqual(signs(tracker.scan()), []);
    sh("printf y | dd of=big bs=1 seek=15000000 conv=notrunc 2>&1", workspace);
    const [fact] = tracker.scan();
    assert.ok(fact?.kind === "file" && fact.path === "big" && fact.before !== fact.after);
    assert.match(fact.before ?? "", /^[0-9a-f]{64}$/);
    assert.deepEqual(await tracker.changes(), [
      { path: "big", status: "modified", added: 0, removed: 0 },
    ]);
    sh("truncate -s 700M huge", workspace);
    assert.deepEqual(signs(tracker.scan()), ["~huge"], "not even its hash was known");
  });
});

Deno.test("more than is kept: what has no copy is still known by its hash", async () => {
  await bench({}, async (b) => {
    const { workspace, policy } = b;
    sh(
      "for n in $(seq 24); do truncate -s 9M f$n; done",
      workspace,
    );
    using tracker = started(workspace, policy.spill);
    tracker.keep();
    sh(
      "touch f*; for n in $(seq 24); do printf y | dd of=f$n bs=1 seek=9 conv=notrunc; done 2>&1",
      workspace,
    );
    assert.equal(
      tracker.scan().filter((fact) =>
        fact.kind === "file" && /^[0-9a-f]{64}$/.test(fact.before ?? "")
      ).length,
      24,
    );
    assert.equal((await tracker.changes()).length, 24);
  });
});

Deno.test("contents of the start are those before the first change, taken bit by bit", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 2000 }, (_, n) => [`d${n % 20}/f${n}`, `${n}\n`.repeat(50)]),
  );
  await bench({ files }, async ({ workspace, policy }) => {
    using tracker = started(workspace, policy.spill);
    let slices = 0;
    while (!tracker.keep(1)) slices++;
    assert.ok(slices > 1);
    assert.deepEqual([...Deno.readDirSync(policy.spill)], [], "the copies have no name");
    sh("for f in d*/*; do echo new >> $f; done", workspace);
    assert.equal(tracker.scan().length, 2000);
    const changed = await tracker.changes();
    assert.ok(changed.every(({ added, removed }) => added === 1 && removed === 0));
  });
});

Deno.test("lines are counted as git counts them", async () => {
  const files = { a: "1\n2\n3\n4\n5", b: "x\r\ny\r\n", c: "", d: "a\0b", e: "1\n2\n3\n" };
  await bench({ files }, async (b) => {
    b.put("a", "0\n1\n3\n4\n5\n");
    b.put("b", "x\r\nz\r\ny\r\n");
    b.put("c", "one\n\n");
    b.put("d", "a\0c");
    b.put("e", "3\n2\n1\n");
    scan(b);
    assert.deepEqual(await changes(b), [
      "a modified +2 -2",
      "b modified +1 -0",
      "c modified +2 -0",
      "d modified +0 -0",
      "e modified +2 -2",
    ]);
  });
});

Deno.test("a file rewritten from end to end does not hold up the end", async () => {
  const text = (seed: number) =>
    Array.from({ length: 60_000 }, (_, n) => `${(n * seed) % 65_537}\n`).join("");
  await bench({ files: { a: text(3) } }, async (b) => {
    b.put("a", text(7));
    scan(b);
    const start = performance.now();
    const [change] = await b.machine.tracker.changes();
    assert.ok(performance.now() - start < 4000, `${performance.now() - start} ms`);
    assert.ok((change?.added ?? 0) > 1000);
  });
});

Deno.test("where copies cannot be kept, changes are still found", async () => {
  await bench({ files: { a: "1", b: "2" } }, async ({ workspace, put }) => {
    using tracker = started(workspace, "/none/such");
    tracker.keep();
    put("a", "3");
    assert.deepEqual(signs(tracker.scan()), ["~a"]);
    assert.deepEqual((await tracker.changes()).map(({ path }) => path), ["a"]);
  });
  await bench({ files: { a: "1\n", b: "x".repeat(200_000), c: "3\n" } }, (b) => {
    try {
      sh("mkdir ../small && mount -t tmpfs -o size=64k tmpfs ../small", b.workspace);
    } catch {
      Deno.stderr.writeSync(new TextEncoder().encode("SKIP a full disk: no right to mount\n"));
      return;
    }
    try {
      using tracker = started(b.workspace, `${b.root}/small`);
      tracker.keep();
      sh("touch a b c; echo 2 >> a; echo y >> b", b.workspace);
      assert.deepEqual(signs(tracker.scan()).filter((sign) => sign !== "~c"), ["~a", "~b"]);
    } finally {
      sh("umount -l ../small", b.workspace);
    }
  });
});

Deno.test("a folder that is closed for a while is not taken for deleted", async () => {
  await bench({ files: { "sub/a": "1", b: "2" } }, (b) => {
    if (Deno.uid() === 0) {
      Deno.stderr.writeSync(new TextEncoder().encode("SKIP a closed folder: root may read it\n"));
      return;
    }
    Deno.chmodSync(b.at("sub"), 0);
    try {
      assert.deepEqual(scan(b), []);
    } finally {
      Deno.chmodSync(b.at("sub"), 0o755);
    }
    assert.deepEqual(scan(b), []);
  });
});

Deno.test("2,400 files: a look takes little longer than the walk", async () => {
  await bench({}, ({ workspace, policy }) => {
    sh(
      "for d in $(seq 24); do mkdir -p s$((d % 4))/d$d; (cd s$((d % 4))/d$d; " +
        "for f in $(seq 100); do echo line > f$f.ts; done); done",
      workspace,
    );
    const time = (work: () => unknown) => {
      const start = performance.now();
      work();
      return performance.now() - start;
    };
    const walk = (folder: string): void => {
      for (const entry of Deno.readDirSync(folder)) {
        if (entry.isDirectory) walk(`${folder}/${entry.name}`);
        else Deno.lstatSync(`${folder}/${entry.name}`);
      }
    };
    walk(workspace);
    const bare = Math.min(time(() => walk(workspace)), time(() => walk(workspace)));
    const rules = new IgnoreRules(workspace);
    let tracker: Tracker | undefined;
    const start = time(() => tracker = Tracker.start(workspace, rules, { folder: policy.spill }));
    const keep = time(() => tracker?.keep());
    tracker?.scan();
    using _ = tracker;
    const look = Math.min(time(() => tracker?.scan()), time(() => tracker?.scan()));
    const told = [bare, start, keep, look].map(Math.round).join(", ");
    assert.ok(look < 6 * bare, `walk, start, keep, look: ${told} ms`);
    assert.ok(start + keep < 20 * bare, `walk, start, keep, look: ${told} ms`);
  });
});
