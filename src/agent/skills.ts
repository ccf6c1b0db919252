/** Reads skills: the descriptions of all, and the text of one on demand. Loaded after the first request, if there are any. */
import { front_matter } from "../config/front_matter.ts";
import { is_inside } from "../config/paths.ts";
import { by_name, cut, defused } from "../config/text.ts";
import { entries_in } from "../permission/paths.ts";
import { read_inside } from "../sandbox/kernel/read_inside.ts";
import { skill_places } from "./skill_places.ts";
import type { SkillSource } from "./session.ts";

/** Length of one text; the format recommends less than 5,000 tokens. */
const BODY_BYTES = 20_480;
/** As the format has it. */
const DESCRIPTION_CHARS = 1024;
const NAMED = 40;

export function skills_of(
  workspace: string,
  own_folder: string | null,
): Pick<SkillSource, "list" | "read"> {
  const places = () => skill_places(workspace, own_folder);
  return {
    list: () =>
      Promise.resolve(
        places().map(({ name, file }) => {
          const { description } = front_matter(head_of(file, workspace).text).fields;
          const words = typeof description === "string" ? description : "";
          return { name, description: cut(plain(words), DESCRIPTION_CHARS) };
        }),
      ),
    read: (name) => {
      const place = places().find((one) => one.name === name);
      return Promise.resolve(place === undefined ? null : text_of(place.file, workspace));
    },
  };
}

function text_of(file: string, workspace: string): string {
  const { text, more } = head_of(file, workspace);
  const { body } = front_matter(text);
  const folder = file.slice(0, file.lastIndexOf("/"));
  const shown = folder.startsWith(`${workspace}/`) ? folder.slice(workspace.length + 1) : folder;
  const files = names_below(folder, "").filter((name) => name !== "SKILL.md");
  const named = files.slice(0, NAMED).join(", ");
  return [
    `This skill is in ${shown}; paths in it are relative to that.${
      files.length === 0 ? "" : ` Its files: ${named}${files.length > NAMED ? ", and more" : ""}.`
    }`,
    `<skill>\n${defused(body.trim(), "skill|hamr")}\n</skill>`,
    ...(more ? ["[it is longer; read its SKILL.md]"] : []),
  ].join("\n");
}

function names_below(folder: string, before: string): string[] {
  return entries_in(folder).sort(by_name).flatMap(({ name, isDirectory }) =>
    isDirectory && before.split("/").length < 3
      ? names_below(`${folder}/${name}`, `${before}${name}/`)
      : [`${before}${plain(name)}`]
  ).slice(0, NAMED + 1);
}

/** On one line, without tags and control characters. */
function plain(text: string): string {
  return defused(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim(), "skill|hamr");
}

/** What is there by now: a command may have put a link in its place since it was found. */
function head_of(
  file: string,
  workspace: string,
): { readonly text: string; readonly more: boolean } {
  const folder = is_inside(file, workspace) ? workspace : "/";
  const bytes = read_inside(file, { folder, most: BODY_BYTES + 1 }) ?? new Uint8Array();
  const text = new TextDecoder().decode(bytes.subarray(0, BODY_BYTES), { stream: true });
  return { text, more: bytes.length > BODY_BYTES };
}
