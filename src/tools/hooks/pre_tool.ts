/** The verdict of a `pre_tool` hook, from its exit code and output. What cannot be understood is a refusal. */
import { is_record, json } from "../../config/json.ts";
import { ending } from "../work/shell/ending.ts";
import type { CommandResult } from "../work/shell/shell.ts";

type HookVerdict =
  | { readonly kind: "go_on" }
  | { readonly kind: "rewritten"; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "stopped" };

/** The exit code by which a hook refuses; agents with hooks agree on it. */
const REFUSED = 2;
/** Of a reason: as much as the shell keeps of stderr. The model has to read it at every further step. */
const REASON_CHARS = 4000;

/** What a hook that ended like this says. `timeout_s` is what it was given. */
export function hook_verdict(result: CommandResult, timeout_s: number): HookVerdict {
  const words = (result.errors.trim() || result.output.trim()).slice(0, REASON_CHARS);
  if (result.ended_by === "cancel") return { kind: "stopped" };
  if (result.ended_by === "itself" && result.exit_code === 0) return spoken(result.output.trim());
  if (result.ended_by === "itself" && result.exit_code === REFUSED) {
    return refused(words || "it gave no reason");
  }
  const how = `the hook failed: ${ending(result, timeout_s)}`;
  return refused(words === "" ? how : `${how}\n${words}`);
}

function spoken(text: string): HookVerdict {
  if (text === "") return { kind: "go_on" };
  const said = json(text);
  if (!is_record(said)) return refused(misspoken("its output is not a JSON object", text));
  const { arguments: args, refuse, ...rest } = said;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    return refused(misspoken(`its output has an unknown key, ${unknown}`, text));
  }
  if (refuse !== undefined) {
    if (typeof refuse !== "string") return refused(misspoken("its reason is not a string", text));
    return refused(refuse.trim().slice(0, REASON_CHARS) || "it gave no reason");
  }
  if (args === undefined) return { kind: "go_on" };
  if (!is_record(args)) return refused(misspoken("its arguments are not an object", text));
  return { kind: "rewritten", args };
}

function misspoken(what: string, text: string): string {
  return `the hook failed: ${what}\n${text.slice(0, REASON_CHARS)}`;
}

function refused(reason: string): HookVerdict {
  return { kind: "refused", reason };
}
