/** Moves a session from one machine to another: `sessions export` and `sessions import`. */
import { json_line } from "../../config/json.ts";
import { said_in } from "../../agent/said.ts";
import { why } from "../../config/paths.ts";
import { one_line } from "../../config/text.ts";
import { bundled, type KnownSecrets } from "../../store/bundle.ts";
import { lines_of } from "../../store/lines.ts";
import { export_session } from "../../store/session_export.ts";
import { add_session, ImportError, read_session } from "../../store/session_import.ts";
import type { SessionInfo } from "../../store/sessions.ts";
import { plural } from "../../ui/text.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import type { SavedSessions } from "../../app/saved_sessions.ts";
import { StartError } from "../../config/error.ts";

/** Prints all that is saved of a session; with `hide`, only what replays it, and nothing of that. */
export async function exported(
  { db }: SavedSessions,
  { info: { id }, hide }: { info: SessionInfo; hide: KnownSecrets | null },
  io: Io,
): Promise<void> {
  const all = export_session(db, id);
  for await (const line of hide === null ? all : bundled(all, hide)) io.out(line);
}

/** Takes in the session of a file, whole or not at all; what to print of it. Throws `StartError`. */
export async function import_session_file(
  { db }: SavedSessions,
  { file, format }: { file: string; format: Parsed["flags"]["output"] },
): Promise<string> {
  const from = file === "-" ? "standard input" : file;
  try {
    const session = await read_session(lines_of(await stream_of(file)), said_in);
    add_session(db, session, Date.now());
    const { uuid, workspace, steps } = session.header;
    if (format !== "text") return json_line({ imported: uuid });
    return one_line(`Imported: ${uuid} (${plural(steps, "step")} in ${workspace})`) + "\n";
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new StartError(one_line(`sessions import: ${from}: ${error.message}`));
  }
}

async function stream_of(file: string): Promise<ReadableStream<Uint8Array>> {
  if (file === "-") return Deno.stdin.readable;
  try {
    const opened = await Deno.open(file);
    if (!(await opened.stat()).isDirectory) return opened.readable;
    opened.close();
  } catch (error) {
    throw new StartError(one_line(`sessions import: ${file}: ${why(error)}`));
  }
  throw new StartError(one_line(`sessions import: ${file}: it is a folder`));
}
