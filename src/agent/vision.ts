/** Handles images if the model can't see them. */
import { without_images } from "../context/clean.ts";
import type { ModelError } from "../model/errors.ts";
import type { Image } from "../model/message.ts";
import type { ToolResult } from "../tools/tool.ts";
import { images_of, without_tag } from "./history.ts";
import type { Session } from "./session.ts";

const UNSEEN = "the image is not shown: this model can't see images";

/** Whether the model can see, for all that is known: where nobody says, it is tried. */
export function may_see({ endpoint, state }: {
  endpoint: Pick<Session["endpoint"], "sees">;
  state: Pick<Session["state"], "vision">;
}): boolean {
  return endpoint.sees !== false && !state.vision.blind;
}

export async function as_seen(
  session: Session,
  result: ToolResult,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { images, ...rest } = result;
  if (images === undefined || may_see(session)) return result;
  const { note, all } = await in_words(session, images, signal);
  return {
    ...rest,
    ok: all,
    text: `${result.text}\n${note(images)}`,
    summary: all ? `${result.summary}, described` : "the model can't see images",
  };
}

/** The task as the model gets it, with what `--image` shows. */
export async function task_seen(
  session: Session,
  { task, images, signal }: { task: string; images: readonly Image[]; signal: AbortSignal },
): Promise<{ readonly content: string; readonly images?: readonly Image[] }> {
  if (may_see(session)) return { content: task, images };
  const { note } = await in_words(session, images, signal);
  return { content: `${task}\n${note(images)}` };
}

/** The server takes no images: the model gets words instead from now on. False if no image was sent, so the error is another one. */
export async function go_blind(
  session: Session,
  error: ModelError,
  signal: AbortSignal,
): Promise<boolean> {
  const { history, state, emit } = session;
  if (!history.shows_images) return false;
  state.vision.blind = true;
  emit({ type: "warning", message: `no more images are sent: ${error.message}` });
  const { note } = await in_words(session, history.messages.flatMap(images_of), signal);
  history.rewrite((message) => without_images(message, note(images_of(message))));
  history.seal();
  return true;
}

interface InWords {
  readonly note: (images: readonly Image[]) => string;
  readonly all: boolean;
}

async function in_words(
  session: Session,
  images: readonly Image[],
  signal: AbortSignal,
): Promise<InWords> {
  if (!session.describes) return { note: () => unseen(null), all: false };
  const { describe_images } = await import("./describe.ts");
  const { words, why } = await describe_images(session, images, signal);
  const note = (shown: readonly Image[]) => {
    if (!shown.some(({ data }) => words.has(data))) return unseen(why);
    const texts = shown.map(({ data }) => words.get(data) ?? unseen(why));
    if (texts.length === 1) return texts.join("");
    return texts.map((text, at) => `Image ${at + 1} of ${texts.length}:\n${text}`).join("\n");
  };
  return { note, all: why === null };
}

/** In the place of images that nobody has described; `why`, where someone should have. */
function unseen(why: string | null): string {
  if (why === null) return `[${UNSEEN}]`;
  return `[${UNSEEN}, and the model that describes them could not be asked: ${without_tag(why)}]`;
}
