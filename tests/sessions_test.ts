/** What was run, for the user to look at, to take elsewhere and to remove: `hamr sessions`. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { each, until } from "./support/hamr.ts";
import { ANSWER, bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { installed } from "./support/installed.ts";
import { inside_stage as stage, type Stage } from "./support/stage.ts";

const ON_TERMINAL = fileURLToPath(new URL("./support/on_terminal.py", import.meta.url));
const DATABASE = ".local/share/hamr/hamr.db";
const ASK = ["--mode", "auto"];

/** `hamr sessions ARGS`. */
async function sessions(
  s: Stage,
  args: readonly string[],
  home = s.home.path,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await s.hamr(["sessions", ...args], { home });
  return { code, stdout, stderr };
}

async function listed(s: Stage, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await sessions(s, ["list", "--json", ...args]);
  return JSON.parse(stdout).sessions;
}

/** A run that uses a tool, and its id. */
async function run(s: Stage, task: string, ...flags: string[]): Promise<string> {
  const { code, result } = await s.run(task, ...ASK, ...flags);
  assert.equal(code, 0);
  return result.session_id;
}

/** Its call is named as another agent's is. */
const tool_then_answer = ({ body }: Recorded): Reply =>
  body.messages.at(-1)?.role === "tool"
    ? say(ANSWER)
    : { calls: [{ name: "Bash", args: { cmd: "echo 7 lines of text" } }] };

Deno.test("sessions are listed by workspace, the newest first, and shown with what was said and done", async () => {
  await stage({ script: tool_then_answer, one_conversation: false }, async (s) => {
    const empty = "hamr: no saved sessions of this workspace; --all lists all\n";
    assert.deepEqual(await sessions(s, []), { code: 0, stdout: "", stderr: empty });
    const none = await sessions(s, ["show"]);
    assert.deepEqual([none.code, none.stdout], [3, ""]);
    assert.match(
      none.stderr,
      /^hamr: this workspace has no saved session; see hamr sessions --all\n$/,
    );
    const first = await run(s, "Count the lines.\nAll of them.");
    const second = await run(s, "Name the files.");
    const other = await run(s, "Elsewhere.", "-C", s.outside.path);
    await run(s, "Between you and me.", "--no-save");
    const list = await sessions(s, ["list"]);
    const line = (id: string, task: string) =>
      `${id.slice(0, 8)}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  2 steps  Finished  ${task}\n`;
    const own = line(second, "Name the files\\.") + line(first, "Count the lines\\.");
    assert.match(list.stdout, new RegExp(`^${own}$`));
    const all = await sessions(s, ["list", "--all"]);
    assert.match(all.stdout, new RegExp(`^${other.slice(0, 8)} .*${s.outside.path} +Elsewhere`));
    assert.deepEqual(
      (await listed(s)).map((
        { id, status, stop_reason, steps, tool_calls },
      ) => [id, status, stop_reason, steps, tool_calls]),
      [second, first].map((id) => [id, "ended", "llm_done", 2, 1]),
    );
    const shown = await sessions(s, ["show", first.slice(0, 6)]);
    assert.match(
      shown.stdout,
      new RegExp(
        `^Session ${first}\n.* scripted by .*\n${s.ws.path}\n\n> Count the lines\\.\n> All of them\\.\n\n` +
          ` {2}✓ bash → echo 7 lines.*\n {6}.+\n\n${ANSWER}\n\n── Finished: 2 steps, 1 tool call\n$`,
      ),
    );
    const newest = JSON.parse((await sessions(s, ["show", "--json"])).stdout);
    assert.equal(newest.session.id, second);
    const kinds = newest.transcript.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ["user", "call", "assistant"]);
  });
});

