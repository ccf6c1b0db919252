/** Requests beside the conversation, by another model if the settings name one. */
import { at_end } from "../config/attempt.ts";
import type { Completion } from "../model/completion/complete.ts";
import { limits_of, NoModelError } from "../model/server/provider.ts";
import { aside } from "./ask.ts";
import { History } from "./history.ts";
import type { Auxiliary, Session } from "./session.ts";
import { wire_to } from "./switch_model.ts";

/** Works with the model that settings name for it, or the session's own. Its tokens count for the run. Rejects if that model can't be used. */
export async function with_auxiliary<T>(
  session: Session,
  kind: Auxiliary,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const helper = await (await session.fallbacks()).auxiliary(kind);
  if (helper === null) return await work(session);
  const { endpoint, refused, fallbacks } = helper;
  const wire = await wire_to(helper);
  const { parent: _, ...own } = session;
  const other: Session = {
    ...own,
    endpoint,
    refused,
    wire,
    history: new History(wire, endpoint.model),
    tools: [],
    limits: { ...own.limits, http: limits_of(endpoint, own.limits.http.idle_ms) },
    fallbacks: () => Promise.resolve(fallbacks),
  };
  using _end = at_end(() => helper.endpoint = other.endpoint);
  return await work(other);
}

/** A question beside the conversation for such a model. One that cannot be used has failed to answer. */
export async function ask_auxiliary(
  session: Session,
  kind: Auxiliary,
  question: (asked: Session) => Parameters<typeof aside>[1],
): Promise<Completion> {
  try {
    return await with_auxiliary(session, kind, (asked) => aside(asked, question(asked)));
  } catch (error) {
    if (!(error instanceof NoModelError)) throw error;
    const { message } = error;
    return { kind: "failed", error: { kind: "bad_request", message, status: null } };
  }
}
