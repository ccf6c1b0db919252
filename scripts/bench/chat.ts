/** A chat on a terminal: until it can be typed into, and how soon a key shows while an answer streams, and after many messages. */
import { Terminal } from "../../tests/support/terminal.ts";
import { type Figure, median } from "./figures.ts";
import type { Folder } from "./folder.ts";

/** Issue 16. */
const LIMITS = { ready: 1.5, key_ms: 50, later: 1.5 };
/** What a screen of 80 by 24 takes with its colors; and a quarter of the time from one frame to the next. */
const FRAME_LIMITS = { kb: 4, cpu_ms: 10 };
/** How long frames are counted. */
const FRAMES_MS = 4000;
/** The library begins each frame so. */
const FRAME = "\x1b[?2026h";
/** Of the kernel's clock, everywhere. */
const MS_PER_TICK = 10;
const TOKENS_PER_SECOND = 2000;
const TICK_MS = 5;
const KEYS = 40;
/** Milliseconds between two of them: nobody types faster. */
const KEY_GAP_MS = 60;
/** Of each there are two messages, what is said and what is answered: few, and as many as the issue names. */
const FEW = 10, MANY = 1000;
const ROUNDS = 5;
const READY = "? lists the keys";

/** A server whose answer to "stream" is words at a steady rate, without end; to all else a line. */
function serve(): { readonly url: string; close(): Promise<void> } {
  const chunk = (delta: unknown, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (!request.url.endsWith("/chat/completions")) {
      return Response.json({ data: [{ id: "scripted", context_length: 1_000_000 }] });
    }
    const asked = await request.text();
    if (!asked.includes('"stream please"')) {
      const body = chunk({ content: "Short.\n" }) + chunk({}, "stop") + "data: [DONE]\n\n";
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    let timer: ReturnType<typeof setInterval>;
    const began = performance.now();
    let sent = 0;
    const body = new ReadableStream<string>({
      start(stream) {
        timer = setInterval(() => {
          const due = (performance.now() - began) * TOKENS_PER_SECOND / 1000;
          let text = "";
          for (; sent < due; sent++) {
            text += chunk({ content: sent % 12 === 11 ? "word.\n" : "word " });
          }
          if (text !== "") stream.enqueue(text);
        }, TICK_MS);
      },
      cancel: () => clearInterval(timer),
    }).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    close: () => server.shutdown(),
  };
}

/** How soon keys show, in the input: each is typed at its end, and taken back. */
async function keys(terminal: Terminal): Promise<readonly number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < KEYS; nth++) {
    const key = String.fromCharCode(0x3b1 + nth % 24);
    // To look through all that was ever shown would take longer than the key.
    terminal.shown = "";
    await terminal.type(key);
    took.push(await terminal.until(key, 0));
    await terminal.type("\x7f");
    await new Promise((resolve) => setTimeout(resolve, KEY_GAP_MS));
  }
  return took;
}

/** Processor time of the program so far, in milliseconds; NaN where `/proc` does not say. */
function cpu_ms({ pid }: Terminal): number {
  try {
    const [child] = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ");
    const stat = Deno.readTextFileSync(`/proc/${child}/stat`);
    // Behind the name of the program, which may hold anything, it is the 12th and the 13th.
    const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13);
    return (Number(user) + Number(system)) * MS_PER_TICK;
  } catch {
    return NaN;
  }
}

/** What a frame costs while an answer streams. */
async function frames(terminal: Terminal): Promise<{ readonly kb: number; readonly cpu: number }> {
  terminal.shown = "";
  const before = cpu_ms(terminal);
  await new Promise((resolve) => setTimeout(resolve, FRAMES_MS));
  const cpu = cpu_ms(terminal) - before, { shown } = terminal;
  const count = shown.split(FRAME).length - 1;
  return { kb: new TextEncoder().encode(shown).length / 1024 / count, cpu: cpu / count };
}

/** The figures of one program; `first_request`: milliseconds until its `run` asks, for comparison. */
export async function chat_figures(
  program: readonly string[],
  { name, in_folder, first_request }: {
    readonly name: string;
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
    readonly first_request: () => Promise<number>;
  },
): Promise<Figure[]> {
  const server = serve();
  const env = { HAMR_BASE_URL: server.url, HAMR_MODEL: "scripted" };
  const open = (folder: Folder) => new Terminal([...program, "chat"], { ...folder, env });
  const say = async (terminal: Terminal, nth: number) => {
    const from = terminal.shown.length;
    await terminal.type(`message ${nth}\r`);
    await terminal.until("Short.", from);
  };
  const ready: number[] = [], asked: number[] = [], shell: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    asked.push(await first_request());
    // A terminal has a shell, which is none of ours.
    await in_folder(async (folder) => {
      const terminal = new Terminal(["/bin/echo", READY], { ...folder, env: {} });
      await terminal.until(READY, 0);
      shell.push(performance.now() - terminal.began);
      await terminal.status;
    });
    await in_folder(async (folder) => {
      const terminal = open(folder);
      await terminal.until(READY, 0);
      ready.push(performance.now() - terminal.began);
      await terminal.end();
    });
  }
  const [streaming, frame, soon, later] = await in_folder(async (folder) => {
    const terminal = open(folder);
    await terminal.until(READY, 0);
    for (let nth = 0; nth < FEW; nth++) await say(terminal, nth);
    const soon = await keys(terminal);
    for (let nth = FEW; nth < MANY; nth++) await say(terminal, nth);
    const later = await keys(terminal);
    const from = terminal.shown.length;
    await terminal.type("stream please\r");
    await terminal.until("word.", from);
    const streaming = await keys(terminal);
    const frame = await frames(terminal);
    await terminal.end();
    return [streaming, frame, soon, later] as const;
  });
  await server.close();
  const ms = { unit: "ms" } as const;
  return [
    {
      what: `${name}: start of a chat to its input / start of a run to its first request`,
      measured: median(ready) - median(shell),
      baseline: median(asked),
      limit: LIMITS.ready,
      ...ms,
    },
    {
      what: `${name}: a key, while ${TOKENS_PER_SECOND} tokens a second stream`,
      measured: median(streaming),
      baseline: null,
      limit: LIMITS.key_ms,
      ...ms,
    },
    {
      what: `${name}: written a frame, while it streams`,
      measured: frame.kb,
      baseline: null,
      limit: FRAME_LIMITS.kb,
      unit: "kB",
    },
    {
      what: `${name}: processor time a frame, while it streams`,
      measured: frame.cpu,
      baseline: null,
      limit: FRAME_LIMITS.cpu_ms,
      ...ms,
    },
    {
      what: `${name}: a key, after ${2 * MANY} messages / after ${2 * FEW}`,
      measured: median(later),
      baseline: median(soon),
      limit: LIMITS.later,
      ...ms,
    },
  ];
}
