import { cut, one_line, plural, some_of } from "../../config/text.ts";
import { why } from "../../config/paths.ts";
import { outcome } from "../../gates/facts/summary.ts";
import { only_answers } from "../../guards/rule.ts";
import type { DelegateArgs } from "../../tools/declared/agent_level_tools.ts";
import { EVERY_TOOL } from "../../tools/declared/every_tool.ts";
import { changed_paths } from "../../tools/ledger.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import { type Done, is_among, type ToolResult } from "../../tools/tool.ts";
import type { AgentRole, Session } from "../session.ts";
import type { Tape } from "../tape.ts";
import { type LaneOutcome, send_together } from "./lanes.ts";
import { own_model, type OwnModel } from "./own_model.ts";
import { type Errand, run_subagent, type SubagentOutcome } from "./subagent.ts";

/** Of a subagent's answer: what is longer would fill the context that delegating was to spare. */
const ANSWER_CHARS = 8000;
/** Files and commands that are named, and how much of each command: enough to look into them. */
const NAMED = 20;
const COMMAND_CHARS = 100;
const DESCRIPTION_CHARS = 200;

export async function run_delegate_task(call: CheckedCall, session: Session): Promise<Done> {
  const errand = await errand_of(call, session);
  return "ok" in errand ? errand : told(await run_subagent(session, errand));
}

/** Lets subagents do several tasks at the same time, each with a tape of its own; results in the order of the calls. */
export async function run_delegate_tasks(
  calls: readonly CheckedCall[],
  session: Session,
  lanes: readonly Tape[],
): Promise<readonly ToolResult[]> {
  const errands: (Errand | Done)[] = [];
  for (const call of calls) errands.push(await errand_of(call, session));
  const sent = errands.flatMap((errand, at) =>
    "ok" in errand ? [] : [{ errand, tape: lanes[at] as Tape }]
  );
  const outcomes = [...await send_together(session, sent)];
  return errands.map((errand) => {
    if ("ok" in errand) return { ...errand, ms: 0 };
    const outcome = outcomes.shift() as LaneOutcome;
    return { ...told(outcome), ms: Math.round(outcome.ms) };
  });
}

/** What a subagent is to do; what is wrong with the call, if there is something. */
async function errand_of(call: CheckedCall, session: Session): Promise<Errand | Done> {
  const { task, tools = "all", agent = "" } = call.args as DelegateArgs;
  const role = agent.trim() === "" ? null : await role_of(agent.trim(), session);
  if (typeof role === "string") return { ok: false, text: role, summary: "no such agent" };
  const own = role?.tools;
  const offered = tools === "read"
    // They need nothing that a subagent may lack.
    ? EVERY_TOOL.filter(({ read_only, agent_level, needs }) =>
      read_only && agent_level === undefined && needs === undefined
    )
    // A subagent has none of its own: a tree of agents would have no end.
    : (await session.services()).tools.filter((tool) =>
      tool.name !== call.tool && (own ? is_among(tool, own) : true)
    );
  const model = await model_of(role, session);
  if (model !== null && "ok" in model) return model;
  const { mode } = session.state;
  const looks = tools === "read" ||
    (role !== null && role.mode !== null && only_answers(role.mode));
  return {
    call: call.id,
    task,
    tools: new Set(offered.map(({ name }) => name)),
    mode: only_answers(mode) ? mode : looks ? "ask" : "auto",
    prompt: role?.prompt ?? "",
    role,
    model,
  };
}

function told(outcome: SubagentOutcome): Done {
  const { ending, steps } = outcome;
  const ok = ending.reason === "llm_done";
  const how = ok ? "finished" : `stopped: ${ending.reason}`;
  const summary = `${how} (${plural(steps, "step")})`;
  return { ok, text: subagent_report(outcome, { summary, ok }), summary };
}

/** Its own model, null where it has none; or, where that can't be used, why the agent can't be sent. */
async function model_of(role: AgentRole | null, session: Session): Promise<OwnModel | Done | null> {
  if (!role?.model) return null;
  try {
    return await own_model(session, role.model);
  } catch (error) {
    const text = `Error: agent ${role.name}: ${why(error)}`;
    return { ok: false, text, summary: "its model can't be used" };
  }
}

async function role_of(name: string, session: Session): Promise<AgentRole | string> {
  const { roles } = await session.services();
  const all = await session.tape.ask("roles", () => roles());
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const known = all.map(({ name, description }) =>
    description === "" ? name : `${name} (${cut(one_line(description), DESCRIPTION_CHARS)})`
  );
  return `Error: there is no agent ${JSON.stringify(cut(name, COMMAND_CHARS))}; known: ${
    some_of(known)
  }`;
}

export function subagent_report(
  { ending, ledger }: Pick<SubagentOutcome, "ending" | "ledger">,
  { summary, ok }: { summary: string; ok: boolean },
): string {
  const { output, error } = ending;
  const words = output.length > ANSWER_CHARS
    ? `${output.slice(0, ANSWER_CHARS)}\n[cut here: ${output.length} characters in all]`
    : output;
  const silent = words.trim() === "" || words === error?.message;
  const ran = ledger.filter((row) => row.kind === "command").map((row) =>
    `\`${cut(one_line(row.command), COMMAND_CHARS)}\` (${outcome(row)})`
  );
  return [
    `The subagent ${summary}.${error === null ? "" : ` Why: ${error.message}`}`,
    ...(silent ? [] : [`${ok ? "Its answer" : "Last message"}:\n${words}`]),
    `Files changed: ${named(changed_paths(ledger))}`,
    `Commands run: ${named(ran)}`,
  ].join("\n");
}

/** The last ones: the outcome of it all is at the end. */
function named(items: readonly string[]): string {
  if (items.length === 0) return "none";
  const shown = items.slice(-NAMED).join(", ");
  return items.length > NAMED ? `${items.length}, the last ${shown}` : shown;
}
