/** The policy of a command that runs something at once without being a run. */
import { or_throw } from "../config/attempt.ts";
import type { Policy } from "../sandbox/policy.ts";
import { settle } from "../permission/make_folders.ts";
import { no_folder } from "./command_folders.ts";
import { enforceable_policy, type Enforced } from "./policy.ts";
import type { RunSettings } from "./settings.ts";

/** That of a run, its folders made: they are named by `name` and an ID. Throws `StartError` for what can't be enforced, or made. */
export async function command_policy(
  name: string,
  place: RunSettings,
  given: Omit<Parameters<typeof enforceable_policy>[1], "session_id">,
): Promise<Enforced> {
  const session_id = `${name}-${crypto.randomUUID()}`;
  const enforced = await enforceable_policy(place, { ...given, session_id });
  return { ...enforced, policy: settled(enforced.policy) };
}

/** What a policy becomes on this machine. Throws `StartError` where not even a temporary folder can be made. */
export function settled(policy: Policy): Policy {
  return or_throw(() => settle(policy), no_folder);
}
