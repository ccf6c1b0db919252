import { strictEqual } from "node:assert/strict";
import { is_truncated } from "./check_usage.ts";

interface Case {
  /** Tokens that the server counted. */
  readonly counted: number;
  readonly estimate: number;
  readonly words: number;
  /** Tokens; null: not known. */
  readonly window: number | null;
  /** A later request, after one with so many tokens; absent: the first. */
  readonly after?: number;
  readonly counts_all?: boolean;
  /** Default true. */
  readonly ollama?: boolean;
}

const CASES: Readonly<Record<string, readonly [Case, boolean]>> = {
  // tests/wire/ollama: 6,000 words with a num_ctx of 512, and through /v1 into a window of 2048.
  "chat_truncated": [{ counted: 18, estimate: 7520, words: 6001, window: 512 }, true],
  "v1_truncated": [{ counted: 2048, estimate: 7520, words: 6001, window: 2048 }, true],
  "chat_truncated, window unknown": [
    { counted: 18, estimate: 7520, words: 6001, window: null },
    true,
  ],
  "half a window": [{ counted: 1100, estimate: 2600, words: 1900, window: 2048 }, true],
  "more words than the window": [
    { counted: 1500, estimate: 3000, words: 2100, window: 2048, after: 1400 },
    true,
  ],
  "exactly the window, later": [
    { counted: 8192, estimate: 9000, words: 5000, window: 8192, after: 7000 },
    true,
  ],
  "fewer than before": [
    { counted: 4000, estimate: 7000, words: 5000, window: 8192, after: 7000, counts_all: true },
    true,
  ],
  "nothing was counted": [{ counted: 0, estimate: 7520, words: 6001, window: 512 }, false],
  "all was counted": [{ counted: 6100, estimate: 7520, words: 6001, window: null }, false],
  "a short prompt": [{ counted: 20, estimate: 900, words: 700, window: null }, false],
  "it fits the window": [{ counted: 40, estimate: 7520, words: 6001, window: 32_768 }, false],
  "as many as the window, and no more were sent": [
    { counted: 2048, estimate: 2000, words: 1500, window: 2048 },
    false,
  ],
  "many signs and few words": [{ counted: 2500, estimate: 7520, words: 1600, window: null }, false],
  "another server that pretends to count": [
    { counted: 10, estimate: 7520, words: 6001, window: null, ollama: false },
    false,
  ],
  "another server that counts": [
    { counted: 2048, estimate: 7520, words: 6001, window: null, ollama: false },
    true,
  ],
  "a cache that is not counted": [
    { counted: 40, estimate: 7520, words: 6001, window: 8192, after: 6000 },
    false,
  ],
  "a cache that is not counted, window unknown": [
    { counted: 40, estimate: 7520, words: 6001, window: null, after: 6000 },
    false,
  ],
  "only a reminder fewer": [
    { counted: 6900, estimate: 7000, words: 5000, window: 8192, after: 7000, counts_all: true },
    false,
  ],
  "fewer than before, elsewhere": [
    {
      ...{ counted: 4000, estimate: 7000, words: 5000, window: 8192, after: 7000 },
      counts_all: true,
      ollama: false,
    },
    false,
  ],
};

Deno.test("is_truncated() says so only where there is no doubt", () => {
  for (const [name, [given, expected]] of Object.entries(CASES)) {
    const { counted, estimate, words, window, after, counts_all = false, ollama = true } = given;
    const messages = [{ content: "{}" }, { content: "word ".repeat(words) }];
    const found = is_truncated(counted, {
      sent: { estimate, messages, first: after === undefined },
      window,
      counts: { counted: after ?? 0, counts_all },
      ollama,
    });
    strictEqual(found, expected, name);
  }
});
