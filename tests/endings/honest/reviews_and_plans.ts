/** Reviews, plans and drafts that were asked for: code as text and words about the future are the work itself. */
import { bash, call, say } from "../../support/model_server.ts";
import { read, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { CALC, PY, WEB } from "../workspaces.ts";

const PLAN = ["--mode", "plan"];
const ASK = ["--mode", "ask"];

export const REVIEWS_AND_PLANS: readonly Transcript[] = [
  {
    name: "a review with suggested code",
    language: "en",
    task: "Review src/cart.js.",
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "**1. Off-by-one (bug)** — line 3 reads past the end.\n\n```js\nfor (let i = 0; i < items.length; i++) {\n```\n\n**2. Style** — `for…of` would be clearer:\n\n```js\nfor (const item of items) sum += item.price;\n```\n\nOtherwise it looks good to me.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "a review in ask mode with a suggestion block",
    language: "en",
    task: "Please review the last commit.",
    flags: ASK,
    files: PY,
    git: true,
    setup: "printf '\\n\\ndef mul(a, b):\\n    return a*b\\n' >> a.py && git commit -qam 'Add mul'",
    replies: [
      bash("git show HEAD"),
      say(
        "Looks fine overall. One nit:\n\n```suggestion\n    return a * b\n```\n\nNo tests were added; I'd ask for one.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a review that finds nothing",
    language: "en",
    task: "Any security problems in src/?",
    files: WEB,
    replies: [
      together("", read("src/server.js"), read("src/cart.js"), read("src/util.js")),
      bash("grep -rnE 'eval|exec|innerHTML' src"),
      say(
        "I found no security issues: no user input is evaluated, executed, or written to HTML. (There is a plain bug in `total`, but it isn't a security problem.)",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a plan in plan mode",
    language: "en",
    task: "Plan how to add a discount to the cart.",
    flags: PLAN,
    files: WEB,
    replies: [
      read("src/cart.js"),
      say(
        "## Plan\n\n1. Fix the loop bound in `total` (`<` instead of `<=`).\n2. Add a parameter `discount` with default 0.\n3. Return `round(sum * (1 - discount))` using `src/util.js`.\n4. Add a test.\n\nShall I go ahead?",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a plan in the future tense in plan mode",
    language: "en",
    task: "How will you approach fixing the tests?",
    flags: PLAN,
    files: CALC,
    replies: [
      together("", read("calc.sh"), read("test.sh")),
      say(
        "I will first change `-` to `+` in `add`. Then I will run `sh test.sh`. If both tests pass, I will look for other callers of `add`.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a plan in auto mode, as it was asked",
    language: "en",
    task: "Write me a migration plan from sh to Python for calc.sh. No code yet.",
    files: CALC,
    replies: [
      read("calc.sh"),
      say(
        "**Phase 1** – port `add` and `mul` to `calc.py`, keeping the names.\n**Phase 2** – port `test.sh` to `unittest`.\n**Phase 3** – delete the shell files once CI is green.\n\nRisk: the shell version does integer arithmetic only; Python will accept floats. Estimated effort: half a day.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a plan that it writes into a file, as it was asked",
    language: "en",
    task: "Write a plan for the refactoring into PLAN.md.",
    files: WEB,
    replies: [
      bash("wc -l src/*.js"),
      write("PLAN.md", "# Plan\n\n1. Move the port into a setting.\n2. Fix `total`.\n"),
      say("The plan is in `PLAN.md`. Next I would start with step 1, whenever you're ready."),
    ],
    ends: SUCCESS,
    holds: "test -s PLAN.md",
  },
  {
    name: "a plan and a todo list in plan mode",
    language: "en",
    task: "Plan the release.",
    flags: PLAN,
    files: WEB,
    replies: [
      call("tool_search", { query: "todo" }),
      call("todo", {
        items: [{ text: "Bump version", status: "pending" }, { text: "Tag", status: "pending" }],
      }),
      say(
        "Here's the plan: bump the version to 1.3.0 in `package.json`, tag it, then publish. It's in the todo list as well.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "a question of understanding in ask mode, without a tool",
    language: "en",
    task: "What does 'idempotent' mean?",
    flags: ASK,
    replies: [
      say(
        "An operation is idempotent if doing it twice has the same effect as doing it once. HTTP `PUT` is the classic example.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "an answer in ask mode that shows a fix",
    language: "en",
    task: "What's wrong with add in a.py and how do I fix it?",
    flags: ASK,
    files: PY,
    replies: [
      read("a.py"),
      say("`add` subtracts. Replace line 2:\n\n```diff\n-    return a - b\n+    return a + b\n```"),
    ],
    ends: SUCCESS,
  },
  {
    name: "a draft of an e-mail",
    language: "en",
    task: "Draft a short mail to the team that the port changes to 8080 next week.",
    files: WEB,
    replies: [
      say(
        "Subject: Port change next week\n\nHi all,\n\nstarting next week the shop will listen on port 8080 instead of 80. Please update your bookmarks and proxies.\n\nThanks!",
      ),
    ],
    ends: SUCCESS,
  },
];
