/** What a reply in very many pieces takes of memory, beyond its own text. */
import { start } from "../../tests/support/hamr.ts";
import { type Figure, median } from "./figures.ts";
import type { Folder } from "./folder.ts";

/** Issue 14. */
const LIMIT_MB = 40;
const PIECES = 1_000_000;
const PIECE = "tok ";
/** What wraps a piece: with it they are 250 MB. */
const ID = `chatcmpl-${"x".repeat(100)}`;
/** Bytes that are sent at once. */
const SENT = 60_000;
const ROUNDS = 3;

function event(delta: unknown, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  const value = { id: ID, object: "chat.completion.chunk", created: 1, model: "m", choices };
  return `data: ${JSON.stringify(value)}\n\n`;
}

function* reply(pieces: number): Generator<string> {
  let held = event({ role: "assistant", content: "" });
  const piece = event({ content: PIECE });
  for (let n = 0; n < pieces; n++) {
    held += piece;
    if (held.length < SENT) continue;
    yield held;
    held = "";
  }
  yield `${held}${event({}, "stop")}data: [DONE]\n\n`;
}

/** MB that a run takes whose one reply comes in so many pieces. */
async function peak_mb(
  pieces: number,
  { program, in_folder }: {
    readonly program: readonly string[];
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
  },
): Promise<number> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (!request.url.endsWith("/chat/completions")) {
      return Response.json({ data: [{ id: "scripted", context_length: 10_000_000 }] });
    }
    await request.text();
    const body = ReadableStream.from(reply(pieces)).pipeThrough(new TextEncoderStream());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const env = {
    HAMR_BASE_URL: `http://127.0.0.1:${server.addr.port}/v1`,
    HAMR_MODEL: "scripted",
  };
  const { code, stderr, peak_kb } = await in_folder((folder) =>
    start(["run", "--quiet", "--mode", "ask", "Count."], { ...folder, program, env }).done
  );
  await server.shutdown();
  if (code !== 0) throw new Error(`exit ${code}\n${stderr}`);
  return peak_kb / 1024;
}

/** The figures of one program. */
export async function stream_figures(
  program: readonly string[],
  { name, in_folder }: {
    readonly name: string;
    readonly in_folder: <T>(body: (folder: Folder) => Promise<T>) => Promise<T>;
  },
): Promise<Figure[]> {
  const long: number[] = [], short: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    long.push(await peak_mb(PIECES, { program, in_folder }));
    short.push(await peak_mb(1, { program, in_folder }));
  }
  return [{
    what: `${name}: memory of ${PIECES} pieces beyond their text`,
    measured: median(long) - median(short) - PIECES * PIECE.length / 1024 / 1024,
    baseline: null,
    unit: "MB",
    limit: LIMIT_MB,
  }];
}
