/** Finds skills: folders with a `SKILL.md` (agentskills.io). Runs before the first request, so it does not read their files. */
import { is_file, is_inside, real_or_null } from "../config/paths.ts";
import { by_name } from "../config/text.ts";
import { names_in } from "../permission/paths.ts";

/** Of the workspace: those that all agents share, hamr's own, those of Claude Code. */
export const SKILL_FOLDERS = [".agents/skills", ".hamr/skills", ".claude/skills"];
/** As the format has it; nothing that a path or a prompt would take for more. */
const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/i;

interface SkillPlace {
  readonly name: string;
  readonly file: string;
}

/** All there are, by name; the workspace's before those in the folder of the user's settings. */
export function skill_places(workspace: string, own_folder: string | null): readonly SkillPlace[] {
  const found = new Map<string, SkillPlace>();
  for (const folder of SKILL_FOLDERS) {
    for (const place of places_in(`${workspace}/${folder}`)) {
      // A link in a stranger's workspace may lead to a key.
      const real = real_or_null(place.file);
      const inside = real !== null && is_inside(real, workspace);
      if (inside && !found.has(place.name)) found.set(place.name, place);
    }
  }
  for (const place of own_folder === null ? [] : places_in(`${own_folder}/skills`)) {
    if (!found.has(place.name)) found.set(place.name, place);
  }
  return [...found.values()].sort(by_name);
}

function places_in(folder: string): SkillPlace[] {
  return names_in(folder).filter((name) => NAME.test(name))
    .map((name) => ({ name, file: `${folder}/${name}/SKILL.md` }))
    .filter(({ file }) => is_file(file));
}
