/** A run cannot start: no model, no sandbox, a permission that cannot be given. Exit 3; the message may have several lines. */
export class StartError extends Error {
  override readonly name = "StartError";
}
