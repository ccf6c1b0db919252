import { from_bytes, to_bytes } from "../../config/encoding.ts";
import { changed_text, of_unsaved } from "./edit_run.ts";
import { plural } from "../../config/text.ts";
import { NothingToChange, ToolFailure } from "../failure.ts";
import type { Machine } from "./machine/machine.ts";
import { from_url } from "./search/named_path.ts";
import { refuse_left_out } from "./texts/left_out.ts";
import { with_ends_of } from "./texts/replace_text.ts";
import { runner } from "./runner.ts";
import type { WriteArgs } from "../declared/machine_tools.ts";
import type { Done } from "../tool.ts";

/** An existing file of more bytes than this is not replaced by a model's text. */
const REPLACED_BYTES = 20 * 1024 * 1024;

/** The text of a file of more bytes than this is not compared with what replaces it. */
const SHOWN_BYTES = 64 * 1024;

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
  const { bytes, kept } = old === null
    ? { bytes: new TextEncoder().encode(content), kept: "" }
    : in_form_of(old.bytes, content, path);
  const facts = old && unsaved
    ? await changed_text({ ...file, ...old, encoding: "UTF-8" }, content, machine)
    : await machine.changes.write(machine.call, real, {
      before: old,
      after: bytes,
      act: () => files.replace(real, bytes, old),
    });
  if (!unsaved) files.seen.note(real);
  const done = old === null ? "created" : "replaced";
  return {
    ok: true,
    ...(unsaved ? {} : shown_before(old?.bytes)),
    text: `${done} ${file.shown} (${plural(bytes.length, "byte")}${unsaved ? "" : kept})` +
      of_unsaved(file),
    summary: done,
    facts,
  };
});

function shown_before(old: Uint8Array = new Uint8Array()): Pick<Done, "line" | "replaced"> {
  if (old.length > SHOWN_BYTES) return {};
  const { text } = from_bytes(old) ?? NO_TEXT;
  return { line: 1, replaced: text.replace(MARK, "").replaceAll("\r\n", "\n") };
}

/** The byte order mark. */
const MARK = "\ufeff";

/** The model's text with `\r` and the mark that `read` hides, in the file's encoding. Throws a `ToolFailure` if U+FFFD would replace real bytes. */
function in_form_of(
  bytes: Uint8Array,
  content: string,
  path: string,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly kept: string } {
  const { text: old, encoding } = from_bytes(bytes) ?? NO_TEXT;
  refuse_left_out(path, old, content);
  if (encoding !== "UTF-8" && content.includes("\ufffd")) {
    throw new ToolFailure(`${path} is not UTF-8 text; change it with bash`);
  }
  const marked = old.startsWith(MARK) && !content.startsWith(MARK);
  const returns = old.includes("\r\n") && content.includes("\n") && !content.includes("\r\n");
  const usual = old.split("\r\n").length * 2 > old.split("\n").length ? "\r\n" : "\n";
  const body = marked ? old.slice(MARK.length) : old;
  const text = (marked ? MARK : "") + (returns ? with_ends_of(body, content, usual) : content);
  const same = encoding === null ? "" : to_bytes(text, encoding);
  if (typeof same === "string") {
    const utf8 = new TextEncoder().encode(text);
    return { bytes: utf8, kept: `; it was ${encoding ?? "not UTF-8"}, and is UTF-8 now` };
  }
  const kept = [
    ...(encoding === "UTF-8" ? [] : [`${encoding} encoding`]),
    ...(marked ? ["byte order mark"] : []),
    ...(returns ? ["CRLF line ends"] : []),
  ];
  const verb = kept.length + Number(returns) > 1 ? "were" : "was";
  return { bytes: same, kept: kept.length === 0 ? "" : `; its ${kept.join(" and ")} ${verb} kept` };
}

const NO_TEXT = { text: "", encoding: null } as const;

/** Throws a `ToolFailure` where the model would replace what it has not seen, and has not made itself with a command. */
export async function refuse_unseen(path: string, real: string, { machine, bytes }: {
  machine: Pick<Machine, "files" | "shown" | "changes" | "policy">;
  bytes: Uint8Array;
}): Promise<void> {
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
