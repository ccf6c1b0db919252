import { is_live, type Stamped, type Subscriber } from "../agent/events.ts";

/**
 * A subscriber that writes every event to an open file, a JSON object a line, by default with the time of day. A disk that is
 * full ends the log, not the run. While a call runs nothing is written: the file may lie in the workspace, and what changes there
 * then is the call's doing.
 */
export function log_file(
  file: Deno.FsFile,
  entry: (event: Stamped) => object = (event) => ({ time: new Date().toISOString(), ...event }),
): Subscriber {
  const encoder = new TextEncoder();
  const running = new Set<string>();
  let held = "";
  let broken = false;
  return (event) => {
    if (broken || is_live(event)) return;
    if (event.type === "tool_result") running.delete(event.id);
    held += `${JSON.stringify(entry(event))}\n`;
    if (running.size === 0 || event.type === "result") {
      try {
        write_all(file, encoder.encode(held));
      } catch {
        broken = true;
      }
      held = "";
    }
    // That of a subagent changes nothing itself, and takes long.
    if (event.type === "tool_call" && event.name !== "delegate_task") running.add(event.id);
  };
}

/** Writes all of it. Throws where that can't be done. */
export function write_all(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}
