/** What the sandbox costs, each figure beside the same without it. */
import { fileURLToPath } from "node:url";
import { type Figure, median } from "./figures.ts";

/** Commands in one measurement of the sandbox, and how often that is made. */
const COMMANDS = 60;
const SANDBOX_ROUNDS = 5;

/** Limits of the sandbox, the same wherever it runs. */
const LIMIT = { command: 1.5, apply_ms: 15 };

/** What the default policy costs a command, and what it takes to set it up; the binary has the same code. */
export async function sandbox_figures(): Promise<Figure[]> {
  const measure = async (sandbox: "auto" | "off") => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        fileURLToPath(new URL("sandbox.ts", import.meta.url)),
        sandbox,
        String(COMMANDS),
      ],
      stderr: "inherit",
    }).output();
    return JSON.parse(new TextDecoder().decode(stdout)) as {
      readonly apply_ms: number;
      readonly times: readonly number[];
    };
  };
  const inside: number[] = [];
  const outside: number[] = [];
  const set_up: number[] = [];
  for (let i = 0; i < SANDBOX_ROUNDS; i++) {
    const one = await measure("auto");
    inside.push(...one.times);
    set_up.push(one.apply_ms);
    outside.push(...(await measure("off")).times);
  }
  return [{
    what: "bash true under the default policy / without a sandbox",
    measured: median(inside),
    baseline: median(outside),
    unit: "ms",
    limit: LIMIT.command,
  }, {
    what: "setting the default policy up",
    measured: median(set_up),
    baseline: null,
    unit: "ms",
    limit: LIMIT.apply_ms,
  }];
}
