import type { Stamped } from "../agent/events.ts";
import type { AgentCallbacks } from "./agent_api.ts";

/** Hears every event, and calls back for those that somebody waits for. */
export function call_back(to: AgentCallbacks): (event: Stamped) => void {
  let thinks = false;
  const think = (now: boolean) => {
    if (now !== thinks) to.thinking?.(now);
    thinks = now;
  };
  return (event) => {
    switch (event.type) {
      case "reasoning_delta":
        think(event.finished !== true);
        if (event.text !== "") to.reasoning?.(event.text);
        return;
      case "text_delta":
        think(false);
        if (event.text !== "") to.streamDelta?.(event.text);
        return;
      case "writing":
        think(false);
        return to.toolGen?.({ name: event.name, chars: event.chars });
      case "step_start":
        return to.step?.(event.step);
      case "tool_call":
        think(false);
        return to.toolProgress?.({ id: event.id, name: event.name });
      case "tool_result": {
        const { id, name, ok, summary, ms } = event;
        return to.toolProgress?.({ id, name, ended: { ok, summary, ms } });
      }
      case "result":
        return think(false);
    }
  };
}
