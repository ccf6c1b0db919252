/** Each command of the table in docs/permissions.md, in a real run: what becomes of it is what the table says. */
import assert from "node:assert/strict";
import { EVERYDAY, type Everyday, table } from "./support/everyday.ts";
import { formatted } from "../scripts/guards_doc/format.ts";
import { stage, steps, tools } from "./support/stage.ts";

/** Runs side by side; each is one model's run of a part of the table. */
const RUNS = 3;
const PAGE = new URL("../docs/permissions.md", import.meta.url);
/** What of the user's home rustup's programs want. */
const env = { RUSTUP_HOME: Deno.env.get("RUSTUP_HOME") ?? `${Deno.env.get("HOME")}/.rustup` };

/** Why a row can't be tried here; null if it can. */
function lacks({ needs, not_as_root }: Everyday): string | null {
  if (Deno.build.os !== "linux") return "Linux is not what runs here";
  if (not_as_root && Deno.uid() === 0) return "root is who runs this";
  const absent = needs.filter((name) => !on_path(name));
  return absent.length > 0 ? `${absent.join(", ")}: not installed` : null;
}

function on_path(name: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${name}`).isFile;
    } catch {
      return false;
    }
  });
}

/** What the model was told of each row, with a server and a socket outside that the run did not make. */
async function told(rows: readonly Everyday[], flags: readonly string[]): Promise<string[]> {
  let script = steps();
  return await stage({
    env,
    script: (request, n) => typeof script === "function" ? script(request, n) : script[n]!,
  }, async (s) => {
    const docker = Deno.serve(
      { path: s.outside.at("docker.sock"), onListen: () => {} },
      () => Response.json([], { headers: { "Api-Version": "1.51" } }),
    );
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(""),
    );
    const filled = (text: string) =>
      text.replaceAll("{OUT}", s.outside.path).replaceAll("{PORT}", `${server.addr.port}`);
    script = steps(...rows.map(({ run }, n): [string, { command: string }] => [
      "bash",
      { command: run.startsWith("git push") ? run : `mkdir w${n} && cd w${n}\n${filled(run)}` },
    ]));
    try {
      return [...(await tools(s, ...flags.map(filled))).texts];
    } finally {
      await Promise.all([docker.shutdown(), server.shutdown()]);
    }
  });
}

/** What is wrong with what was told of a row; null if it is as the table says. */
function fault({ name, refused }: Everyday, text: string, flags: readonly string[]): string | null {
  const failed = /^\[(?:exit code|ended)/m.test(text);
  if (refused === undefined || flags.length > 0) {
    return failed || /^\[the sandbox/m.test(text) ? `${name} ${flags.join(" ")}\n${text}` : null;
  }
  return refused.test(text) ? null : `${name}: expected ${refused}\n${text}`;
}

Deno.test("the table of what works is the one that is tested", async () => {
  const page = Deno.readTextFileSync(PAGE);
  const wanted = await formatted(`${table()}\n`);
  assert.ok(page.includes(wanted), "run: deno task docs");
  assert.ok(EVERYDAY.length >= 40);
});

const absent = EVERYDAY.flatMap((row) => {
  const why = lacks(row);
  return why === null ? [] : [`${row.name} (${why})`];
});
const here = EVERYDAY.filter((row) => lacks(row) === null);

for (const name of absent) {
  Deno.test({ name: `NOT TESTED HERE: ${name}`, ignore: true, fn: () => {} });
}

Deno.test({
  name: `${here.length} everyday commands do in the sandbox what the table says`,
  ignore: here.length === 0,
  fn: async () => {
    const parts = Array.from({ length: RUNS }, (_, n) => ({
      rows: here.filter((_, at) => at % RUNS === n),
      flags: [] as readonly string[],
    }));
    const flagged = here.flatMap((row) =>
      row.flags === undefined ? [] : [{ rows: [row], flags: row.flags }]
    );
    const faults: (string | null)[] = [];
    const queue = [...parts, ...flagged];
    const work = async () => {
      for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
        const { rows, flags } = part;
        const texts = await told(rows, flags);
        assert.equal(texts.length, rows.length);
        faults.push(...rows.map((row, n) => fault(row, texts[n] ?? "", flags)));
      }
    };
    await Promise.all(Array.from({ length: RUNS }, work));
    assert.deepEqual(faults.filter((one) => one !== null), []);
  },
});
