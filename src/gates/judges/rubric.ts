import { type Judge, MATERIAL, type Opinion, passed_on, read_opinion, text_in } from "./judge.ts";

const SYSTEM =
  `You grade the work of a coding agent against a rubric that the user has written: it says what done looks like.
${MATERIAL}
Answer with one JSON object and nothing else:
{"verdict": "satisfied" or "needs_revision" or "failed", "feedback": "what is missing, point by point"}
satisfied: the evidence shows that every point of the rubric holds. needs_revision: a point does not hold, or nothing shows that it does, and the agent can fix that. failed: a point cannot be met by more work.`;

/** A grader that did not do the work holds it to the user's `rubric`. */
export function rubric(text: string): Judge {
  return {
    name: "rubric",
    system: SYSTEM,
    rubric: text,
    read: (reply) => read_opinion(reply, accept),
  };
}

function accept(value: unknown): Opinion | null {
  // Small models write "Satisfied", and "needs revision".
  const verdict = text_in(value, "verdict").toLowerCase().replace(/[\s-]+/g, "_");
  const feedback = passed_on(text_in(value, "feedback"));
  const because = feedback === "" ? "The grader gave no reason." : feedback;
  switch (verdict) {
    case "satisfied":
      return { kind: "holds", verdict };
    case "needs_revision":
      return { kind: "lacks", verdict, text: `The rubric is not met.\n${because}`, fixable: true };
    case "failed":
      return {
        kind: "lacks",
        verdict,
        text: `The rubric is not met, and the grader sees no way to meet it.\n${because}`,
        fixable: false,
      };
    default:
      return null;
  }
}
