import type { Event } from "../agent/events.ts";
import { describe } from "../sandbox/report/describe.ts";
import type { Started } from "./compose.ts";

/** The first event of a run: the model, and the policy with who enforces each line of it. */
export function session_start(
  { session, policy, support }: Pick<Started, "session" | "policy" | "support">,
  session_id: string,
): Event {
  const { endpoint } = session;
  const { workspace, read, deny_read, write, run, net, sandbox } = policy;
  return {
    type: "session_start",
    session_id,
    model: endpoint.model,
    provider: endpoint.provider,
    api_mode: endpoint.api_mode,
    context_window: endpoint.context_window,
    window_source: endpoint.window_source,
    workspace,
    policy: {
      ...{ workspace, read, deny_read, write, run, net, sandbox },
      env: Object.keys(policy.env),
      lines: describe(policy, support),
    },
  };
}
