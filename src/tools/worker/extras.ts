/** What only some runs need of the tools worker. Loaded before its thread is restricted: a module is a file. */
import { lazy } from "../../lazy.ts";
import type { ToWorker } from "../protocol.ts";

type Extras = Pick<Extract<ToWorker, { kind: "policy" }>, "hooks" | "undo" | "mcp">;

/** Modules; null for what is not asked for. */
export async function load_extras({ hooks, undo, mcp }: Extras) {
  return {
    hooks: hooks === null
      ? null
      : await lazy<typeof import("../hooks/hooks.ts")>("../hooks/hooks.ts", import.meta.url),
    undo: undo
      ? await lazy<typeof import("../../changes/put_back.ts")>(
        "../../changes/put_back.ts",
        import.meta.url,
      )
      : null,
    mcp: mcp
      ? await lazy<typeof import("../mcp/pipes.ts")>("../mcp/pipes.ts", import.meta.url)
      : null,
  };
}
