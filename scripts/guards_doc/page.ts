/** docs/guards.md as a text, from the rows and from what the rules themselves say. */
import { CLOSING_WORDS, LAST_WORDS } from "../../src/agent/closing.ts";
import { KEYS } from "../../src/config/keys.ts";
import { tokens_in } from "../../src/context/estimate.ts";
import type { Verdict } from "../../src/guards/rule.ts";
import { type Beside, CONTEXT, JUDGES, REMINDED } from "./beside.ts";
import { GATES } from "./gates.ts";
import { GUARDS } from "./guards.ts";
import {
  asks_for_repair,
  default_of,
  filled,
  type Row,
  rules,
  said,
  type Scene,
  tokens_told,
} from "./row.ts";

const HEAD = "<!-- Made by `deno task docs` from the code: change that, not this page. -->";

/** The page. Deno's formatter is still to go over it. */
export function page(): string {
  const { guards, ending, contract } = rules();
  const lasting = [...guards, ...ending, ...contract].filter((rule) => rule.lasting);
  return [
    HEAD,
    "# What does hamr do when a model goes wrong?",
    intro(names(lasting)),
    "## Guards",
    "In the order in which they are asked. **A repeated call is not a loop** if a file changed in between, the call waited (10 s, or " +
    "1 s if the command says `sleep`), a process that the run started is still running, or a compaction removed the result. " +
    "Commands that only look (`git status`, `tail`, `curl`) may repeat twice as often.",
    GUARDS.map(section).join("\n"),
    "## Gates",
    `${names(ending)} are asked when the model wants to end its turn, ${
      names(contract)
    } once it has.`,
    GATES.map(section).join("\n"),
    "## Judges",
    "Asked once the gates have no objection, and only if you want it. A judge that cannot be " +
    "asked, or understood, blocks nothing: a warning says so.",
    JUDGES.map(beside).join("\n"),
    "## Reminders and compaction",
    "Asked before each request.",
    [...REMINDED, CONTEXT].map(beside).join("\n"),
    "## Closing call",
    last_words(),
    "## Settings",
    "`hamr config show` shows what is in force; change it in the file, or as in `HAMR_GUARDS_READ_LIMIT=0`. 0 is off, or no limit.",
    settings(),
  ].join("\n\n");
}

function names(rules: readonly { readonly name: string }[]): string {
  return rules.map(({ name }) => `\`${name}\``).join(", ");
}

function intro(lasting: string): string {
  return filled(`
What hamr does when a model goes wrong, and what it says with the default settings. A **guard** watches the run, a **gate** judges its end. Both go by what was recorded; words may make
hamr ask, but never decide. A rule says nothing, or one of three things:

- a **nudge**: the model gets a message, tagged \`<hamr>\`, inside the last tool result or as a user message;
- an **answer**: a call is not run, and this is its result;
- a **stop**: the run ends for this reason. Every guard but a limit has answered or nudged before it stops.

The first rule with something to say decides. In \`--output jsonl\` a nudge is a \`nudge\`, an answer or a stop a \`guard\`, with
the name given here. A message stays in the conversation until it is compacted; a rule costs no request unless it says
so. Tokens are estimates.

**Recoveries.** A message that comes before a stop is a recovery. There are {guards.recoveries} (\`guards.recoveries\`),
then comes the stop. A change, or a command that passes, restores them.

**Turns.** A turn begins with the task, with each repair (the verify command failed, a judge wants more) and with each message
of yours: guards and gates then start over. Steps, calls, time, budget, recoveries, reminders and the memory of ${lasting} are
the run's.

**Your own message comes first.** With \`--steer\`, or \`Steering\` in the library, what you say is heard before the next
request. An interrupt (\`{"type":"interrupt","text":"..."}\`) does not wait: the current request is dropped and nothing of it
is kept, a running command is ended and its result says by whom, and your message comes next. Without a text the run ends in
\`user_interrupt\`.`.trim());
}

function section(row: Row): string {
  const told: string[] = [];
  const ends = new Map<string, string[]>();
  for (const scene of row.scenes) {
    const verdict = said(row.name, scene);
    if (verdict.kind === "stop" && !asks_for_repair(scene)) {
      ends.set(verdict.reason, [...ends.get(verdict.reason) ?? [], scene.where]);
    } else told.push(`- When ${where(scene)} (${outcome(verdict, scene)}): ${words(verdict)}`);
  }
  const reasons = [...ends].map(([reason, wheres]) => `\`${reason}\` when ${wheres.join(", or ")}`);
  if (reasons.length > 0) told.push(`- Ends the run in ${reasons.join("; in ")}.`);
  return entry(row, told);
}

/** A rule, with what it says below it. */
function entry({ name, about, costs }: Row | Beside, told: readonly string[]): string {
  const cost = costs === ""
    ? ""
    : ` Cost: ${costs.charAt(0).toLowerCase()}${filled(costs).slice(1)}`;
  return [`- **${name}**. ${about}${cost}`, ...told.map((line) => `  ${line}`)]
    .join(
      "\n",
    );
}

function where({ where, set = {} }: Scene): string {
  const values = Object.entries(set).map(([name, value]) => `\`${name}\` ${value}`);
  return values.length === 0 ? where : `${where} (${values.join(", ")})`;
}

/** What becomes of the run, in words. */
function outcome(verdict: Verdict, scene: Scene): string {
  const tokens = `${tokens_told(verdict, scene)} tokens`;
  switch (verdict.kind) {
    case "go_on":
      return "nothing";
    case "stop":
      return `repair turn, ${tokens}; if none is left, \`${verdict.reason}\``;
    case "nudge":
    case "answer":
      return `${verdict.kind}, ${tokens}${recovery(verdict)}`;
  }
}

function recovery({ recovers }: Extract<Verdict, { kind: "nudge" | "answer" }>): string {
  return recovers === undefined ? "" : `, recovery before \`${recovers.otherwise}\``;
}

function words(verdict: Verdict): string {
  if (verdict.kind === "go_on") return "";
  return quoted(verdict.text + (verdict.kind === "stop" ? verdict.instruction ?? "" : ""));
}

function beside(row: Beside): string {
  const told = row.tells.map(({ where, text }) =>
    `- When ${where} (${tokens_in(text)} tokens): ${quoted(text)}`
  );
  const ends = row.ends.map((reason) => `\`${reason}\``).join(", ");
  return entry(row, ends === "" ? told : [...told, `- May end the run in ${ends}.`]);
}

function last_words(): string {
  const told = Object.entries(CLOSING_WORDS).map(([reason, instruction]) =>
    `${quoted(instruction)} (\`${reason}\`)`
  );
  return "After some stops the model gets one more request, with the same tools, none of which can be called. It is told why: " +
    `${told.join(", ")}; and then ${quoted(LAST_WORDS)}`;
}

/** All settings that are used here, each once. */
function settings(): string {
  const rows = [...GUARDS, ...GATES, ...JUDGES, ...REMINDED, CONTEXT];
  const all = new Set([...rows.flatMap(({ settings }) => settings), "guards.recoveries"]);
  return table(
    ["setting", "default", "what"],
    [...KEYS.keys()].filter((name) => all.has(name)).map((name) => [
      `\`${name}\``,
      default_of(name).replaceAll("|", "\\|"),
      (KEYS.get(name)?.doc ?? "").replaceAll("|", "\\|"),
    ]),
  );
}

/** Words as they are, on one line. */
function quoted(text: string): string {
  const line = text.replace(/^<hamr>\n([^]*)\n<\/hamr>$/, "$1").replaceAll(/\s*\n\s*/g, " ");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join(
    "\n",
  );
}