Deno.test("a session that runs is said to, and is not removed; one that was killed is cut off", async () => {
  const script = () => bash("touch now; sleep ${SLEEP:-30}");
  await stage({ script, one_conversation: false }, async (s) => {
    const running = s.start(["run", "--json", ...ASK, "Wait."]);
    try {
      await until("it runs", () => s.ws.exists("now"));
      const [{ id, status } = {}] = await listed(s);
      assert.equal(status, "running");
      const changes = await s.hamr(["diff"]);
      assert.match(changes.stderr, /^hamr: the session still runs: [^]*hamr: no changes\n$/);
      const kept = await sessions(s, ["rm", String(id)]);
      assert.equal(kept.code, 3);
      assert.match(kept.stderr, /^hamr: sessions rm: session [\w-]+ is running\n$/);
      const all = await sessions(s, ["rm", "--all", "--yes"]);
      assert.deepEqual([all.code, all.stdout], [0, "Nothing to remove.\n"]);
      assert.match(all.stderr, /still running, not removed/);
    } finally {
      running.kill("SIGKILL");
      await running.done.catch(() => {}); // It has no result.
    }
    const [{ id, status } = {}] = await listed(s);
    assert.equal(status, "cut off");
    const shown = await sessions(s, ["show"]);
    assert.match(shown.stdout, / {2}… bash .*\n {6}no result\n\n── Cut off: 1 step/);
    const page = await s.hamr(["report"]);
    assert.deepEqual([page.code, page.stderr], [
      3,
      `hamr: session ${id} has no result: it is still running, or it was cut off\n`,
    ]);
    const again = s.start(["resume", "--json", "--max-steps", "1", "--allow-env=SLEEP"], {
      env: { ...s.env, SLEEP: "0" },
    });
    const { result } = await again.done;
    assert.ok(
      result.warnings.includes(
        "the last run of this session was killed, or its end could not be saved",
      ),
      result.warnings.join("\n"),
    );
    assert.equal((await sessions(s, ["rm", String(id)])).stdout, `Removed: ${id}\n`);
    assert.deepEqual(await listed(s), []);
  });
});

Deno.test("nothing that a model or a command wrote steers the terminal", async () => {
  const evil = "\x1b]0;x\x07\x1b[2J\u202e";
  const script = [bash(`printf '${evil}'; echo ${evil}`), say(`Done${evil} so.`)];
  await stage({ script }, async (s) => {
    await run(s, `Look${evil} here.`);
    for (const args of [["list"], ["show"]]) {
      const { stdout } = await sessions(s, args);
      assert.match(stdout, /Look/);
      assert.doesNotMatch(stdout, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/, args.join());
    }
  });
});

Deno.test("a session that was compacted is shown in its parts, and nothing of it twice", async () => {
  const text = Array.from({ length: 200 }, (_, at) => `line ${at} abcdefg`).join("\n");
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`f${n}.txt`, `${n}${text}`]),
  );
  let step = 0;
  const script = ({ body }: Recorded): Reply => {
    if (/^You summarize/.test(String(body.messages[0]?.content))) return say("1. Task: count.");
    return step++ < 16 ? call("read", { path: `f${(step - 1) % 12}.txt` }) : say(ANSWER);
  };
  const env = { HAMR_GUARDS_READ_LIMIT: "0" };
  await stage({ script, files, env, violations: true }, async (s) => {
    await run(s, "Count.", "--context-window", "8192", "--max-output-tokens", "1000");
    const { session, transcript } = JSON.parse((await sessions(s, ["show", "--json"])).stdout);
    const of_kind = (kind: string) =>
      transcript.filter((entry: { kind: string }) => entry.kind === kind);
    assert.ok(session.parts > 1, `${session.parts} parts`);
    assert.deepEqual(
      of_kind("part").map(({ part }: { part: number }) => part),
      Array.from({ length: session.parts - 1 }, (_, at) => at + 2),
    );
    assert.ok(of_kind("part").every((entry: { compaction: unknown }) => entry.compaction));
    assert.deepEqual([of_kind("user").length, of_kind("call").length], [1, 16]);
    const shown = await sessions(s, ["show"]);
    assert.match(shown.stdout, /── part 2: older messages were compacted \(stage \S+, .* tokens\)/);
    // Elsewhere it is the same, in all its parts.
    const exported = (await sessions(s, ["export"])).stdout;
    s.home.write("s.jsonl", exported);
    const there = s.home.at("there");
    const taken = await sessions(s, ["import", s.home.at("s.jsonl")], there);
    assert.equal(taken.code, 0, taken.stderr);
    assert.equal((await sessions(s, ["export"], there)).stdout, exported);
    const again = await sessions(s, ["show"], there);
    assert.equal(again.stdout.replace(", imported", ""), shown.stdout);
  });
});

