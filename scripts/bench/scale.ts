/** What grows with what is kept: a session of 10,000 messages, and a memory of a million facts, each beside a small one. */
import { History } from "../../src/agent/history.ts";
import { type Savable, Saver } from "../../src/agent/saving/save.ts";
import { fresh_state } from "../../src/agent/state.ts";
import { PendingWrites } from "../../src/agent/pending_writes.ts";
import { chat_completions } from "../../src/model/protocols/chat_completions.ts";
import { open_database, transaction } from "../../src/store/database.ts";
import { Memory } from "../../src/store/memory.ts";
import { row_id } from "../../src/store/ids.ts";
import { SessionWriter } from "../../src/store/session_writer.ts";
import { SESSION_TABLES } from "../../src/store/session_schema.ts";
import { type Figure, median } from "./figures.ts";
import type { Folder } from "./folder.ts";

/** Messages of the long session, and steps looked at around its beginning and its end (issue 7). */
const MESSAGES = 10_000;
const EARLY = 100;
const AROUND = 40;
/** How often the start with a long session is measured. */
const ROUNDS = 9;
/** Facts of the large memory and of the small one, and how often each is searched. */
const FACTS = { large: 1_000_000, small: 1000 };
const SEARCHES = 200;
/** Limits, from issue 7. */
const LIMIT = { save: 1.3, resume: 3, row: 1.2, search: 20 };
const KB = 1024;

/** Gives a fresh workspace and HOME. */
type InFolder = <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;

/** What a session costs as it grows. */
export async function session_figures(
  { in_folder, first_request }: {
    readonly in_folder: InFolder;
    /** Milliseconds until the first request; with a folder, of the session that is saved there. */
    readonly first_request: (folder?: Folder) => Promise<number>;
  },
): Promise<Figure[]> {
  return await in_folder(async (folder) => {
    const data_dir = `${folder.home}/.local/share/hamr`;
    const { save_ms, content } = await fill(data_dir, Deno.realPathSync(folder.cwd));
    const size = Deno.statSync(`${data_dir}/hamr.db`).size;
    const resumed: number[] = [];
    const begun: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      resumed.push(await first_request(folder));
      begun.push(await first_request());
    }
    const around = (step: number) => median(save_ms.slice(step - AROUND / 2, step + AROUND / 2));
    return [{
      what: `saving a step at message ${MESSAGES} / at message ${EARLY}`,
      measured: around(MESSAGES / 2 - AROUND / 2),
      baseline: around(EARLY / 2),
      unit: "ms",
      limit: LIMIT.save,
    }, {
      what: `resume of ${MESSAGES} messages / start of an empty run, to the first request`,
      measured: median(resumed),
      baseline: median(begun),
      unit: "ms",
      limit: LIMIT.resume,
    }, {
      what: "the database / the content of its rows",
      measured: size / KB,
      baseline: content / KB,
      unit: "kB",
      limit: LIMIT.row,
    }];
  });
}

/** Saves a session step by step, as a run does; milliseconds of each save, and the bytes of what was to be saved. */
async function fill(
  data_dir: string,
  workspace: string,
): Promise<{ readonly save_ms: readonly number[]; readonly content: number }> {
  const db = open_database(data_dir);
  const writer = SessionWriter.begin(db, {
    uuid: crypto.randomUUID(),
    workspace,
    task: "Count.",
  });
  const pending = new PendingWrites();
  const saver = new Saver(writer, pending, { messages: 0, ledger: 0, rewritten: 0 });
  const session = fresh_session();
  const { history } = session;
  history.append({ role: "system", content: "You count.".repeat(200) });
  history.append({ role: "user", content: "Count." });
  const save_ms: number[] = [];
  while (history.messages.length < MESSAGES) {
    step(session, pending);
    history.seal();
    const began = performance.now();
    await saver.save(session);
    save_ms.push(performance.now() - began);
  }
  const bytes = (table: string) =>
    Number(db.prepare(`SELECT sum(length(CAST(body AS BLOB))) AS n FROM ${table}`).get()?.["n"]);
  const content = SESSION_TABLES.reduce((sum, table) => sum + bytes(table), 0);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return { save_ms, content };
}

