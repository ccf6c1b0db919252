import { changed_text, decode, of_unsaved } from "./edit_run.ts";
import { NothingToChange, ToolFailure } from "../failure.ts";
import type { Machine } from "./machine.ts";
import { from_url } from "./named_path.ts";
import { with_ends_of } from "./replace_text.ts";
import { runner } from "./runner.ts";
import type { WriteArgs } from "../declared/machine_tools.ts";

/** An existing file of more bytes than this is not replaced by a model's text. */
const REPLACED_BYTES = 20 * 1024 * 1024;

/** Writes a new file, or one that was read before. */
export const run_write = runner<WriteArgs>(async ({ path, content }, machine) => {
  const { files } = machine;
  if (path.endsWith("/")) throw new NothingToChange(`${path} names a folder; name a file in it`);
  const real = files.target(files.locate(from_url(path)));
  const old = files.exists(real) ? files.read(real, REPLACED_BYTES) : null;
  if (old !== null) await refuse_unseen(path, real, { machine, bytes: old.bytes });
  const unsaved = old && (await machine.editor?.unsaved(real, machine) ?? null);
  if (unsaved) machine.editor?.refuse_unseen(path, unsaved);
  const file = { real, shown: files.shown(real), unsaved };
  const { text, kept } = old === null
    ? { text: content, kept: "" }
    : in_form_of(old.bytes, content, path);
  const bytes = new TextEncoder().encode(text);
  const facts = old && unsaved
    ? await changed_text({ ...file, ...old }, content, machine)
    : await machine.changes.write(machine.call, real, {
      before: old,
      after: bytes,
      act: () => files.replace(real, bytes, old),
    });
  if (!unsaved) files.seen.note(real);
  const done = old === null ? "created" : "replaced";
  return {
    ok: true,
    text:
      `${done} ${file.shown} (${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}${
        unsaved ? "" : kept
      })` + of_unsaved(file),
    summary: done,
    facts,
  };
});

/** The byte order mark. */
const MARK = "\ufeff";

/** The model's text with `\r` and the mark that `read` hides. Throws a `ToolFailure` if U+FFFD would replace real bytes. */
function in_form_of(
  bytes: Uint8Array,
  content: string,
  path: string,
): { readonly text: string; readonly kept: string } {
  let old;
  try {
    old = decode(bytes, path);
  } catch (failure) {
    if (content.includes("\ufffd")) throw failure;
    return { text: content, kept: "; it was not UTF-8, and is now" };
  }
  const marked = old.startsWith(MARK) && !content.startsWith(MARK);
  const returns = old.includes("\r\n") && content.includes("\n") && !content.includes("\r\n");
  const kept = [marked ? "byte order mark" : "", returns ? "CRLF line ends" : ""].filter(Boolean);
  const usual = old.split("\r\n").length * 2 > old.split("\n").length ? "\r\n" : "\n";
  const body = marked ? old.slice(MARK.length) : old;
  return {
    text: (marked ? MARK : "") + (returns ? with_ends_of(body, content, usual) : content),
    kept: kept.length === 0
      ? ""
      : `; its ${kept.join(" and ")} ${kept.length + Number(returns) > 1 ? "were" : "was"} kept`,
  };
}

/** Throws a `ToolFailure` where the model would replace what it has not seen, and has not made itself with a command. */
export async function refuse_unseen(
  path: string,
  real: string,
  { machine, bytes }: {
    readonly machine: Pick<Machine, "files" | "shown" | "changes" | "policy">;
    readonly bytes: Uint8Array;
  },
): Promise<void> {
  const state = machine.files.seen.state(real);
  if (state === "same" || machine.changes.is_own(real)) return;
  if (await machine.shown.has(real, machine.policy)) return;
  switch (state) {
    case "never":
      throw new ToolFailure(
        bytes.includes(0)
          ? `${path} is a binary file; move it away with bash first`
          : `${path} exists; read it first, or change it with edit`,
      );
    case "changed":
      throw new ToolFailure(`${path} has changed on disk since you read it; read it again`);
  }
}