Deno.test("a session is exported and imported whole or not at all", async () => {
  await stage({ script: tool_then_answer, one_conversation: false }, async (s) => {
    const id = await run(s, "Count the lines.");
    const exported = (await sessions(s, ["export", id.slice(0, 8)])).stdout;
    const lines = exported.trimEnd().split("\n");
    const [header, ...rows] = lines.map((line) => JSON.parse(line));
    assert.deepEqual([header.type, header.schema, header.uuid], ["session", 1, id]);
    assert.deepEqual(rows.at(-1).type, "end");
    const messages = rows.filter(({ table }) => table === "messages");
    assert.deepEqual(
      messages.map(({ nth, body }) => [nth, body.role]),
      ["system", "user", "assistant", "tool", "assistant"].map((role, at) => [at + 1, role]),
    );
    const there = s.home.at("there");
    const faults: [string, RegExp][] = [
      [lines.slice(0, -1).join("\n"), /line \d+: it is cut off after this line/],
      [
        lines.with(3, lines[3]!.slice(0, 20)).join("\n"),
        /line 4: not a line of an exported session/,
      ],
      ['{"type":"result"}', /line 1: not an exported session/],
      ["", /line 1: it is empty/],
      [exported, /session [\w-]+ is already here/],
    ];
    await each(faults, async ([text, expected]) => {
      const file = s.home.at(`bad${faults.findIndex(([bad]) => bad === text)}.jsonl`);
      Deno.writeTextFileSync(file, text);
      const { code, stdout, stderr } = await sessions(s, ["import", file]);
      assert.deepEqual([code, stdout], [3, ""]);
      assert.match(stderr, new RegExp(`^hamr: sessions import: .*${expected.source}[^\n]*\n$`));
    });
    assert.equal((await listed(s)).length, 1);
    s.home.write("good.jsonl", exported);
    const file = s.home.at("good.jsonl");
    const taken = await sessions(s, ["import", "--json", file], there);
    assert.deepEqual(JSON.parse(taken.stdout), { imported: id });
    const [{ imported } = {}] = JSON.parse(
      (await sessions(s, ["list", "--json"], there)).stdout,
    ).sessions;
    assert.equal(imported, true);
    const folder = await sessions(s, ["import", s.ws.path], there);
    assert.match(folder.stderr, /it is a folder/);
    const piped = await s.hamr(["sessions", "import", "-"], {
      stdin: exported,
      home: s.outside.path,
    });
    assert.deepEqual([piped.code, piped.stdout], [
      ...[0, `Imported: ${id} (2 steps in ${s.ws.path})\n`],
    ]);
  });
});

/** Whether a text stands anywhere in what is kept. */
function kept(s: Stage, text: string): boolean {
  const bytes = ["", "-wal", "-journal"].map((end) => {
    try {
      return Deno.readFileSync(s.home.at(DATABASE + end));
    } catch {
      return new Uint8Array();
    }
  });
  return bytes.some((one) => new TextDecoder("latin1").decode(one).includes(text));
}

