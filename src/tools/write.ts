import * as v from "valibot";
import { noted } from "./edit.ts";
import { ToolFailure } from "./failure.ts";
import { tool } from "./tool.ts";

/** An existing file of more bytes than this is not replaced by a model's text. */
const REPLACED_BYTES = 20 * 1024 * 1024;

/** A new text file; an existing one only after it was read, so that nothing unseen is lost. */
export const write = tool({
  name: "write",
  description: "Write a text file; folders are made. An existing file must have been read before.",
  schema: v.object({ path: v.string(), content: v.string() }),
  read_only: false,
  summary: ({ path, content }) => {
    const count = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    return `${path} (${count} line${count === 1 ? "" : "s"})`;
  },
  run({ path, content }, machine) {
    const full = machine.files.locate(path);
    const real = machine.files.target(full);
    const old = machine.files.exists(real) ? machine.files.read(real, REPLACED_BYTES) : null;
    if (old !== null) {
      const seen = machine.files.seen(real);
      if (seen === "never") {
        throw new ToolFailure(`${path} exists; read it first, or change it with edit`);
      }
      if (seen === "changed") {
        throw new ToolFailure(`${path} has changed on disk since you read it; read it again`);
      }
    }
    const bytes = new TextEncoder().encode(content);
    machine.files.replace(real, bytes, old?.mode ?? null);
    const done = old === null ? "created" : "replaced";
    return {
      ok: true,
      text: `${done} ${machine.files.shown(real)} (${bytes.length} bytes)`,
      summary: done,
      facts: [
        noted(real, {
          before: old === null ? null : machine.files.hash(old.bytes),
          after: machine.files.hash(bytes),
        }, machine),
      ],
    };
  },
});
