import { plural } from "../../config/text.ts";
import type { Tool } from "../tool.ts";

/** More is not a list to work by, and each call of it is part of every later request. */
const MOST_ITEMS = 50;
const MOST_CHARS = 500;

/** One line of the model's own list. */
export interface TodoItem {
  /** What is to be done. */
  readonly text: string;
  /** How far it is. */
  readonly status: "pending" | "in_progress" | "completed";
}

/** What a call of `todo` gives: the whole list. */
export interface TodoArgs {
  readonly items: readonly TodoItem[];
}

/** The model's own list, shown to the user. */
export const todo: Tool<TodoArgs> = {
  name: "todo",
  description: "Keep a list of steps for a longer task, shown to the user. Give the whole list.",
  parameters: {
    type: "object",
    properties: {
      items: {
        type: "array",
        maxItems: MOST_ITEMS,
        items: {
          type: "object",
          properties: {
            text: { type: "string", minLength: 1, maxLength: MOST_CHARS },
            status: { type: "string", enum: ["pending", "in_progress", "completed"] },
          },
          required: ["text", "status"],
        },
      },
    },
    required: ["items"],
  },
  read_only: false,
  offered: "deferrable",
  agent_level: true,
  summary: ({ items }) => `${plural(items.length, "item")}, ${completed(items)} completed`,
};

/** How many of these are done. */
export function completed(items: readonly TodoItem[]): number {
  return items.filter(({ status }) => status === "completed").length;
}
