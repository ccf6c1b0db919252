import { why } from "../config/paths.ts";

/** Why a run can end before it begins. */
export type EarlyReason = "config_error" | "auth_error" | "user_interrupt";

/** A run cannot start: no model, no sandbox, a permission that cannot be given. The message may have several lines. */
export class StartError extends Error {
  override readonly name = "StartError";

  /** `reason`: what becomes of the run, and so its exit code. */
  constructor(message: string, readonly reason: EarlyReason = "config_error") {
    super(message);
  }
}

/** No temporary folder can be made. */
export function no_folder(error: unknown): StartError {
  return new StartError(
    `can't create a temporary folder: ${why(error)}; set TMPDIR to a writable folder`,
  );
}
