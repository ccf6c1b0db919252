import { json_line } from "../config/json.ts";
import { is_live, type Stamped, type Subscriber } from "../agent/events.ts";
import { why } from "../config/paths.ts";
import { type Sink, write_on } from "../permission/put_beside.ts";

/** Writes every event to an open file, a JSON object a line. A full disk ends the log only. While a call runs nothing is written there. */
export function log_file(
  file: Sink,
  { entry = (event) => ({ time: new Date().toISOString(), ...event }), broke }: {
    /** What is written of an event; default: all of it, with the time of day. */
    entry?: (event: Stamped) => object;
    /** Hears once why no more can be written. */
    broke: (why: string) => void;
  },
): Subscriber {
  const encoder = new TextEncoder();
  const running = new Set<string>();
  let held = "";
  let broken = false;
  return (event) => {
    if (broken || is_live(event)) return;
    if (event.type === "tool_result") running.delete(event.id);
    held += json_line(entry(event));
    if (running.size === 0 || event.type === "result") {
      try {
        write_on(file, encoder.encode(held));
      } catch (error) {
        broken = true;
        broke(why(error));
      }
      held = "";
    }
    // The call that sends a subagent changes nothing itself, and takes long.
    if (event.type === "tool_call" && event.name !== "delegate_task") running.add(event.id);
  };
}