function fresh_session(): Savable {
  return {
    history: new History(chat_completions, "scripted"),
    state: fresh_state("ask"),
    endpoint: { model: "scripted", provider: "openai-compatible" } as Savable["endpoint"],
    tools: [],
    wire: chat_completions,
    refused: new Set(),
    emit: ({ type }) => {
      if (type === "warning") throw new Error("a step was not saved");
    },
  };
}

/** A step with one command, as the loop would leave it. */
function step({ history, state }: Savable, pending: PendingWrites): void {
  const at = ++state.steps;
  const [id, command] = [`call_${at}`, `grep -rn "name_${at}" src | head`];
  const output = `src/file_${at}.ts:${at}: const name_${at} = ${at * 7919 % 104729};\n`.repeat(3);
  const call = { id, name: "bash", arguments: JSON.stringify({ command }) };
  history.append({ role: "assistant", content: "", tool_calls: [call] });
  history.append({ role: "tool", tool_call_id: id, content: output });
  const result = { step: at, ran: true, valid: true, ok: true, result: `${at}`, ms: 3, changes: 0 };
  state.turn.actions = [...state.turn.actions, { name: "bash", args: command, ...result }].slice(
    -512,
  );
  const row = { kind: "command", command, exit_code: 0 } as const;
  state.ledger.push({ ...row, step: at, call: id });
  const stamps = { t: at * 10, step: at };
  const told = {
    type: "tool_call",
    id,
    name: "bash",
    arguments: { command },
    nth: 1,
    of: 1,
  } as const;
  pending.hear({ ...told, ...stamps });
}

/** What a search costs as memory grows: the slowest of twenty. */
export async function memory_figures({ in_folder }: { readonly in_folder: InFolder }): Promise<
  Figure[]
> {
  const p95 = (facts: number) =>
    in_folder(({ home }) => {
      const memory = filled(home, facts);
      const times = Array.from({ length: SEARCHES }, (_, n) => {
        const began = performance.now();
        memory.search(query(n));
        return performance.now() - began;
      }).sort((a, b) => a - b);
      memory.close();
      return Promise.resolve(times[Math.floor(SEARCHES * 0.95)] ?? NaN);
    });
  const small = await p95(FACTS.small);
  return [{
    what: `a search among ${FACTS.large} facts / among ${FACTS.small} (the 95th of 100)`,
    measured: await p95(FACTS.large),
    baseline: small,
    unit: "ms",
    limit: LIMIT.search,
  }];
}

const WORDS =
  ("build test server port module parser token window schema index cache route deploy " +
    "docker postgres redis config secret lint format release branch merge commit worker queue " +
    "socket stream buffer retry timeout limit policy sandbox kernel thread memory session replay")
    .split(" ");

function word(n: number): string {
  return WORDS[n % WORDS.length] ?? "";
}

function fact(n: number): string {
  return `The ${word(n)} of ${word(n * 7 + 3)} ${n % 5000} needs ${word(n * 13 + 5)}_${
    n % 977
  } before ${word(n * 31 + 11)}.`;
}

function query(n: number): string {
  return n % 3 === 0 ? `how is ${word(n)} ${n * 37 % 5000} done?` : `${word(n)}_${n * 11 % 977}`;
}

/** Straight into the table: saving a million one by one would take an hour. */
function filled(home: string, facts: number): Memory {
  new Memory({ data_dir: home, workspace: null }).close();
  const db = open_database(home);
  const insert = db.prepare(
    "INSERT INTO facts (id, scope, text, same, saved_ms) VALUES (?, 0, ?, ?, ?)",
  );
  const now = Date.now();
  transaction(db, () => {
    for (let n = 1; n <= facts; n++) {
      const text = fact(n);
      insert.run(row_id(0, n), text, `${text.toLowerCase()}${n}`, BigInt(now - n * 1000));
    }
  });
  db.close();
  return new Memory({ data_dir: home, workspace: null });
}
