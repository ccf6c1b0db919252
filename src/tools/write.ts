import { changed } from "./edit.ts";
import { ToolFailure } from "./failure.ts";
import { tool } from "./tool.ts";

/** An existing file of more bytes than this is not replaced by a model's text. */
const REPLACED_BYTES = 20 * 1024 * 1024;

interface Args {
  readonly path: string;
  readonly content: string;
}

/** A new text file; an existing one only after it was read, so that nothing unseen is lost. */
export const write = tool<Args>({
  name: "write",
  description: "Write a text file; folders are made. An existing file must have been read before.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
  },
  read_only: false,
  summary: ({ path, content }) => {
    const count = content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
    return `${path} (${count} line${count === 1 ? "" : "s"})`;
  },
  run({ path, content }, machine) {
    const { files } = machine;
    if (path.endsWith("/")) throw new ToolFailure(`${path} names a folder; name a file in it`);
    const real = files.target(files.locate(path));
    const old = files.exists(real) ? files.read(real, REPLACED_BYTES) : null;
    if (old !== null) {
      const seen = files.seen(real);
      if (seen === "never" && old.bytes.includes(0)) {
        throw new ToolFailure(`${path} is a binary file; move it away with bash first`);
      }
      if (seen === "never") {
        throw new ToolFailure(`${path} exists; read it first, or change it with edit`);
      }
      if (seen === "changed") {
        throw new ToolFailure(`${path} has changed on disk since you read it; read it again`);
      }
    }
    const bytes = new TextEncoder().encode(content);
    files.replace(real, bytes, old?.mode ?? null);
    files.saw(real);
    const done = old === null ? "created" : "replaced";
    return {
      ok: true,
      text: `${done} ${files.shown(real)} (${bytes.length} bytes)`,
      summary: done,
      facts: changed(
        real,
        {
          before: old === null ? null : files.hash(old.bytes),
          after: files.hash(bytes),
        },
        machine,
      ),
    };
  },
});
