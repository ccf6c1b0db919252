/** The tools worker is lost or could not be started, or what it must keep is not kept; the run cannot go on. */
export class ToolsError extends Error {
  constructor(
    message: string,
    readonly cause_of_end: "config_error" | "internal_error" | "policy_violation",
  ) {
    super(message);
  }
}

/** The call could not be done; the message says why and what to do instead. */
export class ToolFailure extends Error {}

/** The policy does not allow it; the message names the flag that would. */
export class Refusal extends Error {
  /** `flag`: that flag, where it may be offered. */
  constructor(message: string, readonly flag?: string) {
    super(message);
  }
}
