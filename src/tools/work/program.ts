import type { Policy } from "../../sandbox/policy.ts";
import { ended_first } from "../../sandbox/processes/out_of_memory.ts";
import { limit_self } from "../../sandbox/processes/rlimits.ts";
import { wrapper } from "../../sandbox/enforce/seatbelt.ts";
import type { Executed } from "../protocol.ts";

/** Runs one program in the workspace under the policy, with the input and output of `hamr` itself. Never throws. */
export async function run_program(argv: readonly string[], policy: Policy): Promise<Executed> {
  const [program = "", ...args] = [...wrapper(policy), ...argv];
  if (policy.sandbox !== "off") limit_self();
  try {
    const command = new Deno.Command(program, {
      args,
      cwd: policy.workspace,
      env: { ...policy.env },
      clearEnv: true,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    const { code, signal } = await ended_first(() => command.spawn()).status;
    return signal === null ? { kind: "ended", code } : { kind: "killed", signal, code };
  } catch (error) {
    const is_missing = error instanceof Deno.errors.NotFound;
    const why = is_missing
      ? "there is no such program"
      : error instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : error instanceof Error
      ? error.message
      : String(error);
    return { kind: "not_started", why, code: is_missing ? 127 : 126 };
  }
}
