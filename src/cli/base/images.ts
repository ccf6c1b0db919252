import { or_throw } from "../../config/attempt.ts";
import { read_named } from "../../app/named_file.ts";
import type { RunSettings } from "../../app/settings.ts";
import { why } from "../../config/paths.ts";
import type { Image } from "../../model/message.ts";
import { ToolFailure } from "../../tools/failure.ts";
import { fit_image, MOST_FILE_BYTES } from "../../tools/image/fit_image.ts";
import { UsageError } from "../../config/error.ts";

/** They take about 20,000 tokens, with up to 20 MB in every request; nobody looks at more at once. */
export const MOST_IMAGES = 20;

/** The images of `--image FILE`, from the current folder. Throws `UsageError` if there are too many, or as `read_image` does. */
export async function read_images(
  paths: readonly string[],
  place: RunSettings,
): Promise<readonly Image[]> {
  if (paths.length > MOST_IMAGES) {
    throw new UsageError(`--image: ${paths.length} images, more than ${MOST_IMAGES}`);
  }
  const images: Image[] = [];
  for (const path of paths) {
    try {
      images.push(await read_image(path, place));
    } catch (error) {
      throw error instanceof UsageError ? new UsageError(`--image ${error.message}`) : error;
    }
  }
  return images;
}

/** One of them. Throws `UsageError` if it is missing, no image, too large, or a pipe. */
export async function read_image(path: string, place: RunSettings): Promise<Image> {
  const refuse = (words: string) => new UsageError(`${path}: ${words}`);
  const most = MOST_FILE_BYTES;
  const bytes = or_throw(() => read_named(path, { most, place }), (error) => refuse(why(error)));
  try {
    return (await fit_image(bytes, new AbortController().signal)).image;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw refuse(`it ${error.message}`);
  }
}
