import type { Tool } from "../tool.ts";

/** What a call of `apply_patch` gives. */
export interface ApplyPatchArgs {
  /** From `*** Begin Patch` to `*** End Patch`. */
  readonly input: string;
  /** Its paths begin there; default: the workspace. */
  readonly workdir?: string;
}

/** Not offered: for models that were taught to change files by patches, and do so whatever they are offered. */
export const apply_patch: Tool<ApplyPatchArgs> = {
  name: "apply_patch",
  description: "Change files by a patch from *** Begin Patch to *** End Patch.",
  parameters: {
    type: "object",
    properties: { input: { type: "string" }, workdir: { type: "string" } },
    required: ["input"],
  },
  read_only: false,
  changes: "patch",
  offered: "never",
  summary: ({ input }) =>
    [...input.matchAll(/^\*\*\* (?:Add|Update|Delete) File: *(.+?)\s*$/gm)].map(([, path]) => path)
      .join(", "),
};
