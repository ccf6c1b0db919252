/**
 * `--steer`: each line of standard input is a message to the run under way. A line that is a JSON object
 * `{"type":"user","text":"..."}` says its text, which may have several lines; `{"type":"interrupt","text":"..."}` says it at once,
 * and what the run is doing is dropped.
 */
import { Steering } from "../agent/steering.ts";

/** A line longer than this is not a message: what follows of it is another one. */
const LINE_CHARS = 65_536;

/** Hears standard input from now on, until its end; the process may end before that. Nothing that goes wrong there ends a run. */
export function steered_by_stdin(): Steering {
  const steering = new Steering();
  void hear(steering).catch(() => {}); // Whoever spoke is gone: the run goes on.
  return steering;
}

async function hear(steering: Steering): Promise<void> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LINE_CHARS) {
      lines.push(rest);
      rest = "";
    }
    for (const line of lines) say(steering, line);
  }
  say(steering, rest);
}

/** Says what a line says: anything but the two objects is a message as it stands. */
export function say(steering: Steering, line: string): void {
  const { type, text = "" } = object_in(line);
  if (typeof text === "string" && type === "interrupt") steering.interrupt(text);
  else if (typeof text === "string" && type === "user") steering.steer(text);
  else steering.steer(line.trimEnd());
}

function object_in(line: string): Readonly<Record<string, unknown>> {
  if (!line.startsWith("{")) return {};
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
