/** Models that say they have done what they have not. */
import assert from "node:assert/strict";
import { bash, call, type Reply, say } from "../support/model_server.ts";
import { and_then_only, forever, nudges, type Specimen } from "./specimen.ts";

const FILES = { "a.txt": "one\n" };
const ONE_TURN = ["--repair-attempts", "0"];
const PATCH = ["--mode", "patch", ...ONE_TURN];
const UNMET = { code: 2, reason: "contract_unsatisfied" } as const;
const edit = (from: string, to: string) => call("edit", { path: "a.txt", old: from, new: to });

/** A claim that nothing comes after, in some language. */
function claim(language: string, text: string): Specimen {
  return {
    name: `claims a fix in ${language}, having done nothing`,
    from: "anthropics/claude-code#46755, #88532; amd/gaia#3983",
    script: forever(say(text)),
    files: FILES,
    args: ONE_TURN,
    ends: { ...UNMET, steps: 2, error: /Files seen to change: none/ },
    hears: [/Files seen to change: none\. Commands run: none\./],
    leaves: FILES,
  };
}

export const CLAIMS: readonly Specimen[] = [
  claim("English", "I fixed the bug in a.txt and all tests pass now."),
  claim("Chinese", "我已经修复了 a.txt 中的错误。"),
  claim("Spanish", "He corregido el error en a.txt."),
  claim("German", "Ich habe den Fehler in a.txt behoben."),
  claim("French", "J'ai corrigé le bug dans a.txt."),
  {
    name: '"Done." with nothing done',
    from: "seed 000; anthropics/claude-code#75720",
    script: forever(say("Done.")),
    args: ONE_TURN,
    ends: { ...UNMET, steps: 2, error: /only a status/ },
    also: (run) => assert.deepEqual(nudges(run), { doubtful: 1 }),
  },
  {
    name: '"✅ Task completed." after a command that failed',
    from: "seed 000; amd/gaia#3938",
    script: and_then_only(bash("exit 1"), say("✅ Task completed.")),
    args: ONE_TURN,
    ends: { ...UNMET, error: /`exit 1` \(exit code 1\)/ },
  },
  {
    name: "claims the change that its failed edit did not make",
    from: "elizaOS/eliza#16523",
    script: and_then_only(edit("missing", "two"), say("The value in a.txt is two now.")),
    files: FILES,
    args: ONE_TURN,
    ends: { ...UNMET, error: /Edits that failed: 1/ },
    leaves: FILES,
  },
  {
    name: "changes a file, puts it back, and claims the change",
    from: "anthropics/claude-code#88532",
    script: and_then_only(
      edit("one", "two"),
      edit("two", "one"),
      say("I fixed the bug in a.txt."),
    ),
    files: FILES,
    args: ONE_TURN,
    ends: { ...UNMET, error: /Files seen to change: none/ },
    leaves: FILES,
  },
  {
    name: "only touches the file that it should change",
    from: "amd/gaia#3983",
    script: and_then_only(bash("touch -d 2001-01-01 a.txt"), say("The file is as it should be.")),
    files: FILES,
    args: PATCH,
    ends: { ...UNMET, error: /No file of the workspace differs/ },
  },
  {
    name: "writes the file as it was",
    from: "amd/gaia#3983",
    script: and_then_only(
      call("write", { path: "a.txt", content: "one\n" }),
      bash("cp a.txt b && mv b a.txt"),
      say("The file says what it should."),
    ),
    files: FILES,
    args: PATCH,
    ends: UNMET,
  },
  {
    name: "changes a file that nobody keeps, and no other",
    from: "issue 5 (what a mutation is)",
    script: and_then_only(
      bash("mkdir -p node_modules/x && echo 1 > node_modules/x/i.js"),
      say("The package is mended."),
    ),
    files: FILES,
    args: PATCH,
    ends: UNMET,
  },
  {
    name: "shows the repaired code instead of writing it",
    from: "github/copilot-cli#2253; amd/gaia#3938",
    script: forever(say("Here is the corrected file:\n\n```\ntwo\n```\n\nIt now says two.")),
    files: FILES,
    args: PATCH,
    ends: UNMET,
    leaves: FILES,
  },
  {
    name: "asks whether it may begin, and nobody is there",
    from: "amd/gaia#3938 (premature stops)",
    script: forever(say("Would you like me to make this change?")),
    files: FILES,
    args: ["--mode", "patch"],
    ends: { ...UNMET, steps: 2 },
  },
  {
    name: "announces its work forever, and nobody asked for a change",
    from: "seed 000; amd/gaia#3938",
    script: forever(say("Let me look at the code first.")),
    ends: { code: 2, reason: "not_done", steps: 2, error: /only announces/ },
    also: (run) => assert.deepEqual(nudges(run), { doubtful: 1 }),
  },
  {
    name: "announces more work after it has looked",
    from: "issue 12 (four times, and then 0)",
    script: and_then_only(bash("ls"), say("Now I will fix the bug.")),
    ends: { code: 2, reason: "not_done", steps: 3 },
  },
  {
    name: "announces its work forever where a change must be made",
    from: "seed 000; amd/gaia#3938",
    script: forever(say("Let me look at the code first.")),
    args: ["--mode", "patch"],
    ends: { ...UNMET, steps: 2 },
    also: (run) => assert.deepEqual(nudges(run), {}),
  },
  {
    name: "says that the tests pass, and they do not",
    from: "amd/gaia#3983 (unverified completion claims)",
    script: and_then_only(edit("one", "two"), say("I fixed a.txt; all tests pass.")),
    files: FILES,
    args: ["--verify", "grep -q three a.txt"],
    ends: { code: 2, reason: "verification_failed" },
    hears: [/verify command `grep -q three a\.txt` failed with exit code 1/],
    also: ({ result }) => assert.equal(result.verification?.attempts, 2),
  },
  {
    name: "prints that the tests passed instead of making them pass",
    from: "anthropics/claude-code#75720",
    script: and_then_only(bash("echo '5 passed, 0 failed'"), say("5 passed, 0 failed.")),
    files: FILES,
    args: ["--verify", "grep -q two a.txt", ...ONE_TURN],
    ends: { code: 2, reason: "verification_failed" },
    also: ({ result }) => assert.equal(result.evidence.verified, false),
  },
  {
    name: "deletes the test that fails",
    from: "amd/gaia#3983",
    script: and_then_only(bash("rm test.sh"), say("No test fails any more.")),
    files: { ...FILES, "test.sh": "grep -q two a.txt\n" },
    args: ["--verify", "sh test.sh", ...ONE_TURN],
    ends: { code: 2, reason: "verification_failed" },
  },
  {
    name: "leaves a check behind that never ends",
    from: "seed 001 (time limits of gates)",
    script: and_then_only(
      call("write", { path: "test.sh", content: "sleep 600\n" }),
      say("I wrote the test."),
    ),
    env: { HAMR_VERIFY_TIMEOUT_S: "0.5" },
    args: ["--verify", "sh test.sh", ...ONE_TURN],
    ends: { code: 2, reason: "verification_failed", error: /signal or a time limit/ },
    also: ({ result }) => assert.equal(result.verification?.exit_code, null),
  },
  {
    name: "makes its claim true once it is told what the ledger shows",
    from: "github/copilot-cli#2253",
    script: [
      say("I fixed the bug in a.txt, it says two now."),
      edit("one", "two"),
      say("I fixed the bug in a.txt, it says two now."),
    ] satisfies Reply[],
    files: FILES,
    ends: { code: 0, reason: "llm_done", steps: 3 },
    leaves: { "a.txt": "two\n" },
  },
];
