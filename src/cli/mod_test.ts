import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { main } from "./mod.ts";
import { VERSION } from "./args/commands.ts";

async function run(argv: string[], environ: Record<string, string> = {}) {
  const seen = { code: 0, out: "", err: "" };
  seen.code = await main(argv, {
    out: (text) => void (seen.out += text),
    err: (text) => void (seen.err += text),
    env: (name) => environ[name],
    environ: () => environ,
  });
  return seen;
}

Deno.test("main() answers --version and help on standard output", async () => {
  deepStrictEqual(await run(["--version"]), { code: 0, out: `hamr ${VERSION}\n`, err: "" });
  for (const args of [["--version", "--json"], ["version", "--output", "json"]]) {
    const { code, out } = await run(args);
    strictEqual(code, 0);
    const { type, version, deno } = JSON.parse(out);
    deepStrictEqual([type, version, deno], ["version", VERSION, Deno.version.deno]);
  }
  const pages = await Promise.all(
    [["run", "--help"], ["help", "run"], ["run", "-h", "--bogus"]].map((argv) => run(argv)),
  );
  for (const page of pages) deepStrictEqual(page, pages[0]);
  strictEqual(pages[0]?.code, 0);
  match(pages[0]?.out ?? "", /^hamr run: /);
});

Deno.test("main() without arguments prints the help, also for hamr | less", async () => {
  deepStrictEqual(await run([]), await run(["--help"]));
});

Deno.test("main() meets a bad flag and a bad setting with one line and 3", async () => {
  deepStrictEqual(await run(["rnu", "x"]), {
    code: 3,
    out: "",
    err: 'hamr: unknown command "rnu"; did you mean run?\n',
  });
  const { code, out, err } = await run(["config", "show"], { HAMR_AGENT_MODE: "x" });
  deepStrictEqual([code, out], [3, ""]);
  match(err, /^hamr: HAMR_AGENT_MODE: must be [^\n]*\n$/);
});

Deno.test("main() owes a reader of JSON a result even for a bad flag", async () => {
  for (const format of ["json", "jsonl"]) {
    const { code, out, err } = await run(["run", "--output", format, "--bogus", "x"]);
    strictEqual(code, 3);
    strictEqual(err, 'hamr: unknown flag --bogus; see "hamr run --help"\n');
    const lines = out.trimEnd().split("\n");
    const result = JSON.parse(format === "json" ? out : lines.at(-1) ?? "");
    deepStrictEqual([result.type, result.stop_reason, result.exit_code], [
      "result",
      "config_error",
      3,
    ]);
  }
});

Deno.test("VERSION is the one of deno.json", () => {
  const text = Deno.readTextFileSync(new URL("../../deno.json", import.meta.url));
  strictEqual(JSON.parse(text).version, VERSION);
});
