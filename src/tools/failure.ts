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

/** The path leads to nothing that the call could change: no such file, a folder, or a text that is already as it was to be. */
export class NothingToChange extends ToolFailure {}

/** The policy does not allow it; the message names the flag that would. */
export class Refusal extends Error {
  /** `flag`: that flag, where it may be offered. `scratch`: it was in a folder for temporary files, where it is no one's work. */
  constructor(message: string, readonly flag?: string, readonly scratch = false) {
    super(message);
  }
}
