import { plural } from "../../config/text.ts";
import type { Tool } from "../tool.ts";

/** What a call of `write` gives. */
export interface WriteArgs {
  readonly path: string;
  readonly content: string;
}

/** A new text file; an existing one only after it was read, so that nothing unseen is lost. */
export const write: Tool<WriteArgs> = {
  name: "write",
  description: "Write a text file, creating folders. An existing file must have been read before.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
  },
  read_only: false,
  changes: "path",
  offered: "always",
  summary: ({ path, content }) => {
    const count = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    return `${path} (${plural(count, "line")})`;
  },
};
