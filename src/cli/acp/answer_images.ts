/** Images in an answer: `![plot](plot.png)` means nothing to an editor, which does not know where the answer was written. */
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { uri_decoded } from "../../config/text.ts";
import { is_inside, real_or_null } from "../../config/paths.ts";
import { read_inside } from "../../sandbox/kernel/read_inside.ts";
import { fit_image, MOST_FILE_BYTES } from "../../tools/image/fit_image.ts";

const MOST_IMAGES = 4;
/** What is shown as it is written. */
const CODE = /^(`{3,}|~{3,})[^]*?^\1[`~]*[ \t]*$|`[^`\n]+`/gm;
const IMAGE = /!\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^\s()<>]+))(?:\s+["'(][^\n]*?)?\s*\)/g;

/** The images of an answer that are files of the workspace, made smaller where needed. Anything else is left to the words. */
export async function answer_images(
  answer: string,
  workspace: string,
): Promise<readonly ContentBlock[]> {
  const names = [...answer.replace(CODE, "").matchAll(IMAGE)]
    .map(([, quoted, plain = ""]) => quoted ?? plain);
  const files = [...new Set(names.flatMap((name) => file_of(name, workspace) ?? []))];
  const found: ContentBlock[] = [];
  for (const file of files.slice(0, MOST_IMAGES)) {
    const bytes = read_inside(file, { folder: workspace, most: MOST_FILE_BYTES });
    if (bytes === null) continue;
    try {
      const { image } = await fit_image(bytes, new AbortController().signal);
      const { media_type: mimeType, data } = image;
      const url = new URL("file:///");
      url.pathname = file.replaceAll("%", "%25");
      found.push({ type: "image", mimeType, data, uri: url.href });
    } catch {
      // It has an image's name, but is not one.
    }
  }
  return found;
}

/** Its real path; null if it is not a file of the workspace. */
function file_of(name: string, workspace: string): string | null {
  const path = name.startsWith("file://") ? name.slice("file://".length) : name;
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return null;
  for (const one of [path, uri_decoded(path)]) {
    const real = real_or_null(one.startsWith("/") ? one : `${workspace}/${one}`);
    if (real !== null && is_inside(real, workspace)) return real;
  }
  return null;
}
