import { one_line } from "./text.ts";

/** A setting, file or place that can't be used: exit 3, nothing was started. The message is one line: where, what is wrong, what is allowed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(message: string) {
    super(one_line(message));
  }
}

/** Nobody can read the result. */
export class OutputError extends Error {}
