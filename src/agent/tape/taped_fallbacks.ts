/** A run's fallback models, through its tape. */
import type { Endpoint } from "../../model/server/endpoint.ts";
import type { Auxiliary, Fallbacks, Helper, Spare } from "../session.ts";
import type { Tape } from "../tape.ts";

/** An endpoint as it is kept: no key, no header, no password in its address. */
export type EndpointFacts = Omit<Endpoint, "headers" | "key" | "client">;

export function endpoint_facts(endpoint: Endpoint): EndpointFacts {
  const { headers: _, key: __, client: ___, base_url, ...facts } = endpoint;
  return { ...facts, base_url: base_url.replace(/^(\w+:\/\/)[^/@]*@/, "$1") };
}

/** An endpoint that is never contacted. */
export function endpoint_of_facts(facts: EndpointFacts): Endpoint {
  return { ...facts, headers: {}, key: "" };
}

/** Fallbacks that are heard through a tape; null in a replay. What is kept of them holds no keys. */
export function taped_fallbacks(tape: Tape, fallbacks: Fallbacks | null): Fallbacks {
  const helpers = new Map<Auxiliary, Promise<Helper | null>>();
  const others = new Map<string, Promise<Helper>>();
  const real = (): Fallbacks => {
    if (fallbacks === null) throw new TypeError("a replay asks nobody");
    return fallbacks;
  };
  return {
    renewed: (endpoint) => through(tape, "renewed", () => real().renewed(endpoint)),
    asked_again: (endpoint) => through(tape, "asked_again", () => real().asked_again(endpoint)),
    next() {
      let spare: Spare | null = null;
      const name = tape.ask_now("spare", () => (spare = real().next())?.name ?? null);
      if (name === null) return null;
      return {
        name,
        endpoint: async () =>
          await through(tape, "spare_endpoint", async () => await real_of(spare).endpoint()) ??
            Promise.reject(new TypeError("a spare without an endpoint")),
      };
    },
    named(model) {
      const known = others.get(model);
      if (known !== undefined) return known;
      const made = helper(tape, () => real().named(model)).then((found) =>
        found ?? Promise.reject(new TypeError("a model without an endpoint"))
      );
      others.set(model, made);
      return made;
    },
    auxiliary(work) {
      const known = helpers.get(work);
      if (known !== undefined) return known;
      const made = helper(tape, () => real().auxiliary(work));
      helpers.set(work, made);
      return made;
    },
  };
}

function real_of(spare: Spare | null): Spare {
  if (spare === null) throw new TypeError("a replay asks nobody");
  return spare;
}

async function helper(tape: Tape, find: () => Promise<Helper | null>): Promise<Helper | null> {
  let found: Helper | null = null;
  const endpoint = await through(tape, "helper", async () => {
    found = await find();
    return found?.endpoint ?? null;
  });
  if (endpoint === null) return null;
  const fallbacks = taped_fallbacks(tape, (found as Helper | null)?.fallbacks ?? null);
  return { endpoint, refused: new Set(), fallbacks };
}

/** An endpoint: the real one where there is one; what is kept of it in a replay. */
async function through(
  tape: Tape,
  question: "renewed" | "asked_again" | "spare_endpoint" | "helper",
  find: () => Promise<Endpoint | null>,
): Promise<Endpoint | null> {
  let endpoint: Endpoint | null = null;
  const facts = await tape.ask(question, async () => {
    endpoint = await find();
    return endpoint === null ? null : endpoint_facts(endpoint);
  });
  return endpoint ?? (facts === null ? null : endpoint_of_facts(facts));
}
