/** Every text of `corpus/`: calls are found in each way in which it can come, and near misses stay prose. See README.md there. */
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { chat_completions } from "../../src/model/protocols/chat_completions.ts";
import { EVERY_DIALECT } from "../../src/dialects/every_dialect.ts";
import { LeakFilter } from "../../src/model/protocols/leaks.ts";
import type { Reply } from "../../src/model/message.ts";
import type { ToolSchema } from "../../src/tools/tool.ts";
import { BASIC_TOOLS, schema_of } from "../../src/tools/declared/every_tool.ts";

/** One text, and what it is. */
interface Case {
  readonly what: string;
  readonly text: string;
  /** `NAME ARGUMENTS` of each call; absent: the text is prose and stays as it is. */
  readonly calls?: readonly string[];
  /** What is left of the text; default: nothing. */
  readonly content?: string;
  /** The limit of the output has cut it. */
  readonly cut?: boolean;
  /** There is a call in it that can't be read, and is not run. */
  readonly unread?: boolean;
  /** The model is asked whether it means what is in it. */
  readonly asked?: boolean;
  /** Nobody can tell for sure: not counted. */
  readonly ambiguous?: boolean;
  /** The trap of `dialects.md` that it is. */
  readonly trap?: number;
  /** How its calls are written, where the file has several ways. */
  readonly dialect?: string;
}

const CORPUS = new URL("corpus/", import.meta.url);
/** Texts that are prose, of all: the issue asks for a third at least. */
const LEAST_PROSE = 1 / 3;
const LEAST_TEXTS = 200;
const TRAPS = 11;
/** Two that only take marks out of the text, and one whose tool is not offered here. */
const NO_TEXT = ["recipient", "apply_patch", "end-token"];
/** Ways to cut each text at random, besides whole and by character. */
const RANDOM_WAYS = 6;

const string = { type: "string" };

/** The tools of the program, and some that documentations have in their examples. */
const OFFERED: readonly ToolSchema[] = [
  ...BASIC_TOOLS.map(schema_of),
  tool("get_weather", { location: string, unit: string }, ["location"]),
  tool("list_tools", {}, []),
  tool("set_options", {
    enabled: { type: "boolean" },
    count: { type: "integer" },
    tags: { type: "array", items: string },
    options: { type: "object" },
    label: string,
  }, []),
];

function tool(
  name: string,
  properties: ToolSchema["parameters"]["properties"],
  required: readonly string[],
): ToolSchema {
  return { name, description: "", parameters: { type: "object", properties, required } };
}

/** A reply in these pieces, and what was shown of it while it came. */
async function hear(
  pieces: readonly string[],
  finish: string,
): Promise<{ readonly reply: Reply; readonly shown: string }> {
  const collector = chat_completions.collector("u");
  const filter = new LeakFilter({ tools: OFFERED, made: () => 0 });
  let shown = "";
  const values = pieces.map((content) => ({ choices: [{ delta: { content } }] }));
  for (const value of [...values, { choices: [{ delta: {}, finish_reason: finish }] }]) {
    const news = collector.take(value);
    assert.ok(!("kind" in news));
    for (const { kind, text } of await filter.take(news)) if (kind === "text") shown += text;
  }
  const heard = await filter.end(collector.reply());
  return { reply: heard.reply, shown: shown + heard.shown };
}

/** Pieces of a text, of 1 to 12 characters; the same for the same seed. */
function pieces_of(text: string, seed: number): string[] {
  const out: string[] = [];
  for (let at = 0, n = seed; at < text.length;) {
    n = (n * 1103515245 + 12345) % 2147483648;
    const length = 1 + (n >> 8) % 12;
    out.push(text.slice(at, at + length));
    at += length;
  }
  return out;
}

function seen({ reply, shown }: Awaited<ReturnType<typeof hear>>) {
  const calls = reply.tool_calls.map(({ name, arguments: args, dialect }) => ({
    name,
    args: JSON.parse(args),
    dialect,
  }));
  const { content, finish, unread, dropped, shown_call: asked } = reply;
  // What a template has opened is known to be thinking when it ends: until then it is shown as text.
  return {
    calls,
    content,
    finish,
    unread,
    dropped,
    asked,
    shown: shown.split("</think>").at(-1)?.trim(),
  };
}

