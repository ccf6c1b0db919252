/** `hamr sessions`: what was run, for the person to look at, to take elsewhere and to remove. */
import { either } from "../config/text.ts";
import { lazy } from "../lazy.ts";
import { type DatabaseSync, open_database, StoreError } from "../store/database.ts";
import { find_session, list_sessions, type SessionInfo } from "../store/sessions.ts";
import { type Parsed, UsageError } from "./args.ts";
import { StartError } from "./error.ts";
import type { Io } from "./io.ts";
import { place } from "./settings.ts";

/** What the commands work on. */
export interface Saved {
  readonly db: DatabaseSync;
  readonly data_dir: string;
  /** Real path. */
  readonly workspace: string;
}

/** Runs `sessions list`, `show`, `export`, `rm` or `import`. Throws `UsageError`, `StartError` or `ConfigError`. */
export async function sessions(parsed: Parsed, io: Io): Promise<number> {
  check(parsed);
  const saved = await opened(parsed, io);
  try {
    await done(parsed, { saved, io });
  } finally {
    saved.db.close();
  }
  return 0;
}

/** What can be said without looking at anything. */
function check({ command, operands, flags }: Parsed): void {
  if (command === "sessions import" && operands.length === 0) {
    throw new UsageError("sessions import needs a file, or - for standard input");
  }
  if (command !== "sessions rm") return;
  if (operands.length === 0 && !flags.all) {
    throw new UsageError(
      "sessions rm needs the ids of sessions, as hamr sessions list shows them, or --all",
    );
  }
  if (operands.length > 0 && flags.all) {
    throw new UsageError(`sessions rm: --all and ${either(operands)}: give one of them`);
  }
}

async function done(
  parsed: Parsed,
  { saved, io }: { readonly saved: Saved; readonly io: Io },
): Promise<void> {
  const { command, operands: [first], flags } = parsed;
  switch (command) {
    case "sessions show": {
      const { shown } = await lazy<typeof import("./sessions_show.ts")>(
        "./sessions_show.ts",
        import.meta.url,
      );
      return io.out(await shown(saved, { info: named(saved, first), format: flags.output }));
    }
    case "sessions export":
    case "sessions import": {
      const { exported, imported } = await lazy<typeof import("./sessions_transfer.ts")>(
        "./sessions_transfer.ts",
        import.meta.url,
      );
      if (command === "sessions export") return await exported(saved, named(saved, first), io);
      return io.out(await imported(saved, { file: first ?? "-", format: flags.output }));
    }
    case "sessions rm": {
      const { removed } = await lazy<typeof import("./sessions_rm.ts")>(
        "./sessions_rm.ts",
        import.meta.url,
      );
      return io.out(await removed(parsed, { saved, io }));
    }
    default: {
      const { listed } = await lazy<typeof import("./sessions_list.ts")>(
        "./sessions_list.ts",
        import.meta.url,
      );
      return io.out(listed(saved, { all: flags.all, format: flags.output }));
    }
  }
}

async function opened(parsed: Parsed, io: Io): Promise<Saved> {
  const { paths: { data_dir }, workspace } = await place(parsed, io);
  if (data_dir === null) throw new StartError("sessions have no place: set HOME or HAMR_HOME");
  try {
    return { db: open_database(data_dir), data_dir, workspace };
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message) : error;
  }
}

/** The session whose id begins so; without one, the newest of the workspace. Throws `UsageError` or `StartError`. */
function named({ db, workspace }: Saved, id: string | undefined): SessionInfo {
  if (id === undefined) {
    const [newest] = list_sessions(db, { workspace, limit: 1 });
    if (newest === undefined) throw new StartError("no session of this workspace is saved");
    return newest;
  }
  const found = find_session(db, id);
  if (found === null) throw new UsageError(`there is no session ${id}`);
  if (found === "several") throw new UsageError(`several sessions begin with ${id}`);
  return found;
}