Deno.test("what is removed is gone from the disk, and its room with it", async () => {
  const script = ({ body }: Recorded): Reply =>
    body.messages.at(-1)?.role === "tool"
      ? say("The zyzzyva is out.")
      : bash("seq 4000 | tr '\\n' ' '; echo xylograph");
  await stage({ script, one_conversation: false }, async (s) => {
    const first = await run(s, "Look for the quoll.");
    const second = await run(s, "Something else.");
    for (const word of ["quoll", "zyzzyva"]) assert.ok(kept(s, word), word);
    const size = Deno.statSync(s.home.at(DATABASE)).size;
    const gone = await sessions(s, ["rm", "--json", first.slice(0, 9)]);
    assert.deepEqual(JSON.parse(gone.stdout), { removed: [first] });
    assert.ok(!kept(s, "quoll"));
    const unknown = await sessions(s, ["rm", "nobody", second]);
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, new RegExp(`there is no session "nobody"; removed: ${second}\n$`));
    for (const word of ["zyzzyva", "xylograph", "Something"]) assert.ok(!kept(s, word), word);
    assert.ok(Deno.statSync(s.home.at(DATABASE)).size < size);
    assert.deepEqual(await listed(s, "--all"), []);
  });
});

Deno.test("all sessions are removed where the user says so", {
  ignore: !installed("python3"),
}, async () => {
  const script = (_: Recorded, nth: number): Reply => nth < 2 ? say(ANSWER) : { silent: true };
  await stage({ script, one_conversation: false }, async (s) => {
    await run(s, "One.");
    await run(s, "Two.", "-C", s.outside.path);
    // It comes to no step, so it is in no list.
    const running = s.start(["run", "--json", ...ASK, "Three."]);
    await until("it is saved", () => kept(s, "Three."));
    running.kill("SIGKILL");
    await running.done.catch(() => {}); // It has no result.
    assert.equal((await listed(s, "--all")).length, 2);
    const refused: [string[], RegExp][] = [
      [["rm"], /sessions rm needs the ids of sessions/],
      [["rm", "--all"], /would remove 3 sessions of 2 workspaces: add --yes/],
      [["rm", "--all", "x"], /--all and x: give only one/],
      [["show", "nobody"], /there is no session "nobody"/],
      [["export", "nobody"], /there is no session "nobody"/],
      [["import"], /needs a file, or -/],
      [["import", "nowhere.jsonl"], /nowhere\.jsonl: no such file/],
      [["show", "--all"], /--all is not a flag of hamr sessions show/],
      [["lst"], /did you mean sessions list\?/],
    ];
    await each(refused, async ([args, expected]) => {
      const { code, stdout, stderr } = await sessions(s, args);
      assert.deepEqual([code, stdout], [3, ""], args.join(" "));
      assert.match(stderr, expected);
    });
    const on_terminal = (typed: string) =>
      s.hamr(["sessions", "rm", "--all"], {
        wrapper: ["python3", ON_TERMINAL, JSON.stringify([["[y]es, [n]o: ", typed]])],
        stdin: { open: true },
      });
    const no = await on_terminal("\n");
    assert.equal(no.code, 3);
    assert.match(no.stderr, /Remove 3 sessions of 2 workspaces\?[^]*nothing was removed/);
    assert.equal((await listed(s, "--all")).length, 2);
    assert.equal((await on_terminal("y\n")).code, 0);
    assert.ok(!kept(s, "Three."));
    assert.deepEqual(await listed(s, "--all"), []);
    assert.equal((await sessions(s, ["rm", "--all"])).stdout, "Nothing to remove.\n");
  });
});

/** Runs a command with a window of so many rows and columns; what it shows goes to standard output. */
const WINDOW = `
import fcntl, os, pty, struct, sys, termios
child, window = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
while True:
    try:
        part = os.read(window, 65536)
    except OSError:
        break
    os.write(1, part)
`;

