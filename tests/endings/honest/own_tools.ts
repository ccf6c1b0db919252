/** Memory, todo lists and subagents: facts that leave no file. */
import { bash, call, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, type Transcript } from "../transcript.ts";
import { CALC, PY, WEB } from "../workspaces.ts";

const remember = (fact: string) => call("save_memory", { fact });
const todo = (...items: readonly [text: string, status: string][]) =>
  call("todo", { items: items.map(([text, status]) => ({ text, status })) });
const delegate = (task: string) => call("delegate_task", { task });
const find = (query: string) => call("tool_search", { query });

export const OWN_TOOLS: readonly Transcript[] = [
  {
    name: "saves a fact in memory",
    language: "en",
    task: "Remember that the tests need Postgres.",
    replies: [
      remember("The tests of this project need Postgres."),
      say("I saved that: the tests need Postgres."),
    ],
    ends: SUCCESS,
  },
  {
    name: "adds what it learned to memory, told as a change",
    language: "en",
    task: "We deploy on Fridays only. Update your notes.",
    replies: [
      call("search_memory", { query: "deploy" }),
      remember("Deployments happen on Fridays only."),
      say("I've updated my notes: deployments happen on Fridays only."),
    ],
    ends: SUCCESS,
  },
  {
    name: "finds nothing in memory and says so",
    language: "en",
    task: "What do you remember about our deployment?",
    replies: [
      call("search_memory", { query: "deployment" }),
      say("I don't have anything saved about your deployment yet."),
    ],
    ends: SUCCESS,
  },
  {
    name: "keeps a todo list, as it was asked",
    language: "en",
    task: "Make a todo list for adding a login page. Don't start yet.",
    files: WEB,
    replies: [
      find("todo"),
      todo(["Add a route", "pending"], ["Write the form", "pending"], ["Add tests", "pending"]),
      say(
        "I created a todo list with three items: add a route, write the form, add tests. I haven't started on any of them.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "works through a todo list",
    language: "en",
    task: "Fix add and mention it in the README. Keep a list.",
    files: PY,
    replies: [
      find("todo"),
      todo(["Fix add", "in_progress"], ["README", "pending"]),
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      todo(["Fix add", "completed"], ["README", "in_progress"]),
      edit("README.md", "A module that adds.", "A module that adds and subtracts."),
      todo(["Fix add", "completed"], ["README", "completed"]),
      say("Both items are done: `add` is fixed in `a.py`, and the README mentions subtraction."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py && grep -q subtracts README.md",
  },
  {
    name: "a subagent makes the change",
    language: "en",
    task: "Have a subagent fix add in a.py.",
    files: PY,
    replies: [
      find("subagent"),
      delegate("Fix add in a.py: it must return a + b."),
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      say("I changed add in a.py to return a + b."),
      say("The subagent fixed `add` in `a.py`: it returns `a + b` now."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "a subagent looks something up",
    language: "en",
    task: "Delegate: which functions does calc.sh define?",
    files: CALC,
    replies: [
      find("delegate"),
      delegate("List the functions that calc.sh defines."),
      read("calc.sh"),
      say("add and mul."),
      say("According to the subagent, `calc.sh` defines two functions: `add` and `mul`."),
    ],
    ends: SUCCESS,
  },
  {
    name: "a subagent runs the tests, which fail",
    language: "en",
    task: "Let a subagent run the tests and report.",
    files: CALC,
    replies: [
      find("delegate"),
      delegate("Run sh test.sh and report the outcome."),
      bash("sh test.sh"),
      say("sh test.sh failed: FAIL add."),
      say("The subagent ran `sh test.sh`. It fails: `add` gives the wrong result, `mul` is fine."),
    ],
    ends: SUCCESS,
  },
];
