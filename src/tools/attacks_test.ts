import assert from "node:assert/strict";
import { installed } from "../../tests/support/installed.ts";
import { probe } from "../sandbox/kernel/probe.ts";
import { type Attempts, KEY, MEETINGS, meetings, OUTSIDE } from "./_attacks.ts";

/** The key in hamr's own environment. */
const SECRET = "hamr-test-secret-key";
const sandboxed = probe().kind === "linux";
const python = installed("python3");

/** Runs attacks in a program of their own, and judges what is outside afterwards. */
async function attack(name: "paths" | "race", sandbox: "auto" | "off"): Promise<Attempts> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "attacks-" }));
  try {
    const program = new URL("./_attacks.ts", import.meta.url).pathname;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", program, name, sandbox, root],
      env: { HAMR_API_KEY: SECRET },
    }).output();
    const text = new TextDecoder();
    const made = JSON.parse(text.decode(stdout) || text.decode(stderr)) as Attempts;
    const names = (path: string) =>
      [...Deno.readDirSync(`${root}/${path}`)].map((entry) => entry.name).sort();
    assert.deepEqual(names("outside"), ["keys", "old"]);
    assert.deepEqual(names("outside/keys"), ["key"]);
    assert.deepEqual(names("home"), []);
    assert.equal(Deno.readTextFileSync(`${root}/outside/old`), OUTSIDE);
    const told = made.filter(({ text }) => text.includes(KEY) || text.includes(SECRET));
    assert.deepEqual(told.map(({ tool, path }) => `${tool} ${path.slice(0, 80)}`), []);
    return made;
  } finally {
    // Where it failed, something may still be at work there, and what failed is to be seen.
    new Deno.Command("rm", { args: ["-rf", root], stderr: "null" }).outputSync();
  }
}

for (const sandbox of ["auto", "off"] as const) {
  const by = sandbox === "auto" ? "with the kernel" : "and where no kernel helps";
  Deno.test({
    name: `no path leads the file tools out of the workspace, nor to what is denied, ${by}`,
    ignore: sandbox === "auto" && !sandboxed,
    fn: async () => {
      const made = await attack("paths", sandbox);
      assert.ok(made.length > 100);
      const plain = made.filter(({ path }) => path.startsWith("../outside/"));
      assert.deepEqual(plain.filter(({ ok }) => ok), []);
      for (const { path, ok, text } of made) {
        // Those are names like any other: of something in the workspace, or of nothing.
        if (!ok) assert.match(text, /^Error: [^\n]*\S/, path.slice(0, 80));
      }
    },
  });
}

Deno.test({
  name: "folders that turn into links while a file tool is on its way lead it nowhere (2 s)" +
    (python ? "" : " (python3 not installed)"),
  ignore: !sandboxed || !python,
  fn: async () => {
    const made = await attack("race", "auto");
    // The tools met both the folder and the link, so it was a race.
    const met = meetings(made);
    assert.ok(Math.min(...met) > MEETINGS, `writes and reads, got through and refused: ${met}`);
  },
});
