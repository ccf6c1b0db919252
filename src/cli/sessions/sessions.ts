/** `hamr sessions`: lists, shows, exports and removes what was run. */
import { either } from "../../config/text.ts";
import { rename_session } from "../../store/sessions.ts";
import { type Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { named_session, opened, type SavedSessions, sound } from "../../app/saved_sessions.ts";
import { known_secrets } from "./known_secrets.ts";
import { listed } from "./sessions_list.ts";
import { removed } from "./sessions_rm.ts";
import { session_text } from "./sessions_show.ts";
import { exported, import_session_file } from "./sessions_transfer.ts";
import { UsageError } from "../../config/error.ts";

/** Runs `sessions list`, `show`, `export`, `rename`, `rm` or `import`. Throws `UsageError`, `StartError` or `ConfigError`. */
export async function sessions(parsed: Parsed, io: Io): Promise<number> {
  check(parsed);
  using saved = await opened(parsed, io);
  await done(parsed, { saved, io });
  return 0;
}

/** What can be said without looking at anything. */
function check({ command, operands, flags }: Parsed): void {
  if (command === "sessions import" && operands.length === 0) {
    throw new UsageError("sessions import needs a file, or - for standard input");
  }
  if (command === "sessions rename" && operands.slice(1).join(" ").trim() === "") {
    throw new UsageError("sessions rename needs the id of a session and a name for it");
  }
  if (command !== "sessions rm") return;
  if (operands.length === 0 && !flags.all) {
    throw new UsageError(
      "sessions rm needs the ids of sessions, as hamr sessions list shows them, or --all",
    );
  }
  if (operands.length > 0 && flags.all) {
    throw new UsageError(`sessions rm: --all and ${either(operands)}: give only one`);
  }
}

async function done(
  parsed: Parsed,
  { saved, io }: { saved: SavedSessions; io: Io },
): Promise<void> {
  const { command, operands: [first, ...more], flags } = parsed;
  switch (command) {
    case "sessions show": {
      const info = named_session(saved, first);
      return io.out(await sound(info, () => session_text(saved, { info, format: flags.output })));
    }
    case "sessions export": {
      const info = named_session(saved, first);
      const hide = flags.bundle ? await known_secrets(parsed, io) : null;
      return await sound(info, () => exported(saved, { info, hide }, io));
    }
    case "sessions import":
      return io.out(await import_session_file(saved, { file: first ?? "-", format: flags.output }));
    case "sessions rename": {
      const { uuid } = named_session(saved, first);
      const name = rename_session(saved.db, uuid, more.join(" "));
      const shown = flags.output === "text"
        ? `${uuid} is now: ${name}`
        : JSON.stringify({ renamed: uuid, name });
      return io.out(`${shown}\n`);
    }
    case "sessions rm":
      return io.out(await removed(parsed, { saved, io }));
    default: {
      const shown = listed(saved, { all: flags.all, format: flags.output });
      if (shown === "") {
        io.err(
          `hamr: no saved sessions${flags.all ? "" : " of this workspace; --all lists all"}\n`,
        );
      }
      return io.out(shown);
    }
  }
}
