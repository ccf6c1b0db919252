/** Asks the judges of the run's work, once nothing in the evidence is against it. Loaded only if there is a judge. */
import { CHARS_PER_TOKEN } from "../context/estimate.ts";
import { evaluator } from "../gates/judges/evaluator.ts";
import { DIFF_SHARE, type JudgedEvidence, present } from "../gates/judges/evidence.ts";
import type { Judge, Opinion } from "../gates/judges/judge.ts";
import { rubric } from "../gates/judges/rubric.ts";
import type { Stop } from "../guards/rule.ts";
import { short_line } from "../model/errors.ts";
import { aside } from "./ask.ts";
import { ask_auxiliary } from "./auxiliary.ts";
import { ask_rules } from "./ask_rules.ts";
import type { Session } from "./session.ts";

export type Grade =
  | { readonly kind: "holds" }
  | Extract<Opinion, { readonly kind: "lacks" }> & { readonly by: Judge["name"] }
  /** A guard lets nobody be asked. */
  | Stop
  /** An interrupt or a time limit came first. */
  | { readonly kind: "cut" };

/** Of a reply that could not be read, what the user is shown of it. */
const SHOWN_CHARS = 200;

/** Asks each judge until one finds the work wanting. One that can't be asked is skipped, and the user is told that nobody judged. */
export async function grade(
  session: Session,
  work: { readonly task: string; readonly answer: string },
): Promise<Grade> {
  const { tools_client } = await session.services();
  const { files } = await tools_client.changes();
  const chars = Math.floor(session.endpoint.context_window * DIFF_SHARE * CHARS_PER_TOKEN);
  const diff = await tools_client.diff(files, chars);
  const { ledger, spending: { refused } } = session.state;
  const evidence = { ...work, files, diff, ledger, refused };
  const { self_eval, rubric: text } = session.limits;
  // The model itself first: what it finds need not be graded.
  const judges = [
    ...(self_eval === "off" ? [] : [evaluator()]),
    ...(text === "" ? [] : [rubric(text)]),
  ];
  for (const judge of judges) {
    const course = ask_rules(session, session.guards, { at: "aside" });
    if (course.kind === "stop") return course;
    const opinion = await put_to(session, judge, evidence);
    if (opinion === "cut") return { kind: "cut" };
    if (opinion?.kind === "lacks") {
      return { ...opinion, by: judge.name };
    }
  }
  return { kind: "holds" };
}

/** Null if the judge has said nothing that can be used. */
async function put_to(
  session: Session,
  judge: Judge,
  evidence: JudgedEvidence,
): Promise<Opinion | "cut" | null> {
  const { clock, emit } = session;
  const { name, system, rubric } = judge;
  const began = performance.now();
  const signal = clock.begin_step();
  const question = (asked: Session) => {
    const user = present(evidence, { rubric, window: asked.endpoint.context_window });
    return { system, user, signal };
  };
  // A rubric can have a grader of its own; a model judges its own work itself.
  const answer = name === "rubric"
    ? await ask_auxiliary(session, "grader", question)
    : await aside(session, question(session));
  clock.stop();
  if (signal.aborted) return "cut";
  const tell = (verdict: string, holds: boolean | null, message = "") => {
    const ms = Math.round(performance.now() - began);
    emit({ type: "evaluation", name, verdict, holds, message, ms });
  };
  const who = name === "rubric" ? "the grader of the rubric" : "the self-evaluation";
  if (answer.kind === "failed") {
    tell("unavailable", null);
    emit({ type: "warning", message: `${who} could not be asked: ${answer.error.message}` });
    return null;
  }
  const { content } = answer.reply;
  const opinion = judge.read(content);
  if (opinion === null) {
    tell("unreadable", null);
    const said = short_line(content, SHOWN_CHARS) || "it said nothing";
    const message = `${who} gave no readable verdict, so the work was not judged: ${said}`;
    emit({ type: "warning", message });
    return null;
  }
  const { verdict, kind } = opinion;
  tell(verdict, kind === "holds", kind === "lacks" ? opinion.text : "");
  return opinion;
}
