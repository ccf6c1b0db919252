/** The editor's own text of files, asked through the protocol. */
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { patience } from "../../config/within.ts";
import type { EditorFiles } from "../../tools/editor.ts";
import type { Asker } from "./asking.ts";

/** An editor has the text of what is open in its memory; from the disk it takes no longer either. */
const READ_MS = 3000;
/** Some format what they save, by programs of the user's. */
const WRITE_MS = 15_000;

/** Null where the editor shares no files. `warn` hears once that it does not answer: then it is not asked anymore. */
export function editor_files(
  { fs }: ClientCapabilities,
  { asker, warn }: { asker: () => Asker; warn: (words: string) => void },
): EditorFiles | null {
  if (fs?.readTextFile !== true) return null;
  let silent = false;
  return {
    writes: fs.writeTextFile === true,
    async ask({ path, content }) {
      if (silent) return null;
      const { client, session: sessionId } = asker();
      const { late, over } = patience(content === undefined ? READ_MS : WRITE_MS);
      const until = { cancellationSignal: late, stopWaitingOnCancel: true };
      try {
        if (content !== undefined) {
          await client.request("fs/write_text_file", { sessionId, path, content }, until);
          return content;
        }
        const answer: { readonly content?: unknown } = await client.request(
          "fs/read_text_file",
          { sessionId, path },
          until,
        );
        return typeof answer.content === "string" ? answer.content : null;
      } catch {
        if (late.aborted && !silent) {
          silent = true;
          warn("your editor does not answer requests for its files: save what hamr should see");
        }
        return null;
      } finally {
        over();
      }
    },
  };
}
