/** A chat on a terminal: until it can be typed into, and how soon a key shows while an answer streams, and after many messages. */
import { environment } from "../../tests/support/hamr.ts";
import { type Figure, median } from "./figures.ts";
import type { Folder } from "./folder.ts";

/** Issue 16. */
const LIMITS = { ready: 1.5, key_ms: 50, later: 1.5 };
const TOKENS_PER_SECOND = 2000;
const TICK_MS = 5;
const KEYS = 40;
/** Milliseconds between two of them: nobody types faster. */
const KEY_GAP_MS = 60;
const MESSAGES = 150;
const ROUNDS = 5;
const READY = "? lists the keys";

/** A terminal of `script`, with what came out of it. */
class Terminal {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly began = performance.now();
  shown = "";
  #came: () => void = () => {};

  constructor(program: readonly string[], { folder, env }: {
    readonly folder: Folder;
    readonly env: Record<string, string>;
  }) {
    const command = `stty cols 80 rows 24; exec ${program.map((word) => `'${word}'`).join(" ")}`;
    this.#child = new Deno.Command("script", {
      args: ["-qfec", command, "/dev/null"],
      cwd: folder.cwd,
      clearEnv: true,
      env: { ...environment(folder.home), TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    void this.#read();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.shown += decoder.decode(bytes, { stream: true });
      this.#came();
    }
  }

  async type(text: string): Promise<void> {
    await this.#input.write(new TextEncoder().encode(text));
  }

  /** Milliseconds until this was shown, behind what was shown before. */
  async until(text: string, from: number): Promise<number> {
    const began = performance.now();
    while (!this.shown.includes(text, from)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#came = resolve;
      await promise;
    }
    return performance.now() - began;
  }

  /** How soon keys show, in the input: each is typed at its end, and taken back. */
  async keys(): Promise<readonly number[]> {
    const took: number[] = [];
    for (let nth = 0; nth < KEYS; nth++) {
      const key = String.fromCharCode(0x3b1 + nth % 24);
      const from = this.shown.length;
      await this.type(key);
      took.push(await this.until(key, from));
      await this.type("\x7f");
      await new Promise((resolve) => setTimeout(resolve, KEY_GAP_MS));
    }
    return took;
  }

  async end(): Promise<void> {
    this.#child.kill("SIGHUP");
    await this.#child.status;
  }
}

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
  const open = (folder: Folder) => new Terminal([...program, "chat"], { folder, env });
  const ready: number[] = [], asked: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    asked.push(await first_request());
    await in_folder(async (folder) => {
      const terminal = open(folder);
      await terminal.until(READY, 0);
      ready.push(performance.now() - terminal.began);
      await terminal.end();
    });
  }
  const [idle, streaming, later] = await in_folder(async (folder) => {
    const terminal = open(folder);
    await terminal.until(READY, 0);
    const idle = await terminal.keys();
    for (let nth = 0; nth < MESSAGES; nth++) {
      const from = terminal.shown.length;
      await terminal.type(`message ${nth}\r`);
      await terminal.until("Short.", from);
    }
    const later = await terminal.keys();
    const from = terminal.shown.length;
    await terminal.type("stream please\r");
    await terminal.until("word.", from);
    const streaming = await terminal.keys();
    await terminal.end();
    return [idle, streaming, later];
  });
  await server.close();
  const ms = { unit: "ms" } as const;
  return [
    {
      what: `${name}: start of a chat to its input / start of a run to its first request`,
      measured: median(ready),
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
      what: `${name}: a key, after ${MESSAGES} messages / before the first`,
      measured: median(later),
      baseline: median(idle),
      limit: LIMITS.later,
      ...ms,
    },
  ];
}
