/** The transcripts of one kind as one test, a step each. */
import { each } from "../support/hamr.ts";
import { installed } from "../support/installed.ts";
import { is_for_gates, judge } from "./judged.ts";
import { type Half, play, type Transcript } from "./transcript.ts";

/** Three runs at once: a step that waits for its process must not look like a leak of the step beside it. */
const TOGETHER = { sanitizeOps: false, sanitizeResources: false };

/** Plays them, three at once, the first from outside: the others are about what is said and done, not about a process, and of those some about that alone. */
export function kind(
  half: Half,
  name: string,
  transcripts: readonly Transcript[],
  { ignore = false } = {},
): void {
  Deno.test({
    name: `endings, ${half}, ${name}`,
    ignore,
    ...TOGETHER,
    fn: async (t) => {
      await each(transcripts, (transcript, n) =>
        t.step({
          name: `${transcript.name} (${transcript.language})`,
          ignore: transcript.needs !== undefined && !installed(transcript.needs),
          ...TOGETHER,
          sanitizeExit: false,
          fn: () =>
            half === "dishonest" && n > 0 && is_for_gates(transcript)
              ? judge(transcript)
              : play(transcript, { half, inside: n > 0 }),
        }));
    },
  });
}
