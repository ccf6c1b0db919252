/** `hamr sessions`: lists, shows, exports and removes what was run. */
import { either, one_line } from "../../config/text.ts";
import { rename_session } from "../../store/sessions.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { laid_out } from "../base/laid_out.ts";
import { named_session, opened, type SavedSessions, sound } from "../../app/saved_sessions.ts";
import { sessions_listing } from "./sessions_list.ts";
import { remove_sessions } from "./sessions_rm.ts";
import { session_text } from "./sessions_show.ts";
import { StartError, UsageError } from "../../config/error.ts";
import { bundled, type KnownSecrets } from "../../store/bundle.ts";
import { file_text } from "../../permission/paths.ts";
import { load_settings } from "../../app/settings.ts";
import { json_line } from "../../config/json.ts";
import { spoken_text } from "../../agent/said.ts";
import { why } from "../../config/paths.ts";
import { utf8_lines } from "../../store/lines.ts";
import { export_session } from "../../store/session_export.ts";
import { add_session, ImportError, read_session } from "../../store/session_import.ts";
import { plural } from "../../ui/text.ts";

/** Runs `sessions list`, `show`, `export`, `rename`, `rm` or `import`. Throws `UsageError`, `StartError` or `ConfigError`. */
export async function sessions(parsed: Parsed, io: Io): Promise<number> {
  check(parsed);
  using saved = await opened(parsed, io);
  await done(parsed, saved, io);
  return 0;
}

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

async function done(parsed: Parsed, saved: SavedSessions, io: Io): Promise<void> {
  const { command, operands: [first, ...more], flags } = parsed;
  switch (command) {
    case "sessions show": {
      const info = named_session(saved, first);
      const lay_out = await laid_out(flags.no_color, io) ?? undefined;
      const asked = { info, format: flags.output, lay_out };
      return io.out(await sound(info, () => session_text(saved, asked)));
    }
    case "sessions export": {
      const info = named_session(saved, first);
      const hide = flags.bundle ? await known_secrets(parsed, io) : null;
      // Without what is hidden, only what replays it.
      return await sound(info, async () => {
        const all = export_session(saved.db, info.id);
        for await (const line of hide === null ? all : bundled(all, hide)) io.out(line);
      });
    }
    case "sessions import":
      return io.out(await import_session_file(saved, { file: first ?? "-", format: flags.output }));
    case "sessions rename": {
      const { uuid } = named_session(saved, first);
      const name = rename_session(saved.db, uuid, more.join(" "));
      const text = flags.output === "text";
      return io.out(text ? `${uuid} is now: ${name}\n` : json_line({ renamed: uuid, name }));
    }
    case "sessions rm":
      return io.out(await remove_sessions(parsed, { saved, io }));
    default: {
      const shown = sessions_listing(saved, { all: flags.all, format: flags.output });
      const here = flags.all ? "" : " of this workspace; --all lists all";
      if (shown === "") io.err(`hamr: no saved sessions${here}\n`);
      return io.out(shown);
    }
  }
}

const SECRET =
  /(^|[_-])(api[_-]?key|key|token|secret|pass(word|wd|phrase)?|credentials?|auth(orization)?|cookie)($|[_-])/i;
/** Shorter than this, or a path, it is a setting with such a name. */
const LEAST_CHARS = 8;

/** Kept out of bundles, whatever it looks like: keys in the environment, in settings and in the files that these name; and the home folder. */
async function known_secrets(parsed: Parsed, io: Io): Promise<KnownSecrets> {
  const { settings: { providers }, environ } = await load_settings(parsed, io);
  const named = [
    ...Object.entries(environ),
    ...Object.values(providers).flatMap((provider) => Object.entries(provider?.headers ?? {})),
  ];
  const secrets = [
    ...named.flatMap(([name, value]) => SECRET.test(name) ? [value ?? ""] : []),
    ...Object.values(providers).map((provider) => environ[provider?.api_key_env ?? ""] ?? ""),
    ...Object.values(providers).map((provider) => file_text(provider?.api_key_file ?? "")),
  ];
  const home = environ["HOME"] ?? "";
  return {
    secrets: secrets.flatMap((value) => value.trim().split(/\s+/))
      .filter((value) => value.length >= LEAST_CHARS && !/^[/~.]/.test(value)),
    home: home.length > 1 ? home : null,
  };
}

/** Takes in the session of a file, whole or not at all; what to print of it. Throws `StartError`. */
async function import_session_file(
  { db }: SavedSessions,
  { file, format }: { file: string; format: Parsed["flags"]["output"] },
): Promise<string> {
  const from = file === "-" ? "standard input" : file;
  try {
    const session = await read_session(utf8_lines(await stream_of(file)), spoken_text);
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