function fault_of(
  { calls = [], content, cut, unread, asked, text, dialect }: Case,
  got: ReturnType<typeof seen>,
): string | null {
  const wanted = calls.map((call) => {
    const at = call.indexOf(" ");
    return { name: call.slice(0, at), args: JSON.parse(call.slice(at)) };
  });
  const prose = wanted.length === 0 && !unread && content === undefined && !cut;
  try {
    assert.deepEqual(got.calls.map(({ name, args }) => ({ name, args })), wanted);
    if (dialect !== undefined) {
      for (const call of got.calls) assert.equal(call.dialect, dialect);
    }
    assert.equal(got.unread !== undefined, unread ?? false, `unread: ${got.unread}`);
    assert.equal(got.asked !== undefined, asked ?? false, `asked: ${got.asked}`);
    if (prose) assert.equal(got.content, text);
    else if (!cut || content !== undefined) assert.equal(got.content.trim(), content ?? "");
    if (!prose) assert.equal(got.shown, got.content.trim());
    else assert.equal(got.shown, text.trim());
    return null;
  } catch (error) {
    return String(error instanceof Error ? error.message : error);
  }
}

Deno.test("calls are read out of every text of the corpus, and near misses stay prose", async (t) => {
  const traps = new Set<number>();
  const spoken = new Set<string | undefined>();
  const count = { texts: 0, prose: 0, kept: 0, calls: 0, found: 0, ambiguous: 0, clear: 0 };
  for (
    const { name: file } of [...Deno.readDirSync(CORPUS)].sort((a, b) => a.name < b.name ? -1 : 1)
  ) {
    await t.step(file, async () => {
      const read = parse(Deno.readTextFileSync(new URL(file, CORPUS)));
      const faults: string[] = [];
      for (const one of read["case"] as unknown as readonly Case[]) {
        const dialect = one.dialect ?? read["dialect"] as string | undefined;
        const wanted: Case = dialect === undefined ? one : { ...one, dialect };
        const finish = one.cut ? "length" : "stop";
        const whole = seen(await hear([one.text], finish));
        for (const { dialect } of whole.calls) spoken.add(dialect);
        const ways = Array.from(
          { length: RANDOM_WAYS },
          (_, n) => pieces_of(one.text, n * 7919 + 1),
        );
        for (const pieces of [[...one.text], ...ways]) {
          const got = seen(await hear(pieces, finish));
          assert.deepEqual(got, whole, `${file}: ${one.what}: ${JSON.stringify(pieces)}`);
        }
        const fault = fault_of(wanted, whole);
        const prose = one.calls === undefined;
        count.texts++;
        if (one.trap !== undefined) traps.add(one.trap);
        if (one.ambiguous) {
          count.ambiguous++;
          if (fault === null) count.clear++;
        } else if (prose) {
          count.prose++;
          if (fault === null) count.kept++;
        } else {
          count.calls++;
          if (fault === null) count.found++;
        }
        if (fault !== null && !one.ambiguous) faults.push(`${one.what}: ${fault}\n${one.text}`);
      }
      assert.deepEqual(faults.join("\n\n"), "");
    });
  }
  const { calls, found, prose, kept, ambiguous, clear } = count;
  await t.step(
    `${kept} of ${prose} near misses kept, calls of ${found} of ${calls} texts found; ` +
      `besides, ${clear} of ${ambiguous} ambiguous ones`,
    () => {
      assert.equal(kept, prose, "precision");
      assert.equal(found, calls, "recall");
    },
  );
  assert.ok(count.texts >= LEAST_TEXTS, `${count.texts} texts`);
  assert.ok(count.prose >= count.texts * LEAST_PROSE, `${count.prose} of ${count.texts} are prose`);
  assert.equal(traps.size, TRAPS, "each trap has a text");
  const silent = EVERY_DIALECT.map(({ name }) => name).filter((name) => !spoken.has(name));
  assert.deepEqual(silent, NO_TEXT, "dialects without a text");
});