Deno.test("on a terminal the newest sessions stay in sight, and answers are without the marks of Markdown", async () => {
  const script = () => say("Some **bold** words,\nand more.");
  await stage({ script, one_conversation: false }, async (s) => {
    for (const task of ["One.", "Two.", "Three."]) await run(s, task);
    const shown = async (size: string, ...args: string[]) => {
      const wrapper = ["python3", "-c", WINDOW, ...size.split("x")];
      const { stdout } = await s.hamr(args, { wrapper, env: { NO_COLOR: "1" } });
      return stdout.replaceAll("\r", "");
    };
    const older = /^\w{8} .* Three\.\n… 2 older: hamr sessions \| less\n$/;
    assert.match(await shown("4x80", "sessions"), older);
    const plain = /> Three\.\n\nSome bold words,\nand more\.\n/;
    assert.match(await shown("24x80", "sessions", "show"), plain);
    // One that nobody looks at has no size.
    assert.match(await shown("0x0", "sessions"), /Three\.\n.*Two\.\n.*One\.\n$/);
    assert.match(await shown("0x0", "report"), /Some bold words,/);
  });
});

const PAGE = Deno.readTextFileSync(new URL("../docs/sessions.md", import.meta.url));

Deno.test("the commands of the page about sessions work, one after the other", async () => {
  const [, block = ""] = /^```sh\n(.*?)^```$/ms.exec(PAGE) ?? [];
  const commands = block.trimEnd().split("\n").map((line) => line.replace(/\s+#.*/, ""));
  assert.ok(commands.length > 5);
  await stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    const id = await run(s, "What is it?");
    for (const command of commands) {
      const [, text = "", file] = /^hamr (.*?)(?: > (\S+))?$/.exec(command) ?? [];
      const args = [...text.replace("ID", id.slice(0, 8)).matchAll(/"([^"]*)"|(\S+)/g)]
        .map(([, quoted, word]) => quoted ?? word ?? "");
      const { code, stdout, stderr } = await s.hamr(args);
      assert.equal(code, 0, `${command}: ${stderr}`);
      if (file !== undefined) s.ws.write(file, stdout);
    }
    assert.deepEqual(await listed(s, "--all"), []);
  });
});

Deno.test("the page about sessions names every table that a run fills, and the defaults that hold", async () => {
  await stage({ script: tool_then_answer }, async (s) => {
    const id = await run(s, "Look.", "--base-url", s.server.url);
    const exported = (await sessions(s, ["export", id])).stdout.trimEnd().split("\n");
    const tables = new Set(exported.flatMap((line) => JSON.parse(line).table ?? []));
    for (const table of tables) assert.match(PAGE, new RegExp(`^\\| \`${table}\``, "m"));
    const { stdout } = await s.hamr(["config", "show"]);
    for (
      const [key, value, told] of [["keep_days", 90, /90 days/], [
        "keep_bytes",
        2 ** 30,
        /1 GiB/,
      ]] as const
    ) {
      assert.match(stdout, new RegExp(`sessions\\.${key} *= *${value}\\b|${key} = ${value}\\b`));
      assert.match(PAGE, new RegExp(`\`sessions\\.${key}\``));
      assert.match(PAGE, told);
    }
  });
});

Deno.test("a session that was kept long enough is gone at the next start; 0 keeps it", async () => {
  await stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    const { result } = await s.run("Look at MARK-OLD.");
    const db = new DatabaseSync(s.home.at(".local/share/hamr/hamr.db"));
    db.exec("UPDATE sessions SET began_ms = 1, saved_ms = 1");
    db.close();
    const listed = async () => (await s.hamr(["sessions"])).stdout;
    await s.run("Look.", "--no-save");
    assert.match(await listed(), /MARK-OLD/);
    const kept = await s.here(["run", "--json", "Look."], {
      env: { ...s.env, HAMR_SESSIONS_KEEP_DAYS: "0" },
    });
    assert.equal(kept.code, 0);
    assert.match(await listed(), /MARK-OLD/);
    assert.equal((await s.run("Look.")).code, 0);
    assert.doesNotMatch(await listed(), /MARK-OLD/);
    assert.equal((await s.hamr(["sessions", "show", result.session_id])).code, 3);
  });
});
