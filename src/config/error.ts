import { one_line } from "./text.ts";

/**
 * A setting, a file or a place that can't be used: exit 3, and nothing was started. The message is always
 * one line that names where, what is wrong and what is allowed.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(message: string) {
    super(one_line(message));
  }
}

/** Nobody can read the result. */
export class OutputError extends Error {}
