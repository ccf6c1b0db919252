import type { Tool } from "../tool.ts";

/** What a call of `skill` gives. */
export interface SkillArgs {
  readonly name: string;
}

/** Of all descriptions together: a tenth of a small window. */
const DESCRIPTIONS_CHARS = 4000;

/** Loads the text of a skill. Offered once it is known which there are. */
export const skill: Tool<SkillArgs> = {
  name: "skill",
  description:
    "Load a skill: instructions for one kind of task. Do so before you begin such a task.",
  parameters: {
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
  },
  read_only: true,
  offered: "never",
  agent_level: true,
  summary: ({ name }) => name,
};

/** The tool with the skills that there are. */
export function skill_with(
  skills: readonly { readonly name: string; readonly description: string }[],
): Tool<SkillArgs> {
  let left = DESCRIPTIONS_CHARS;
  const lines = skills.map(({ name, description }) => {
    const line = `\n- ${name}: ${description}`;
    if (line.length > left || description === "") return `\n- ${name}`;
    left -= line.length;
    return line;
  });
  return { ...skill, offered: "deferrable", description: skill.description + lines.join("") };
}
