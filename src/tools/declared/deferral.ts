/** Which tools the first request leaves out. */
import type { Tool } from "../tool.ts";

/** Tokens of a window below which a schema that may never be used takes too much of it (issue on local models: 32k). */
const SMALL_WINDOW = 32_768;

/** Whether a tool may be left out of requests. */
export function is_deferrable({ offered }: Pick<Tool<unknown>, "offered">): boolean {
  return offered === "by_default" || offered === "in_large_windows";
}

export interface Deferral {
  readonly setting: "auto" | "all" | "none" | readonly string[];
  readonly context_window: number;
}

/** Whether a tool that may be is left out of requests until the model looks for it. */
export function is_deferred(
  { name, offered }: Pick<Tool<unknown>, "name" | "offered">,
  { setting, context_window }: Deferral,
): boolean {
  switch (setting) {
    case "auto":
      return offered === "in_large_windows" && context_window < SMALL_WINDOW;
    case "all":
      return true;
    case "none":
      return false;
    default:
      return setting.includes(name);
  }
}
