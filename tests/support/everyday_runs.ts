/** Runs of everyday commands: a scripted model has them run in the sandbox, and what it is told is what the table says. */
import type { Everyday } from "./everyday.ts";
import { as_nobody } from "./nobody.ts";
import { stage, steps } from "./stage.ts";

/** Runs side by side; each is one model's run of a part of the rows. */
const RUNS = 3;
const PATH = Deno.env.get("PATH") ?? "";
const is_root = Deno.build.os === "linux" && Deno.uid() === 0;

/** Rows that share a run. */
interface Part {
  readonly rows: readonly Everyday[];
  readonly flags: readonly string[];
}

/** The programs that a row needs and that no folder of `path` has. */
export function absent({ needs }: Everyday, path = PATH): string[] {
  const there = (file: string) => {
    try {
      return Deno.statSync(file).isFile;
    } catch {
      return false;
    }
  };
  return needs.filter((name) => !path.split(":").some((folder) => there(`${folder}/${name}`)));
}

/** What is wrong with what was told of these rows, whose programs are in `path`: a text each; none if all is as the table says. */
export async function faults(rows: readonly Everyday[], path = PATH): Promise<string[]> {
  const alone = ({ flags, not_as_root }: Everyday) =>
    flags !== undefined || (is_root && not_as_root === true);
  const together = rows.filter((row) => !(is_root && row.not_as_root));
  const queue: Part[] = [
    ...Array.from({ length: RUNS }, (_, n) => ({
      rows: together.filter((_, at) => at % RUNS === n),
      flags: [],
    })),
    ...rows.filter(alone).map((row) => ({ rows: [row], flags: row.flags ?? [] })),
  ];
  const found: (string | null)[] = [];
  const work = async () => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
      const { rows, flags } = part;
      if (rows.length === 0) continue;
      const texts = await told(part, path);
      found.push(...rows.map((row, n) => fault(row, texts[n] ?? "nothing was told", flags)));
    }
  };
  await Promise.all(Array.from({ length: RUNS }, work));
  return found.filter((one) => one !== null);
}

/** What the model was told of each row, with a server and a socket outside that the run did not make. */
async function told({ rows, flags }: Part, path: string): Promise<string[]> {
  let script = steps();
  const env = {
    PATH: path,
    // What of the user's home rustup's programs want.
    RUSTUP_HOME: Deno.env.get("RUSTUP_HOME") ?? `${Deno.env.get("HOME")}/.rustup`,
  };
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
    const who = is_root && rows.some(({ not_as_root }) => not_as_root) ? await as_nobody(s) : {};
    try {
      const task = ["run", "--verify", "true", "--json", ...flags.map(filled), "Do it."];
      await s.hamr(task, who);
      return s.server.results();
    } finally {
      await Promise.all([docker.shutdown(), server.shutdown()]);
    }
  });
}

/** What is wrong with what was told of a row; null if it is as the table says. */
function fault({ name, refused }: Everyday, text: string, flags: readonly string[]): string | null {
  const failed = /^\[(?:exit code|ended)/m.test(text) || text === "nothing was told";
  if (refused === undefined || flags.length > 0) {
    return failed || /^\[the sandbox/m.test(text) ? `${name} ${flags.join(" ")}\n${text}` : null;
  }
  return refused.test(text) ? null : `${name}: expected ${refused}\n${text}`;
}
