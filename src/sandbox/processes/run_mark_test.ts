import assert from "node:assert/strict";
import { mark_of, NO_DEADLINE } from "./run_mark.ts";

const LEAST = 2n ** 61n;
const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A program that marks itself, says what it then carries and puts before a command, and runs the next one in it. */
const PROGRAM = `
import { linux_libc } from ${here("../kernel/libc.ts")};
import { deadline_command, mark_run } from ${here("./run_mark.ts")};
const libc = linux_libc();
const [timeout, ...inner] = Deno.args;
const mark = mark_run(libc);
if (mark !== null && mark_run(libc) !== mark) throw new Error("marked twice");
const before = deadline_command(libc, Number(timeout));
console.log(JSON.stringify([mark, before], (_, value) => typeof value === "bigint" ? String(value) : value));
if (inner.length > 0) {
  const command = before + 'exec "$0" run -A --quiet --no-check --no-config "$@"';
  const args = ["-c", command, Deno.execPath(), new URL(import.meta.url).pathname, ...inner];
  console.log(new TextDecoder().decode(new Deno.Command("bash", { args }).outputSync().stdout).trim());
}`;

/** What programs inside each other say, each with a time limit for what it starts. */
function nested(timeouts: readonly number[], limit = ":"): [Carried | null, string][] {
  const file = Deno.makeTempFileSync({ suffix: ".ts" });
  try {
    Deno.writeTextFileSync(file, PROGRAM);
    const run = `${limit}; exec "$0" run -A --quiet --no-check --no-config "$@"`;
    const { stdout } = new Deno.Command("bash", {
      args: ["-c", run, Deno.execPath(), file, ...timeouts.map(String)],
    }).outputSync();
    return new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
  } finally {
    Deno.removeSync(file);
  }
}

interface Carried {
  readonly first: string;
  readonly last: string;
}

function is_inside(inner: Carried | null, outer: Carried | null): boolean {
  return BigInt(inner?.first ?? 0) >= BigInt(outer?.first ?? 0) &&
    BigInt(inner?.last ?? 0) < BigInt(outer?.last ?? 0);
}

Deno.test({
  name: "a run in a run has a mark of its own among those of the other; a third has none",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const [[one], [two], [three]] = nested([0, 0, 0]) as [
      [Carried, string],
      [Carried, string],
      [null, string],
    ];
    assert.ok(BigInt(one.first) >= LEAST && BigInt(one.last) < 2n * LEAST);
    assert.ok(is_inside(two, one), JSON.stringify([one, two]));
    assert.equal(two.first, two.last);
    assert.equal(three, null);
    const [[other]] = nested([0]) as [[Carried, string]];
    assert.ok(!is_inside(two, other) && other.last !== one.last);
  },
});

Deno.test({
  name: "what a command starts has its deadline, and no later one",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const deadline = (text: string) => Number(/^ulimit -Sx (\d+); $/.exec(text)?.[1]);
    const uptime = Number.parseFloat(Deno.readTextFileSync("/proc/uptime"));
    const [[, outer], [, inner]] = nested([50, 500]) as [[Carried, string], [Carried, string]];
    assert.ok(deadline(outer) > uptime + 49 && deadline(outer) < uptime + 90, outer);
    assert.equal(deadline(inner), deadline(outer));
    const [[, first], [, second]] = nested([0, 50]) as [[Carried, string], [Carried, string]];
    assert.equal(first, `ulimit -Sx ${NO_DEADLINE}; `);
    assert.ok(deadline(second) > uptime + 49 && deadline(second) < uptime + 90, second);
  },
});

Deno.test({
  name: "a limit that somebody else has set is no mark, and stays",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    assert.equal(nested([0], "ulimit -x 1000")[0]?.[0], null);
    for (const limit of [0n, 1000n, LEAST - 1n, 2n * LEAST, 2n ** 64n - 1n]) {
      assert.equal(mark_of(limit), null);
    }
  },
});
