/** What becomes of images where the model can't see. */
import { without_images } from "../context/clean.ts";
import type { ModelError } from "../model/errors.ts";
import type { ToolResult } from "../tools/tool.ts";
import { images_of } from "./history.ts";
import type { Session } from "./session.ts";

/** In the place of an image that the model does not get. */
const UNSEEN = "[the image is not shown: this model can't see images]";

/** Whether the model can see, for all that is known: where nobody says, it is tried. */
export function may_see(
  { endpoint, state }: {
    readonly endpoint: Pick<Session["endpoint"], "sees">;
    readonly state: Pick<Session["state"], "blind">;
  },
): boolean {
  return endpoint.sees !== false && !state.blind;
}

/** A tool's result as the model gets it. */
export function as_seen(session: Session, result: ToolResult): ToolResult {
  const { images, ...rest } = result;
  if (images === undefined || may_see(session)) return result;
  return {
    ...rest,
    ok: false,
    text: `${result.text}\n${UNSEEN}`,
    summary: "the model can't see images",
  };
}

/**
 * The server takes no images: from now on the model gets words in their place. False where none were sent, so that the error is
 * about something else.
 */
export function go_blind({ history, state, emit }: Session, error: ModelError): boolean {
  if (!history.messages.some((message) => images_of(message).length > 0)) return false;
  state.blind = true;
  history.rewrite((message) => without_images(message, UNSEEN));
  history.seal();
  emit({ type: "warning", message: `images are not sent any more: ${error.message}` });
  return true;
}
