import { strictEqual } from "node:assert/strict";
import { num_ctx_of } from "./window.ts";

type Wish = Parameters<typeof num_ctx_of>[0];

const WISH: Wish = {
  set: undefined,
  loaded: undefined,
  task: "",
  max_output_tokens: 4096,
  max_num_ctx: 32_768,
};

/** What is wished for, what the model can hold, and what Ollama is asked for. */
const CASES: readonly (readonly [Partial<Wish>, number | undefined, number])[] = [
  [{}, undefined, 24_576],
  [{ max_output_tokens: 0 }, undefined, 20_480],
  [{ task: "x".repeat(20_000) }, undefined, 32_768],
  [{ task: "x".repeat(200_000) }, undefined, 32_768],
  [{ task: "x".repeat(200_000), max_num_ctx: 0 }, undefined, 77_824],
  [{ task: "x".repeat(200_000), max_num_ctx: 0 }, 40_960, 40_960],
  [{ task: "語".repeat(10_000), max_num_ctx: 0 }, undefined, 36_864],
  [{ task: "🌟".repeat(10_000), max_num_ctx: 0 }, undefined, 36_864],
  [{}, 8192, 8192],
  // Loading takes long: what is loaded stays where it is enough, or all there is.
  [{ loaded: 4096 }, undefined, 24_576],
  [{ loaded: 11_691 }, undefined, 24_576],
  [{ loaded: 11_692 }, undefined, 11_692],
  [{ loaded: 65_536 }, 131_072, 65_536],
  [{ loaded: 8192 }, 8192, 8192],
  // What is set counts, whatever is known.
  [{ set: 2048, loaded: 65_536 }, 131_072, 2048],
  [{ set: 200_000 }, 131_072, 200_000],
];

Deno.test("num_ctx_of() asks for what a task needs, within what the model and the memory hold", () => {
  for (const [wish, limit, expected] of CASES) {
    strictEqual(
      num_ctx_of({ ...WISH, ...wish }, limit),
      expected,
      JSON.stringify([wish, limit]).slice(0, 99),
    );
  }
});
