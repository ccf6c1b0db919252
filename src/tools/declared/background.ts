import type { Tool } from "../tool.ts";
import { MOST_SECONDS } from "./bash.ts";

/** What a call of `bash` gives that is about a command in the background. */
export interface BackgroundArgs {
  /** What `bash` called it. */
  readonly id: string;
  /** Seconds to wait for its end. */
  readonly timeout?: number;
  readonly end?: boolean;
}

/** Not offered: what `bash` does where it is given an `id`, as the result that names the id says. */
export const background: Tool<BackgroundArgs> = {
  name: "background",
  description: "Read on what a background command prints, or end it.",
  parameters: {
    type: "object",
    properties: {
      id: { type: "string" },
      timeout: { type: "number", minimum: 1, maximum: MOST_SECONDS },
      end: { type: "boolean" },
    },
    required: ["id"],
  },
  read_only: false,
  offered: "never",
  summary: ({ id, end }) => end === true ? `end ${id}` : id,
};
