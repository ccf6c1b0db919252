import type { Tool } from "../tool.ts";

/** A person looks at no more. */
const MOST_CHOICES = 4;
const MOST_CHARS = 1000;

/** What a call of `clarify` gives. */
export interface ClarifyArgs {
  readonly question: string;
  readonly choices?: readonly string[];
}

/** Asks the person. Offered where somebody can answer. */
export const clarify: Tool<ClarifyArgs> = {
  name: "clarify",
  description: "Ask the user what only they know. They pick a choice, or say something else.",
  parameters: {
    type: "object",
    properties: {
      question: { type: "string", maxLength: MOST_CHARS },
      choices: { type: "array", maxItems: MOST_CHOICES, items: { type: "string" } },
    },
    required: ["question"],
  },
  read_only: false,
  offered: "deferrable",
  agent_level: true,
  needs: "person",
  summary: ({ question }) => question,
};
