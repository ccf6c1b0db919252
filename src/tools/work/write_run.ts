import { changed_text, of_unsaved } from "./edit_run.ts";
import { ToolFailure } from "../failure.ts";
import type { Files } from "./files.ts";
import { from_url } from "./named_path.ts";
import { runner } from "./runner.ts";
import type { WriteArgs } from "../declared/machine_tools.ts";

/** An existing file of more bytes than this is not replaced by a model's text. */
const REPLACED_BYTES = 20 * 1024 * 1024;

/** Writes a new file, or one that was read before. */
export const run_write = runner<WriteArgs>(async ({ path, content }, machine) => {
  const { files } = machine;
  if (path.endsWith("/")) throw new ToolFailure(`${path} names a folder; name a file in it`);
  const real = files.target(files.locate(from_url(path)));
  const old = files.exists(real) ? files.read(real, REPLACED_BYTES) : null;
  if (old !== null) refuse_unseen(path, real, { files, bytes: old.bytes });
  const bytes = new TextEncoder().encode(content);
  const unsaved = old && (await machine.editor?.unsaved(real, machine) ?? null);
  if (unsaved) machine.editor?.refuse_unseen(path, unsaved);
  const file = { real, shown: files.shown(real), unsaved };
  const facts = old && unsaved
    ? await changed_text({ ...file, ...old }, content, machine)
    : await machine.changes.write(machine.call, real, {
      before: old,
      after: bytes,
      act: () => files.replace(real, bytes, old?.mode ?? null),
    });
  if (!unsaved) files.saw(real);
  const done = old === null ? "created" : "replaced";
  return {
    ok: true,
    text: `${done} ${file.shown} (${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"})` +
      of_unsaved(file),
    summary: done,
    facts,
  };
});

/** Throws a `ToolFailure` where the model would replace what it has not seen. */
export function refuse_unseen(
  path: string,
  real: string,
  { files, bytes }: { readonly files: Files; readonly bytes: Uint8Array },
): void {
  switch (files.seen(real)) {
    case "never":
      throw new ToolFailure(
        bytes.includes(0)
          ? `${path} is a binary file; move it away with bash first`
          : `${path} exists; read it first, or change it with edit`,
      );
    case "changed":
      throw new ToolFailure(`${path} has changed on disk since you read it; read it again`);
    case "same":
  }
}
