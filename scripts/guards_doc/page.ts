/** docs/guards.md as a text, from the rows and from what the rules themselves say. */
import { INSTRUCTIONS, LAST_WORDS } from "../../src/agent/closing.ts";
import { internal } from "../../src/agent/history.ts";
import { KEYS } from "../../src/config/keys.ts";
import { tokens_in } from "../../src/context/estimate.ts";
import type { StopReason, Verdict } from "../../src/guards/rule.ts";
import { type Beside, CONTEXT, JUDGES, REMINDED } from "./beside.ts";
import { GATES } from "./gates.ts";
import { GUARDS } from "./guards.ts";
import {
  asks_for_repair,
  default_of,
  ends_in,
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
    "# Guards and gates",
    intro(names(lasting)),
    "## In short",
    overview(),
    "## Guards",
    "In the order in which they are asked.",
    ...GUARDS.map(section),
    "## Gates",
    `${names(ending)} are asked when the model wants to end its turn, ${
      names(contract)
    } once it has.`,
    ...GATES.map(section),
    "## Judges",
    "Asked once the gates have nothing against the work, and only where you want it. One that cannot be " +
    "asked, or understood, holds nothing up: a warning says so.",
    ...JUDGES.map(beside),
    "## Reminders",
    "Asked before each request. None of them can end a run.",
    ...REMINDED.map(beside),
    "## Compaction",
    beside(CONTEXT),
    "## Last words",
    last_words(),
  ].join("\n\n");
}

function names(rules: readonly { readonly name: string }[]): string {
  return rules.map(({ name }) => `\`${name}\``).join(", ");
}

function intro(lasting: string): string {
  return filled(`
What hamr does where a model goes wrong, what it says then, and what that costs you. The messages are
what the rules of the code say, asked with the default settings. A **guard** looks at the run while it lasts: before each request, when
a reply has come, before its calls run. A **gate** looks at the end: may the turn end with these words, and
does what the run came to hold? Both go by what was recorded, not by what the model believes.

A rule says nothing, or one of three things:

- a **nudge**: the model is told something in hamr's own name, in \`<hamr>\` tags, with the request that was
  due or, after a reply, with one more;
- an **answer**: a call is not run, and this is its result;
- a **stop**: the run ends for this reason, and the result says why. After a limit the model may say where
  things stand (see [last words](#last-words)).

They are asked in the order of this page. The first that has something to say decides, and the rest is
not asked at that moment. In the log and in \`--output jsonl\` a nudge is a \`nudge\`, an answer or a stop is
a \`guard\`, with the name that stands here.

**Recoveries.** A message that comes before a stop is a recovery. A run has {guards.recoveries} of them
(\`guards.recoveries\`), whichever rules use them; after that comes the stop that it was to spare the run,
or nothing where there is none. Recoveries are the run's, and nothing resets them.

**What a turn resets.** A turn begins with the task, with each repair (the verify command failed, a judge
wants more) and with each message of yours. Guards and gates then begin to count afresh. What belongs to
the run does not: steps, calls, time, budget, recoveries, reminders, and the memory of ${lasting}.

**What it costs.** Tokens are estimates, four ASCII characters to one. A nudge or an answer stays in the
conversation, so that each later request sends it again, until a compaction takes it out; servers that
cache prompts read it once. A rule that is silent costs nothing: none asks a model.

Names such as \`guards.read_limit\` are settings: \`hamr config show\` says what is in force; the file, or
\`HAMR_GUARDS_READ_LIMIT=0\`, changes it. 0 is off, or no limit.`.trim());
}

function overview(): string {
  const lines = [
    ...GUARDS.map((row) => line("guard", { ...row, ...sums(row) })),
    ...GATES.map((row) => line("gate", { ...row, ...sums(row) })),
    ...JUDGES.map((row) => line("judge", { ...row, tokens: tokens_of_beside(row) })),
    ...REMINDED.map((row) => line("reminder", { ...row, tokens: tokens_of_beside(row) })),
    line("compaction", { ...CONTEXT, tokens: tokens_of_beside(CONTEXT) }),
  ];
  return table(
    ["name", "what", "settings and their defaults", "may end the run in", "tokens"],
    lines,
  );
}

