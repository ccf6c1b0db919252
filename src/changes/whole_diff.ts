import type { FileChange } from "./turn_diff.ts";
import { type Sides, unified_diff, without_content } from "./unified_diff.ts";

/** Of one file, and of all files together: what takes longer to compare is shown as rewritten, which takes no time. */
const DIFF_MS = 1000;
const ALL_MS = 5000;

/**
 * The unified diff of all `files`, in at most about `chars` characters: where that is not enough, a long diff is cut
 * in favour of the short ones, and says so. Each file is named.
 */
export async function whole_diff(
  files: readonly FileChange[],
  options: {
    readonly chars: number;
    readonly sides: (path: string) => Sides;
    /** Whether the content is for the model. */
    readonly shown: (path: string) => boolean;
  },
): Promise<string> {
  const deadline = performance.now() + ALL_MS;
  const parts: { readonly path: string; readonly head: string; readonly body: string }[] = [];
  for (const { path, status } of files) {
    const ms = Math.max(0, Math.min(DIFF_MS, deadline - performance.now()));
    const sides = options.sides(path);
    const body = options.shown(path)
      ? (await unified_diff(path, { ...sides, ms })).text
      : without_content(path, sides, "[its content is not shown]");
    parts.push({ path, head: `${status} ${printable(path)}`, body });
  }
  let left = options.chars - parts.reduce((sum, { head }) => sum + head.length + 1, 0);
  const shown = new Map<string, string>();
  const shortest_first = parts.toSorted((a, b) => a.body.length - b.body.length);
  for (const [at, { path, body }] of shortest_first.entries()) {
    const cut = cut_to(body, Math.max(0, Math.floor(left / (parts.length - at))));
    shown.set(path, cut);
    left -= cut.length;
  }
  return parts.map(({ path, head }) => `${head}\n${shown.get(path)}`).join("").trimEnd();
}

/** Whole lines of the beginning. */
function cut_to(text: string, chars: number): string {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  if (whole.length <= chars) return whole;
  const kept = whole.slice(0, whole.lastIndexOf("\n", chars) + 1);
  return `${kept}[cut here]\n`;
}

/** A line break in a name would make a line of the diff. */
function printable(path: string): string {
  return path.replace(/\p{Cc}/gu, "?");
}
