import { field } from "../../model/errors.ts";
import { type Judge, MATERIAL, type Opinion, passed_on, read_opinion, text_in } from "./judge.ts";

const SYSTEM =
  `You check the work of a coding agent: has it done the task it was given, all of it and nothing else?
${MATERIAL}
Answer with one JSON object and nothing else:
{"completed": true or false, "confidence": 0.0 to 1.0, "issues": ["what is missing or wrong", ...], "suggestion": "what to do about it"}
completed is true only where the task is done. confidence is how sure you are that it is done.`;

/** Below this the model itself thinks it more likely that the task is not done. */
const LEAST_CONFIDENCE = 0.5;
/** More faults than this are not worked off in one turn. */
const MOST_ISSUES = 20;

/** The model looks at its own work: is the task done? */
export function evaluator(): Judge {
  return {
    name: "self_eval",
    system: SYSTEM,
    rubric: null,
    read: (reply) => read_opinion(reply, accept),
  };
}

function accept(value: unknown): Opinion | null {
  const completed = truth_of(field(value, "completed"));
  if (completed === null) return null;
  const confidence = field(value, "confidence");
  const unsure = typeof confidence === "number" && confidence < LEAST_CONFIDENCE;
  if (completed && !unsure) return { kind: "holds", verdict: "completed" };
  const why = completed
    ? `The self-evaluation is not sure that the task is done (confidence ${confidence}).`
    : "The self-evaluation finds that the task is not done.";
  return { kind: "lacks", verdict: "not_completed", text: words(why, value), fixable: true };
}

/** Small models put it in quotes. */
function truth_of(value: unknown): boolean | null {
  switch (typeof value === "string" ? value.trim().toLowerCase() : value) {
    case true:
    case "true":
      return true;
    case false:
    case "false":
      return false;
    default:
      return null;
  }
}

function words(why: string, value: unknown): string {
  const given = field(value, "issues");
  const issues = (Array.isArray(given) ? given : [given])
    .filter((issue) => typeof issue === "string" && issue.trim() !== "")
    .slice(0, MOST_ISSUES)
    .map((issue) => `- ${String(issue).trim()}`);
  const suggestion = text_in(value, "suggestion");
  const found = [...issues, ...(suggestion === "" ? [] : [`Suggestion: ${suggestion}`])];
  return found.length === 0 ? why : `${why}\n${passed_on(found.join("\n"))}`;
}