function line(
  what: string,
  { name, settings, ends, tokens }: {
    readonly name: string;
    readonly settings: readonly string[];
    readonly ends: readonly StopReason[];
    readonly tokens: readonly number[];
  },
): string[] {
  const most = Math.max(0, ...tokens);
  const least = Math.min(...tokens.filter((count) => count > 0));
  return [
    `[\`${name}\`](#${name})`,
    what,
    settings.map((setting) => `\`${setting}\` ${default_of(setting)}`).join(", ") || "-",
    ends.map((reason) => `\`${reason}\``).join(", ") || "-",
    most === 0 ? "-" : least === most ? `${most}` : `${least} to ${most}`,
  ];
}

function recovers(verdict: Verdict): boolean {
  return "recovers" in verdict && verdict.recovers !== undefined;
}

/** What the scenes of a row come to, all together. */
function sums(row: Row): {
  readonly ends: readonly StopReason[];
  readonly tokens: readonly number[];
  readonly settings: readonly string[];
} {
  const verdicts = row.scenes.map((scene) => said(row.name, scene));
  return {
    ends: [...new Set(verdicts.flatMap(ends_in))],
    tokens: verdicts.map((verdict, at) => tokens_told(verdict, row.scenes[at] as Scene)),
    settings: verdicts.some(recovers) ? [...row.settings, "guards.recoveries"] : row.settings,
  };
}

function tokens_of_beside({ tells }: Beside): number[] {
  return tells.map(({ text }) => tokens_in(text));
}

function section(row: Row): string {
  return [
    `### ${row.name}`,
    row.about,
    ...listed(row.settings),
    ...row.scenes.map((scene) => {
      const verdict = said(row.name, scene);
      const setting = Object.entries(scene.set ?? {}).map(([name, value]) =>
        `\`${name}\` ${value}`
      );
      const where = setting.length === 0 ? scene.where : `${scene.where} (${setting.join(", ")})`;
      return `Where ${where}: ${outcome(verdict, scene)}\n\n${quoted(words(verdict))}`;
    }),
    `**Costs.** ${filled(row.costs)}`,
  ].join("\n\n");
}

function beside(row: Beside): string {
  return [
    `### ${row.name}`,
    row.about,
    ...listed(row.settings),
    ...row.tells.map(({ where, text }) =>
      `Where ${where}, ${tokens_in(text)} tokens:\n\n${quoted(text)}`
    ),
    ...(row.ends.length === 0
      ? []
      : [`May end the run in ${row.ends.map((reason) => `\`${reason}\``).join(", ")}.`]),
    `**Costs.** ${filled(row.costs)}`,
  ].join("\n\n");
}

/** Settings with their defaults and what they mean. */
function listed(settings: readonly string[]): string[] {
  if (settings.length === 0) return [];
  return [
    settings.map((name) => `- \`${name}\` = ${default_of(name)}: ${KEYS.get(name)?.doc}`).join(
      "\n",
    ),
  ];
}

/** What becomes of the run, in words. */
function outcome(verdict: Verdict, scene: Scene): string {
  const tokens = `${tokens_told(verdict, scene)} tokens`;
  switch (verdict.kind) {
    case "go_on":
      return "nothing";
    case "nudge":
      return `a nudge, ${tokens}${recovery(verdict)}:`;
    case "answer":
      return `an answer, ${tokens}${recovery(verdict)}:`;
    case "stop": {
      const end = `the run ends in \`${verdict.reason}\``;
      return asks_for_repair(scene.moments)
        ? `a repair turn with this as its task, ${tokens}; where none is left, ${end}:`
        : `${end}:`;
    }
  }
}

function recovery({ recovers }: Extract<Verdict, { kind: "nudge" | "answer" }>): string {
  if (recovers === undefined) return "";
  const { scenario, otherwise } = recovers;
  const after = otherwise === null
    ? "then nothing is said"
    : `then the run ends in \`${otherwise}\``;
  return `, a recovery (\`${scenario}\`; when they are used up, ${after})`;
}

function words(verdict: Verdict): string {
  return verdict.kind === "go_on" ? "" : verdict.text;
}

function last_words(): string {
  const rows = Object.entries(INSTRUCTIONS).map(([reason, instruction]) => [
    `\`${reason}\``,
    instruction,
    `${tokens_in(internal(`${instruction} ${LAST_WORDS}`))}`,
  ]);
  return [
    "After these reasons the model gets one more request, without tools, to say where things stand. It " +
    "is told why, and then:",
    quoted(LAST_WORDS),
    table(["after", "it is told", "tokens"], rows),
  ].join("\n\n");
}

function quoted(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join(
    "\n",
  );
}
