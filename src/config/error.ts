/** Errors that the user has to fix. */
import { one_line } from "./text.ts";

/** Why a run can end before it begins. */
export type EarlyReason = "config_error" | "auth_error" | "user_interrupt";

/** A run cannot start: no model, no sandbox, a permission that cannot be given. The message may have several lines. */
export class StartError extends Error {
  override readonly name = "StartError";

  /** `reason`: the stop reason, which decides the exit code. */
  constructor(message: string, readonly reason: EarlyReason = "config_error") {
    super(message);
  }
}

/** A setting, file or place that can't be used: exit 3, nothing was started. The message is one line: where, what is wrong, what is allowed. */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";

  constructor(message: string) {
    super(one_line(message));
  }
}

/** Arguments that can't be used, with the nearest valid spelling. */
export class UsageError extends ConfigError {
  override readonly name = "UsageError";
}

/** Standard output can't be written. */
export class OutputError extends Error {}
