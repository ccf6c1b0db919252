import type { Tool } from "../tool.ts";

/** What a call of `view_image` gives. */
export interface ViewImageArgs {
  readonly path: string;
}

/** Shows an image to a model that can see. */
export const view_image: Tool<ViewImageArgs> = {
  name: "view_image",
  description: "Look at an image file (PNG, JPEG, GIF, WebP).",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
  read_only: true,
  offered: "usually",
  needs: "sight",
  summary: ({ path }) => path,
};
