/** `--steer`: each line of standard input is a message to the run under way. */
import { Steering } from "../agent/steering.ts";

/** A line longer than this is no message: what follows of it is another one. */
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
    for (const line of lines) steering.steer(line.trimEnd());
  }
  steering.steer(rest.trimEnd());
}
