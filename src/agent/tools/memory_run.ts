import { cut, one_line, plural } from "../../config/text.ts";
import { why } from "../../config/paths.ts";
import type { QueryArgs, SaveMemoryArgs } from "../../tools/declared/agent_level_tools.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done } from "../../tools/tool.ts";
import type { Session } from "../session.ts";
import { NOTES, NOTHING_FOUND, run_session_search } from "./session_search_run.ts";
import type { Facts } from "../taped_tools.ts";
import type { Fact } from "../../store/memory.ts";

/** Of a fact that holds everywhere, for the person: what one project has taught may be wrong, or meant ill, in another. */
const SHOWN_CHARS = 200;
const CORRECT =
  'A fact that is no longer right: save_memory {"fact", "replaces": "its first words"}. "scope": "user" holds in all projects.';
const SCOPES: Readonly<Record<string, Fact["scope"]>> = { project: "workspace", user: "global" };

export async function run_search_memory(call: CheckedCall, session: Session): Promise<Done> {
  const { query } = call.args as QueryArgs;
  return await with_memory(session, async (memory) => {
    const { facts, sessions } = await memory.find(query, async () => {
      const { ok, text, summary } = await run_session_search(call, session);
      return ok && summary !== NOTHING_FOUND ? `${summary}\n${text}` : null;
    });
    if (facts.length === 0) {
      const none = { ok: true, text: "No match in memory.", summary: NOTHING_FOUND };
      if (sessions === undefined) return none;
      const [count = "", ...lines] = sessions.split("\n");
      return { ...none, text: [none.text, ...lines].join("\n"), summary: count };
    }
    const lines = facts.map(({ text, saved }) => `- ${one_line(text)} (${saved.slice(0, 10)})`);
    const summary = plural(facts.length, "fact");
    return { ok: true, text: [NOTES, ...lines, CORRECT].join("\n"), summary };
  });
}

export async function run_save_memory(call: CheckedCall, session: Session): Promise<Done> {
  const { fact, replaces, scope } = call.args as SaveMemoryArgs;
  const known = scope === undefined ? undefined : SCOPES[String(scope)];
  if (scope !== undefined && known === undefined) return refused('scope is "project" or "user"');
  if (replaces !== undefined && typeof replaces !== "string") return refused("replaces is no text");
  const how = {
    ...(replaces === undefined ? {} : { replaces }),
    ...(known === undefined ? {} : { scope: known }),
  };
  if (session.limits.dry_run) return { ok: true, text: "[dry run] not saved", summary: "dry run" };
  return await with_memory(session, (memory) => {
    const saved = memory.save(fact, how);
    if (saved.kind === "refused") return refused(saved.why);
    if (saved.kind !== "known" && saved.id.startsWith("g")) {
      const { replaced = "", replaced_everywhere } = saved;
      const shown = (text: string) => cut(one_line(text), SHOWN_CHARS);
      const [lost, back] = replaced_everywhere
        ? [` in place of: ${shown(replaced)}`, "removes it"]
        : ["", "takes it back"];
      const how = `(hamr memory rm ${saved.id} ${back})`;
      const message = `saved for all your projects: ${shown(fact)}${lost} ${how}`;
      session.emit({ type: "warning", message });
    }
    if (saved.kind !== "saved") {
      return { ok: true, text: "Saved: already known.", summary: "known already" };
    }
    return saved.replaced === undefined
      ? { ok: true, text: "Saved.", summary: "saved" }
      : { ok: true, text: `Saved in place of: ${saved.replaced}`, summary: "replaced" };
  });
}

function refused(why: string): Done {
  return { ok: false, text: `Error: not saved: ${why}`, summary: `not saved: ${why}` };
}

/** A memory that is not there, or fails, is the model's to know and no reason to end the run. */
async function with_memory(
  session: Session,
  work: (memory: Facts) => Done | Promise<Done>,
): Promise<Done> {
  const { memory } = await session.services();
  const failed = (reason: string): Done => ({
    ok: false,
    text: `Error: ${reason}. Go on without it.`,
    summary: reason,
  });
  if (memory === null) return failed("memory is off in this run");
  try {
    return await work(memory);
  } catch (error) {
    return failed(`memory failed: ${one_line(why(error))}`);
  }
}
