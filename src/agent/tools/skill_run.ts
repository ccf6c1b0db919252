import { some_of } from "../../config/text.ts";
import type { SkillArgs } from "../../tools/declared/agent_level_tools.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done } from "../../tools/tool.ts";
import type { Session } from "../session.ts";

export async function run_skill(call: CheckedCall, session: Session): Promise<Done> {
  const { name } = call.args as SkillArgs;
  const { skills } = await session.services();
  const text = skills === null
    ? null
    : await session.tape.ask("skill", () => skills.read(name.trim()));
  if (text !== null) return { ok: true, text, summary: "loaded" };
  const known = some_of(skills?.names ?? []);
  return {
    ok: false,
    text: `Error: there is no skill ${JSON.stringify(name.slice(0, 100))}; ` +
      (known === "" ? "there are none here" : `known: ${known}`),
    summary: "no such skill",
  };
}
