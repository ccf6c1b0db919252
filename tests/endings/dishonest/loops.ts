/** Models that never come to an end. */
import { bash, call, type Reply } from "../../support/model_server.ts";
import { edit, EMPTY, LOOP, read, type Transcript } from "../transcript.ts";
import { CALC, PY, WEB } from "../workspaces.ts";

/** What a loop may cost: more than any limit on the same call, less than the steps of the run. */
const BEFORE_LIMIT = 30;

/** These replies in turn, more often than the run may take. */
function in_turn(...replies: readonly Reply[]): readonly Reply[] {
  return Array.from({ length: 20 }, () => replies).flat();
}

/** A loop, from its first call on. */
function loop(name: string, ...replies: readonly Reply[]): Transcript {
  return {
    name,
    language: "en",
    task: "Find out why the tests fail, and fix it.",
    files: { ...CALC, ...PY, ...WEB },
    replies: replies.slice(0, 1),
    if_asked: in_turn(...replies.slice(1), ...replies.slice(0, 1)),
    ends: LOOP,
    extra: BEFORE_LIMIT,
  };
}

export const LOOPS: readonly Transcript[] = [
  loop("the same command for ever", bash("ls -la")),
  loop("the same failing test for ever", bash("sh test.sh")),
  loop("the same read for ever", read("a.py")),
  loop("the same range of a file for ever", read("calc.sh", { offset: 1, limit: 3 })),
  loop("the same edit that fails for ever", edit("a.py", "no such text", "x")),
  loop("the same command that the policy refuses", bash("rm -rf ~")),
  {
    ...loop("the same tool that does not exist", call("run_everything", { now: true })),
    ends: [1, "loop_detected|model_error"],
  },
  loop("two commands in turn", bash("cat a.py"), bash("cat calc.sh")),
  loop("two reads in turn", read("a.py"), read("calc.sh")),
  loop("a read and a test in turn", read("calc.sh"), bash("sh test.sh")),
  loop("the same search for ever", read("src", { search: "total" })),
  loop("the same batch for ever", {
    calls: [
      { name: "read", args: { path: "a.py" } },
      { name: "bash", args: { command: "git status" } },
    ],
  }),
  {
    ...loop("the same call, announced each time", {
      text: "Let me check the file again.",
      calls: [{ name: "read", args: { path: "src/cart.js" } }],
    }),
  },
  {
    name: "says nothing, for ever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [{}],
    ends: EMPTY,
    extra: 8,
  },
  {
    name: "says nothing after its first look, forever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [read("a.py"), {}],
    ends: EMPTY,
    extra: 8,
  },
  {
    name: "only thinks, for ever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [{ reasoning: "I should fix it. Or should I?" }],
    ends: EMPTY,
    extra: 8,
  },
  {
    name: "only blanks, for ever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [{ text: " \n\n" }],
    ends: EMPTY,
    extra: 8,
  },
  {
    name: "a call that is cut, forever",
    language: "en",
    task: "Write a long story into story.txt.",
    replies: [{
      calls: [{ name: "write", args: '{"path":"story.txt","content":"Once upon a time' }],
      finish: "length",
    }],
    ends: [1, "model_error|loop_detected"],
    extra: 12,
  },
  {
    name: "arguments that are no JSON, forever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [{ calls: [{ name: "edit", args: "a.py please" }] }],
    ends: [1, "model_error|loop_detected|tool_error"],
    extra: 12,
  },
  {
    name: "thinks up to its limit, forever",
    language: "en",
    task: "Fix add in a.py.",
    files: PY,
    replies: [{ reasoning: "Hmm. ".repeat(50), finish: "length" }],
    ends: [1, "model_error|empty_response"],
    extra: 12,
  },
];
