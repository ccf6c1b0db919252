import { same_bytes } from "../../config/bytes.ts";
import { plural } from "../../config/text.ts";
import type { ApplyPatchArgs } from "../declared/machine_tools.ts";
import { decode, EDIT_BYTES, encoded_text } from "./edit_run.ts";
import { ToolFailure } from "../failure.ts";
import type { Files } from "./machine/files.ts";
import type { LedgerFact } from "../ledger.ts";
import type { Machine } from "./machine/machine.ts";
import { apply_hunks } from "./texts/patch_apply.ts";
import { refuse_left_out } from "./texts/left_out.ts";
import { parse_patch, type Section } from "./texts/patch_parse.ts";
import { refuse_unseen } from "./write_run.ts";
import { runner } from "./runner.ts";

interface Planned {
  readonly real: string;
  readonly before: { readonly bytes: Uint8Array; readonly mode: number } | null;
  /** Null: it is to go, or was never there. */
  after: Uint8Array | null;
  /** Of a file that is moved here. */
  mode: number | null;
}

/** Applies a patch: every part of it, or none. */
export const run_apply_patch = runner<ApplyPatchArgs>(async ({ input, workdir }, machine) => {
  const { files, editor } = machine;
  const sections = parse_patch(input);
  for (const { path } of editor === null ? [] : sections) {
    const real = files.target(files.locate(path, workdir ?? "."));
    if (files.exists(real) && await editor?.unsaved(real, machine)) {
      throw new ToolFailure(`${path} has unsaved changes in the user's editor: use edit for it`);
    }
  }
  const plan = new Plan(machine, workdir ?? ".");
  const done: string[] = [];
  for (const section of sections) done.push(await plan.take(section));
  const changes = plan.changes;
  if (changes.length === 0) throw new ToolFailure("the files already match the patch");
  const facts = await put_all(changes, machine);
  const summary = plural(changes.length, "file");
  return { ok: true, text: `applied the patch:\n${done.join("\n")}`, summary, facts };
});

/** What a patch comes to, before anything is written. */
class Plan {
  readonly #files = new Map<string, Planned>();

  constructor(private readonly machine: Machine, private readonly folder: string) {}

  get changes(): readonly Planned[] {
    return [...this.#files.values()].filter(({ before, after, mode }) =>
      mode !== null ||
      (before === null || after === null ? before !== after : !same_bytes(before.bytes, after))
    );
  }

  /** Plans one section, on top of those before it. What it does, in words. Throws if it can't be done. */
  async take(section: Section): Promise<string> {
    const file = this.#at(section.path);
    const name = this.machine.files.shown(file.real);
    switch (section.kind) {
      case "add": {
        if (file.after !== null) {
          await refuse_unseen(section.path, file.real, {
            machine: this.machine,
            bytes: file.after,
          });
        }
        const text = section.lines.map((line) => `${line}\n`).join("");
        file.after = new TextEncoder().encode(text);
        return `added ${name}`;
      }
      case "delete":
        this.#text(file, section.path);
        file.after = null;
        return `deleted ${name}`;
      case "update": {
        const { text: before, encoding } = this.#text(file, section.path);
        const { text, loose } = apply_hunks(before, section.hunks, name);
        refuse_left_out(section.path, before, text);
        const bytes = encoded_text(text, { shown: name, encoding });
        const note = loose ? " (it fits except in whitespace; the file's was kept)" : "";
        if (section.to === null) {
          file.after = bytes;
          return `changed ${name}${note}`;
        }
        const target = this.#at(section.to);
        if (target.after !== null) {
          throw new ToolFailure(`${section.to} exists; it is not overwritten`);
        }
        [target.after, target.mode, file.after] = [bytes, file.before?.mode ?? null, null];
        return `moved ${name} to ${this.machine.files.shown(target.real)}${note}`;
      }
    }
  }

  #at(path: string): Planned {
    const { files } = this.machine;
    const real = files.target(files.locate(path, this.folder));
    const known = this.#files.get(real);
    if (known !== undefined) return known;
    const before = files.exists(real) ? files.read(real, EDIT_BYTES) : null;
    const file = { real, before, after: before?.bytes ?? null, mode: null };
    this.#files.set(real, file);
    return file;
  }

  #text({ after }: Planned, path: string): ReturnType<typeof decode> {
    if (after === null) throw new ToolFailure(`${path} does not exist; nothing was changed`);
    return decode(after, path);
  }
}

/** Writes all of it; where one part fails, the parts before it are put back. */
async function put_all(
  changes: readonly Planned[],
  machine: Machine,
): Promise<readonly LedgerFact[]> {
  const { files } = machine;
  const facts: LedgerFact[] = [];
  const done: Planned[] = [];
  const write = async (change: Planned) => {
    const { real, before, after } = change;
    const act = () => put(change, files);
    facts.push(...await machine.changes.write(machine.call, real, { before, after, act }));
  };
  try {
    for (const change of changes) {
      await write(change);
      done.push(change);
    }
  } catch (error) {
    for (const { real, before, after } of done.reverse()) {
      const mode = before?.mode ?? 0o600;
      await write({
        real,
        before: after && { bytes: after, mode },
        after: before?.bytes ?? null,
        mode,
      });
    }
    throw error;
  }
  return facts;
}

function put({ real, before, after, mode }: Planned, files: Files): void {
  if (after === null) return files.remove(real);
  const known = before === null || files.seen.state(real) === "same";
  files.replace(real, after, before);
  if (before === null && mode !== null) files.set_mode(real, mode);
  if (known) files.seen.note(real);
  else files.seen.rewrote(real);
}
