/** A key is in no output, log, file or child, whatever the flags and however the server fails. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { inflateRawSync } from "node:zlib";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, type Recorded, type Reply, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

const KEY = "sk-hush-0123456789-abcdefghij";
const PASSWORD = "hush-Pa55word-klmnopqrst";
/** A server may show a key whole, in base64, or a piece of it. */
const TRACES = [
  ...["sk-hush", "abcdefghij", "hush-Pa55", "klmnopqrst"],
  ...[KEY, `someone:${PASSWORD}`].map((text) => btoa(text).slice(0, 16)),
];

/** The ways in which a key gets to a server. */
const WAYS: readonly ((s: Stage, url: string) => {
  env: Record<string, string>;
  flags: string[];
})[] = [
  (s, url) => ({ env: { ...s.env, HAMR_BASE_URL: url, HAMR_API_KEY: KEY }, flags: [] }),
  (s, url) => {
    const section = `[providers.mine]\nbase_url = "${url}"\nmodel = "scripted"\n`;
    s.home.write("mine.toml", `${section}headers = { X-Api-Key = "${KEY}" }\n`);
    return { env: {}, flags: ["--provider", "mine", "--config", s.home.at("mine.toml")] };
  },
  (_, url) => ({
    env: { HAMR_MODEL: "scripted", HAMR_BASE_URL: with_password(url) },
    flags: [],
  }),
  (_, url) => ({ env: {}, flags: ["--model", "scripted", "--base-url", with_password(url)] }),
];

function with_password(url: string): string {
  return url.replace("//", `//someone:${PASSWORD}@`);
}

/** What a server was shown, as a careless one repeats it. */
function repeated({ headers }: Recorded): string {
  const authorization = headers.get("authorization") ?? "";
  const [, basic] = /^Basic (.*)$/.exec(authorization) ?? [];
  const plain = basic === undefined ? "" : atob(basic);
  return `${authorization} ${plain} ${headers.get("x-api-key") ?? ""}`;
}

const refused = (status: number) => (request: Recorded): Reply => ({
  status,
  body: JSON.stringify({ error: { message: `No good: ${repeated(request)}` } }),
});

/** Every way for a run to end that a server has a hand in. */
const SERVERS: Readonly<Record<string, (request: Recorded, n: number) => Reply>> = {
  "does its work": (_, n) =>
    n === 0 ? bash("env; export -p; cat /proc/self/environ; echo changed > a.txt") : say(ANSWER),
  ...Object.fromEntries(
    [400, 401, 403, 404, 422, 500].map((status) => [`answers ${status}`, refused(status)]),
  ),
  "shows a web page": (request) => ({ status: 502, body: `<html>${repeated(request)}</html>` }),
  "answers something else": (request) => ({ body: `not JSON: ${repeated(request)}` }),
  "leads elsewhere": (request) => ({
    ...{ status: 302, body: "" },
    headers: { location: `http://a:${encodeURIComponent(repeated(request))}@127.0.0.1:9/x` },
  }),
  "breaks off with an error": (request) => ({
    body: `data: ${JSON.stringify({ error: { message: repeated(request), code: 500 } })}\n\n`,
    type: "text/event-stream",
  }),
  "is cut": () => ({ text: ANSWER, cut_after: 40 }),
  "stalls": () => ({ text: ANSWER, stall_after: 40 }),
};

/** Flags that say more, and flags that do more. */
const FLAGS = [
  ["--output", "jsonl", "-v", "--no-stream", "--confirm", "all", "--self-eval", "basic"],
  ["--output", "text", "-v", "--yolo", "--verify", "env", "--rubric", "It is done."],
  ["--output", "json", "--quiet", "--dry-run", "--allow-net", "--tool-call-format", "prompt"],
];

/** What stands deflated in a database. */
function unpacked(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE sql LIKE '%body ANY%'").all();
    return tables.flatMap(({ name }) =>
      db.prepare(`SELECT body FROM ${name} WHERE typeof(body) = 'blob'`).all()
        .map(({ body }) => inflated(body as Uint8Array))
    ).join("\n");
  } finally {
    db.close();
  }
}

function inflated(body: Uint8Array): string {
  try {
    return new TextDecoder().decode(inflateRawSync(body));
  } catch {
    return ""; // A short content is there as it is.
  }
}

/** Files below a folder that hold a trace, except for the settings that gave the key. */
function traces(path: string): string[] {
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory, isFile }) => {
    const full = `${path}/${name}`;
    if (isDirectory) return traces(full);
    if (!isFile || name === "mine.toml") return [];
    const text = new TextDecoder().decode(Deno.readFileSync(full)) +
      (name === "hamr.db" ? unpacked(full) : "");
    return TRACES.some((trace) => text.includes(trace)) ? [full] : [];
  });
}

for (const [at, [name, script]] of Object.entries(SERVERS).entries()) {
  Deno.test(`no key is seen where the server ${name}`, async () => {
    // With other flags at each server, so that every three of them see all pairs of a way and flags.
    const runs = WAYS.map((way, n) => ({ way, flags: FLAGS[(at + n) % FLAGS.length]! }));
    await each(
      runs,
      ({ way, flags }, n) =>
        // One of the ways meets the program from outside, another one at each server: what is said and sent is the same inside.
        stage(
          { script, violations: true, one_conversation: false, inside: n !== at % WAYS.length },
          async (s) => {
            const { env, flags: more } = way(s, s.server.url);
            const log = s.home.at("run.log");
            const args = [
              "run",
              ...flags,
              ...more,
              "--log-file",
              log,
              "--max-steps",
              "4",
              "Do it.",
            ];
            const all = name === "stalls" ? { ...env, HAMR_AGENT_IDLE_TIMEOUT_S: "2" } : env;
            const { stdout, stderr } = await s.here(args, { env: all });
            assert.match(
              s.server.requests.map(repeated).join(),
              /sk-hush|hush-Pa55/,
              "the key was sent",
            );
            const seen = TRACES.filter((trace) => (stdout + stderr).includes(trace));
            assert.deepEqual(seen, [], stdout + stderr);
            assert.deepEqual([...traces(s.home.path), ...traces(s.ws.path)], []);
            for (const { raw } of s.server.requests) {
              for (const trace of TRACES) assert.ok(!raw.includes(trace), "the model got it");
            }
          },
        ),
    );
  });
}

/** First words, what follows the flags, and the exit code where no server is there. */
const COMMANDS: readonly (readonly [string[], string[], number])[] = [
  [["config", "show"], [], 0],
  [["doctor"], [], 3],
  [["sandbox"], ["--", "env"], 0],
  [["run", "-v", "--output", "jsonl"], ["What is it?"], 1],
];

Deno.test("no key is seen in what the other commands say, nor where no server is there", async () => {
  const all = WAYS.flatMap((way) => COMMANDS.map((command) => ({ way, command })));
  await each(all, ({ way, command: [first, rest, expected] }) =>
    stage({}, async (s) => {
      const { env, flags } = way(s, "http://127.0.0.1:9/v1");
      const place = flags.indexOf("--config");
      const known = first[0] !== "sandbox" ? flags : place < 0 ? [] : flags.slice(place);
      const args = [...first, ...known, ...rest];
      const { code, stdout, stderr } = await s.hamr(args, { env });
      const told = `${args.join(" ")}\n${stdout}${stderr}`;
      assert.equal(code, expected, told);
      assert.deepEqual(TRACES.filter((trace) => (stdout + stderr).includes(trace)), [], told);
    }));
});
