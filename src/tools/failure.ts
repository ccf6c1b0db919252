/** The tools worker is lost or could not be started; the run cannot go on. */
export class HatchError extends Error {
  constructor(message: string, readonly cause_of_end: "config_error" | "internal_error") {
    super(message);
  }
}
