import { one_line } from "../../config/text.ts";

/** Arguments that can't be used: exit 3. The message is one line, with the nearest valid spelling. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(one_line(message));
  }
}
