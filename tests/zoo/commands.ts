/** Commands that hang, flood, hide or strike back. */
import assert from "node:assert/strict";
import { ANSWER, bash, call, say } from "../support/model_server.ts";
import { gone, mark } from "../support/stage.ts";
import type { Specimen } from "./specimen.ts";

const ASK = ["--verify", "true"];
const DONE = { code: 0, reason: "llm_done", output: ANSWER } as const;
const LEFT = mark();
const HIDDEN = mark();

/** One command, after which the model answers. */
function command(name: string, from: string, line: string): Omit<Specimen, "hears"> {
  return {
    name,
    from,
    script: [bash(line), say(ANSWER)],
    args: ASK,
    ends: { ...DONE, steps: 2 },
  };
}

export const COMMANDS: readonly Specimen[] = [
  {
    ...command(
      "leaves a server behind in the background",
      "anomalyco/opencode#22012, #42524; pi#7636",
      `sleep ${LEFT} & echo started`,
    ),
    hears: [/^started/],
    also: () => gone(LEFT),
  },
  {
    ...command(
      "hides a process in a session of its own",
      "anomalyco/opencode#32504; coder/xum#41",
      `setsid sh -c 'trap "" TERM HUP; sleep ${HIDDEN}' > /dev/null 2>&1 & echo started`,
    ),
    also: () => gone(HIDDEN),
  },
  {
    ...command(
      "waits for somebody to type",
      "openai/codex#20919, #27019 (the same, a level higher)",
      "read -p 'Name? ' name; cat; echo \"got [$name]\"",
    ),
    hears: [/got \[\]/],
  },
  {
    name: "prints without end",
    from: "seed 004 (bounded output); issue 5",
    script: [bash("yes 0123456789", 1), say(ANSWER)],
    args: ASK,
    ends: { ...DONE, steps: 2 },
    also: ({ peak_kb }, s) => {
      assert.ok(s.server.results()[0]!.length < 60_000);
      assert.ok(peak_kb < 600_000, `${peak_kb} kB`);
    },
  },
  {
    ...command(
      "prints bytes that are no text, and orders to the terminal",
      "NousResearch/hermes-agent#93220, #62480 (output is polluted)",
      String.raw`printf '\033[2J\033]0;owned\007\xff\xfe\x00\xed\xa0\x80 end'; echo`,
    ),
    hears: [/end/],
    also: ({ stdout, stderr }) =>
      assert.ok(!/\p{Cc}/u.test((stdout + stderr).replaceAll("\n", ""))),
  },
  {
    ...command(
      "kills what it was started by",
      "issue 5; turnstone#816",
      "kill -9 $PPID; sleep 0.1; echo still here",
    ),
  },
  {
    ...command(
      "takes the workspace away",
      "contract 9 (what is gone has changed, too)",
      'rm -r a.txt b; cd ..; rmdir "$OLDPWD"; echo gone',
    ),
    files: { "a.txt": "one\n", "b/c.txt": "two\n" },
    leaves: { "a.txt": null, b: null },
    also: ({ result }) => assert.equal(result.files_changed.length, 2),
  },
  {
    name: "writes through a link that leads out of the workspace",
    from: "design (links that leave the workspace); anthropics/claude-code#80138",
    script: [
      bash("ln -s /etc/hostname link"),
      call("write", { path: "link", content: "owned\n" }),
      say(ANSWER),
    ],
    args: ASK,
    ends: { ...DONE, steps: 3 },
    also: ({ events }) => {
      const results = events.filter(({ type }) => type === "tool_result");
      assert.deepEqual(results.map(({ ok }) => ok), [true, false]);
    },
  },
  {
    name: "reads a pipe that nobody writes to, and a folder that holds itself",
    from: "design (a read hangs no thread); anomalyco/opencode#42524",
    script: [
      bash("mkfifo pipe && ln -s . loop"),
      call("read", { path: "pipe" }),
      call("read", { path: "/dev/zero" }),
      call("read", { path: ".", search: "x" }),
      say(ANSWER),
    ],
    args: ASK,
    ends: { ...DONE, steps: 5 },
    hears: [/pipe is a pipe, not a regular file/, /not a file of the project/],
  },
  {
    name: "fails three times in a row",
    from: "seed 000 (bash_failure)",
    script: [bash("false"), bash("exit 3"), bash("no-such-program"), say(ANSWER)],
    args: ASK,
    ends: { ...DONE, steps: 4 },
    hears: [/Your last 3 commands failed/],
  },
];
