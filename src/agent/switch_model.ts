/** Switches a run to another model or protocol: the conversation is sent again in its form. */
import { type Endpoint, limits_of } from "../model/server/provider.ts";
import type { RefusedPart } from "../model/refusals.ts";
import type { Wire } from "../model/wire.ts";
import { without_refused_parts } from "../model/protocols/fitted_calls.ts";
import { PROTOCOLS, wire_of } from "../model/protocols/protocols.ts";
import { type History, tool_tokens } from "./history.ts";
import type { Session } from "./session.ts";

/** PROVIDER/MODEL, for people. */
export function model_name({ provider, model }: Pick<Endpoint, "provider" | "model">): string {
  return `${provider}/${model}`;
}

/** Leaves something out of all requests from now on. `asked` is what the one under way is made from. */
export async function do_without(
  session: Session,
  refusal: RefusedPart,
  asked: History,
): Promise<void> {
  session.refused.add(refusal);
  switch (refusal) {
    case "temperature":
    case "reasoning_effort":
    case "max_tokens":
    case "one_stream":
    case "stream_options":
    case "tool_choice":
    case "parallel_tool_calls":
    case "include":
    case "cache_control":
    case "max_output_tokens":
      return;
    case "stream":
    case "one_piece":
      session.limits = { ...session.limits, stream: refusal === "one_piece" };
      return;
    case "chat_completions":
      await go_on_with(session, { ...session.endpoint, api_mode: "codex_responses" }, asked);
      // It was forgotten, as what another model refuses.
      session.refused.add(refusal);
      return;
    default: {
      const in_text = refusal === "tools" || session.wire.tools_in_text === true;
      return await rewire(session, { asked, in_text });
    }
  }
}

/** Goes on with another model: it gets all that was said, over its own wire. */
export async function go_on_with(
  session: Session,
  endpoint: Endpoint,
  asked: History,
): Promise<void> {
  // Of streams, too, another model may think otherwise.
  const { refused } = session;
  const stream = refused.has("stream") || (session.limits.stream && !refused.has("one_piece"));
  refused.clear();
  // Calls in text work everywhere; once begun, they stay.
  const in_text = session.wire.tools_in_text === true || endpoint.no_tools !== undefined;
  for (const each of sharing(session)) {
    const { http, ...limits } = each.limits;
    each.endpoint = endpoint;
    each.limits = { ...limits, stream, http: limits_of(endpoint, http.idle_ms) };
    // A helper has no conversation of its own, and shares the state of the agent it works for.
    if (each.history.messages.length === 0) continue;
    // Another model counts in another way, and may hold more.
    each.state.window.token_ratio = 1;
    each.state.window.refused_at = 0;
    each.state.vision.blind = false;
    each.state.window.learned = null;
  }
  await rewire(session, { asked, in_text });
}

/** The session, and those that share its model: the agents it works for. */
function sharing(session: Session): Session[] {
  const { parent, lane } = session;
  return parent === undefined || lane ? [session] : [session, ...sharing(parent)];
}

async function rewire(
  session: Session,
  { asked, in_text }: { asked: History; in_text: boolean },
): Promise<void> {
  const { text_calls, with_catalog } = await import("../model/protocols/text_calls.ts");
  for (const each of sharing(session)) {
    const plain = await wire_to(session);
    const begins = in_text && each.wire.tools_in_text !== true;
    const system = each.history.messages[0]?.content ?? "";
    each.wire = in_text ? text_calls(plain) : plain;
    each.tool_tokens = in_text ? 0 : tool_tokens(each.tools);
    rewrite(each.history, each, begins ? with_catalog(system, each.tools) : undefined);
  }
  if (asked !== session.history) rewrite(asked, session);
}

function rewrite(history: History, { wire, endpoint }: Session, system?: string): void {
  history.rewire(wire, { model: endpoint.model, system });
}

/** The wire to a server, without what that has refused. */
export async function wire_to(session: Pick<Session, "endpoint" | "refused">): Promise<Wire> {
  const { endpoint, refused } = session;
  const told = {
    wants_reasoning: refused.has("no_reasoning"),
    signs_calls: refused.has("unsigned_calls"),
    refuses_empty_text: refused.has("empty_text"),
    refuses_marks: refused.has("cache_marks"),
  };
  const habits = () => ({ ...session.endpoint, ...told });
  const wire = without_refused_parts(await wire_of(endpoint.api_mode, habits), refused);
  const refuses = refused.has("system") || refused.has("system_name");
  const { instead_of_system } = PROTOCOLS[endpoint.api_mode];
  if (!refuses || instead_of_system === null) return wire;
  const roles = await import("../model/protocols/without_system.ts");
  return refused.has("system") || instead_of_system === "user"
    ? roles.without_system(wire)
    : roles.as_developer(wire);
}
