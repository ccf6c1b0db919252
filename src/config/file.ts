/** One configuration file: read, parsed and checked, each setting with its line. */
import { is_table } from "./json.ts";
import { attempt, or_throw } from "./attempt.ts";
import { ConfigError } from "./error.ts";
import { depth_of } from "./keys.ts";
import { is_gone, why } from "./paths.ts";
import type { LineOf } from "./positions.ts";

export interface SettingEntry {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly where: string;
}

/** A parsed file, not yet checked. */
export interface Document {
  readonly file: string;
  readonly tables: Readonly<Record<string, unknown>>;
  readonly line_of: LineOf;
}

interface ReadDocument extends Document {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The whole of a regular file that has at most so many bytes; waits for nothing. @throws as the system does, and where it is none. */
export type ReadRegular = (file: string, most: number) => Uint8Array<ArrayBuffer>;

const MIB = 1024 * 1024;
/** A configuration is written by hand: what is larger is another kind of file. */
const MOST_BYTES = MIB;
/** Others' files: Claude Code keeps the history of each workspace in its settings, which can have many megabytes. */
const MOST_FOREIGN_BYTES = 64 * MIB;

/** Reads and parses a file; null if there is none. With `named` a missing one is an error, and a pipe is read. Throws a `ConfigError`. */
export async function read_document(
  file: string,
  { named, ...how }: { named: boolean; read_regular?: ReadRegular | undefined },
): Promise<ReadDocument | null> {
  const told = named ? { told: `--config ${file}` } : {};
  const bytes = read_bytes(file, { ...told, ...how, most: MOST_BYTES });
  if (bytes === null) return null;
  const text = text_of(file, bytes);
  const { parse_toml } = await import("./toml.ts");
  return { file, bytes, ...parse_toml(file, text) };
}

/** A file of settings of another program as text; null where there is none. Throws a `ConfigError` for all else. */
export function text_file(file: string): string | null {
  const bytes = read_bytes(file, { most: MOST_FOREIGN_BYTES });
  return bytes === null ? null : text_of(file, bytes);
}

/** A file that the user named, as by a flag (`told`); it may be a pipe. `read_regular` reads others. Throws a `ConfigError`. */
export function named_text(file: string, told: string, read_regular?: ReadRegular): string {
  const bytes = read_bytes(file, { told, most: MOST_FOREIGN_BYTES, read_regular });
  return text_of(told, bytes ?? new Uint8Array());
}

/** The settings of a document. Throws a `ConfigError` that names file, line and key of the first fault. */
export async function setting_entries(document: Document): Promise<SettingEntry[]> {
  const { check_document: check, with_table_defaults } = await import("./schema.ts");
  const fault = check(document.tables);
  if (fault !== null) {
    const line = document.line_of(fault.path);
    throw new ConfigError(`${document.file}:${line}: ${fault.path.join(".")}: ${fault.problem}`);
  }
  return flatten(document).map((entry) => ({
    ...entry,
    value: with_table_defaults(entry.path, entry.value),
  }));
}

/** A table or a list of tables in a variable, as a file has it or in JSON; checked as in a file. Throws a `ConfigError`. */
export async function written_entry({ path, value, where }: SettingEntry): Promise<SettingEntry> {
  const text = String(value);
  const json = attempt<unknown>(() => JSON.parse(text));
  const line = `${path.map((name) => JSON.stringify(name)).join(".")} = ${text}`;
  const { parse_toml } = await import("./toml.ts");
  const tables = json === undefined
    ? parse_toml(where, line).tables
    : path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), json) as Document["tables"];
  const [entry] = await setting_entries({ file: where, tables, line_of: () => 1 });
  return { path, value: entry?.value, where };
}

/** Every setting of a document; `[providers.NAME]` and `[auxiliary.NAME]` are one level deeper. An empty one of these is an entry, too. */
export function flatten(document: Document): SettingEntry[] {
  const entries: SettingEntry[] = [];
  const walk = (value: unknown, path: readonly string[]) => {
    const leaf = path.length >= depth_of(path);
    const inner = !leaf && is_table(value) ? Object.entries(value) : null;
    if (inner !== null && (inner.length > 0 || path.length < 2)) {
      for (const [name, value] of inner) walk(value, [...path, name]);
    } else {
      entries.push({ path, value, where: `${document.file}:${document.line_of(path)}` });
    }
  };
  walk(document.tables, []);
  return entries;
}

function text_of(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${file}: not UTF-8 text`);
  }
}

function read_bytes(file: string, { told, most, read_regular }: {
  /** How the person named it; absent: nobody did. */
  told?: string;
  most: number;
  /** What is open need not be what was looked at, nor may be read by whoever named it. */
  read_regular?: ReadRegular | undefined;
}): Uint8Array<ArrayBuffer> | null {
  const named = told !== undefined;
  const refuse = (words: string) => new ConfigError(`${told ?? file}: ${words}`);
  const too_large = () => refuse(`larger than ${most / MIB} MiB`);
  try {
    const info = Deno.statSync(file);
    if (info.isDirectory) throw refuse("a folder, not a file");
    if (!info.isFile && !named) throw refuse("not a regular file");
    if (info.isFile && info.size > most) throw too_large();
    if (info.isFile && read_regular !== undefined) return read_regular(file, most);
    using opened = Deno.openSync(file);
    const buffer = new Uint8Array(most + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = opened.readSync(buffer.subarray(length));
      if (count === null) return buffer.subarray(0, length);
      length += count;
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (is_gone(error) && !named) {
      if (!attempt(() => Deno.lstatSync(file).isSymlink)) return null;
      // What it was to lead to may hold what must not be read or written.
      throw refuse("a link that leads nowhere");
    }
    throw refuse(`can't be read: ${why(error)}`);
  }
  throw too_large();
}

/** Writes a file for its owner alone: under another name first, so that at no moment there is half of it. Throws a `ConfigError`. */
export function write_own(file: string, text: string): void {
  const made = `${file}.new-${crypto.randomUUID().slice(0, 8)}`;
  or_throw(() => {
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/") + 1), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(made, text, { createNew: true, mode: 0o600 });
    Deno.renameSync(made, file);
  }, (error) => new ConfigError(`${file}: can't be written: ${why(error)}`));
}
