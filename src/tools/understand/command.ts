/** Commands the way other agents write them: a list of words, a folder to run in, a patch. */
import { shell_quoted } from "../../config/text.ts";

/** `bash -lc TEXT`: the text is what is meant, because `bash` of ours is such a shell. */
const SHELLS = new Set(["bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/usr/bin/bash"]);

export function command_line_of(words: readonly string[]): string {
  const [program = "", flag = "", text] = words;
  if (words.length === 3 && SHELLS.has(program) && /^-l?c$/.test(flag)) return text ?? "";
  // A whole command in one word is not a name of a program.
  if (words.length === 1) return program;
  return words.map(shell_quoted).join(" ");
}

/** The command, run in a folder; as it is where that is the workspace. */
export function run_in(folder: string, command: string): string {
  return /^(?:\.\/?)?$/.test(folder) ? command : `cd ${shell_quoted(folder)} || exit; ${command}`;
}

/** A patch in the form that codex taught models. */
const PATCH = /^\s*\*\*\* Begin Patch[ \t]*\r?\n[^]*\n\*\*\* End Patch\s*$/;
/** `apply_patch <<'EOF'` and no other command, except for a `cd` before it (codex-rs/apply-patch/src/invocation.rs). */
const HEREDOC =
  /^\s*(?:cd\s+(?<folder>'[^']+'|"[^"$`\\]+"|[^\s'"$`\\;&|<>]+)\s*&&\s*)?apply_?patch\s*<<-?\s*(['"]?)(?<word>\w+)\2[ \t]*\r?\n(?<patch>[^]*)\n[ \t]*\k<word>\s*$/;
const QUOTED =
  /^\s*apply_?patch\s+(?<quote>['"])(?<patch>\*\*\* Begin Patch[^]*\n\*\*\* End Patch\s*)\k<quote>\s*$/;

export function is_patch(text: string): boolean {
  return PATCH.test(text);
}

/** The patch that a command applies, where that is all it does; null for any other. */
export function patch_in(
  command: string,
): { readonly input: string; readonly workdir?: string } | null {
  if (is_patch(command)) return { input: command };
  const { patch, folder, word } = (HEREDOC.exec(command) ?? QUOTED.exec(command))?.groups ?? {};
  // The end word within the text: the shell would end the document there, and run what follows.
  if (patch === undefined || !is_patch(patch)) return null;
  if (word !== undefined && patch.split("\n").some((line) => line.trim() === word)) return null;
  return {
    input: patch,
    ...(folder === undefined ? {} : { workdir: folder.replace(/^(['"])(.*)\1$/, "$2") }),
  };
}
