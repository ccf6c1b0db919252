import { is_live, type Subscriber } from "../agent/events.ts";

/**
 * A subscriber that writes every event to an open file, a JSON object a line with the time of day. A disk
 * that is full ends the log, not the run.
 */
export function log_file(file: Deno.FsFile): Subscriber {
  const encoder = new TextEncoder();
  let broken = false;
  return (event) => {
    if (broken || is_live(event)) return;
    const entry = { time: new Date().toISOString(), ...event };
    const bytes = encoder.encode(`${JSON.stringify(entry)}\n`);
    try {
      for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
    } catch {
      broken = true;
    }
  };
}
