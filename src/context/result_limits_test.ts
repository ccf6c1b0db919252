import assert from "node:assert/strict";
import { result_limits } from "./result_limits.ts";

Deno.test("results leave room: by tool, by window, and by what the user has set", () => {
  const cases: [number, number, [number, number, number]][] = [
    // bytes set, window; of any result, of bash, of read
    [51_200, 131_072, [51_200, 10_000, 16_000]],
    [51_200, 32_768, [32_768, 10_000, 16_000]],
    [51_200, 32_767, [32_767, 10_000, 13_104]],
    [51_200, 8192, [8192, 3276, 3276]],
    [51_200, 20_000, [20_000, 8000, 8000]],
    [12_000, 131_072, [12_000, 10_000, 12_000]],
    [1000, 8192, [1000, 1000, 1000]],
    [60_000, 131_072, [60_000, 60_000, 60_000]],
    [60_000, 8192, [8192, 8192, 8192]],
    [0, 131_072, [131_072, 131_072, 131_072]],
  ];
  for (const [bytes, window, expected] of cases) {
    const limits = result_limits({ lines: 2000, bytes }, window);
    assert.equal(limits.lines, 2000);
    const { bash_bytes, read_bytes } = limits;
    assert.deepEqual([limits.bytes, bash_bytes, read_bytes], expected, `${bytes} of ${window}`);
  }
  assert.equal(result_limits({ lines: 0, bytes: 0 }, 8192).lines, Number.MAX_SAFE_INTEGER);
});
