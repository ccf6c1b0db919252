/** What a command's words alone reveal about it. Not a shell parser: only for hints. */
import { resolved } from "./paths.ts";

/** Programs that show what is in files: an error in their output is mostly someone else's. */
const READERS = new Set(
  "awk bat cat cut diff dmesg egrep fgrep find grep head jq journalctl less ls more rg sed sort strings tail wc"
    .split(" "),
);
/** Say nothing about what the command is for. */
const NEUTRAL = new Set("cd echo exit export false printf set true".split(" "));
/** Readers with what makes them change something. */
const CHANGING = [
  [/\bsed\b/, / -\w*i/],
  [/\bfind\b/, / -(?:exec|delete|fprint)/],
  [/\bsort\b/, / -o\b/],
] as const;
/** Commands of `git` that show contents. */
const GIT_READERS = new Set(["blame", "diff", "grep", "log", "show"]);

/** Whether a command does at most show files: what it prints is then not about itself. */
export function command_only_reads(command: string): boolean {
  return !writes(command) && pipelines(command).every(is_reader);
}

/** Whether exit code 0 may hide that a part of the command, or of a script, failed; not where a part shows what is in files. */
export function may_be_masked(command: string): boolean {
  return /\||;|\n|\.sh\b|&\s*$/.test(command.trim()) &&
    !pipelines(command).some((words) => is_reader(words) && !/^(?:ls|wc)$/.test(words[0] ?? ""));
}

/** How many lines at the end of the output are the last part's, whose failure `tail` hides; 0 where that part shows files. */
export function tail_of_last(command: string): number {
  const lines = /\|\s*tail\s+-(?:n\s*)?(\d+)\s*$/.exec(command)?.[1];
  const last = pipelines(command).at(-1);
  return lines === undefined || last === undefined || is_reader(last) ? 0 : Number(lines);
}

/** Whether a part of it begins with this program, which is for more than to show files. */
export function changes_with(command: string, program: string): boolean {
  return !READERS.has(program) &&
    pipelines(command).some(([first = ""]) => first.replace(/^.*\//, "") === program);
}

/** The folder in which a command leaves the shell, as far as its words tell. */
export function folder_at_end(command: string, workspace: string): string {
  let folder = workspace;
  for (
    const [, path] of command.matchAll(
      /(?:^|[;&|(\n])[^\S\n]*cd\s+(?:--\s+)?["']?([^\s"';&|()$`*?~]+)["']?/g,
    )
  ) {
    folder = resolved(folder, path ?? "");
  }
  return folder;
}

/** The commands that are at the beginning of a pipeline, without what only moves about or sets up. */
function pipelines(command: string): string[][] {
  return command.split(/&&|\|\||;|\n/).map((part) => words_of(part.split("|")[0] ?? ""))
    .filter(([first]) => first !== undefined && !NEUTRAL.has(first));
}

function words_of(part: string): string[] {
  const words = part.trim().split(/\s+/).filter((word) =>
    word !== "" && word !== "(" && word !== "{"
  );
  while (/^\w+=/.test(words[0] ?? "")) words.shift();
  return words;
}

function is_reader(words: readonly string[]): boolean {
  const [first = "", ...rest] = words;
  if (first === "git") return GIT_READERS.has(rest.find((word) => !word.startsWith("-")) ?? "");
  return READERS.has(first.replace(/^.*\//, ""));
}

/** `> file`, `sed -i`, `find -exec`, `sort -o`: readers that change something after all. */
function writes(command: string): boolean {
  return /(?<![0-9&])>{1,2}(?!\s*&|\s*\/dev\/null)/.test(command.replace(/\d>{1,2}/g, ">&")) ||
    /<\(|\$\(|`/.test(command) || command.split("\n").some(changes_in_place);
}

/** From the first of such words on: one may be there without end. */
function changes_in_place(line: string): boolean {
  return CHANGING.some(([program, option]) => {
    const at = line.search(program);
    return at >= 0 && option.test(line.slice(at));
  });
}
