import { ToolFailure } from "../failure.ts";
import { fit_image, MOST_FILE_BYTES } from "../image/fit_image.ts";
import { runner } from "./runner.ts";
import type { ViewImageArgs } from "../declared/machine_tools.ts";

export const run_view_image = runner<ViewImageArgs>(async ({ path }, { files, signal }) => {
  const full = files.locate(path);
  const { bytes } = files.read(full, MOST_FILE_BYTES);
  try {
    const { image, words } = await fit_image(bytes, signal);
    return {
      ok: true,
      text: `${files.shown(full)}: ${words}`,
      summary: words,
      images: [image],
    };
  } catch (error) {
    if (error instanceof ToolFailure) {
      throw new ToolFailure(`${files.shown(full)} ${error.message}`);
    }
    throw error;
  }
});
