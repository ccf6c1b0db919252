/** The workspace files that a person trusts, by path and content hash, so that any change ends the trust. Loaded only if there is such a file. */
import { ConfigError } from "./error.ts";
import { write_own } from "./file.ts";
import { is_inside, real_or, why } from "./paths.ts";

interface Trust {
  /** Hash of its bytes, in hex. */
  readonly sha256: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface TrustPlace {
  /** Null if no home folder is known: then nothing is trusted. */
  readonly data_dir: string | null;
  /** Its real path. A list that is in it would be the workspace's own, and is not believed. */
  readonly workspace: string;
  readonly file: string;
}

const VERSION = 1;
/** A line a workspace: what is larger is not a list of ours. */
const MAX_BYTES = 1024 * 1024;

/** The trust in a file with this content; null if there is none, whatever the reason. */
export async function trust_in(
  bytes: Uint8Array<ArrayBuffer>,
  place: TrustPlace,
): Promise<Trust | null> {
  const list = list_of(place);
  if (list === null) return null;
  const all = read_list(list);
  const known = typeof all === "string" ? undefined : all.get(place.file);
  return known !== undefined && known.sha256 === await sha256(bytes) ? known : null;
}

/** Trusts a file with this content from now on. Throws a `ConfigError` where that cannot be written down. */
export async function trust(bytes: Uint8Array<ArrayBuffer>, place: TrustPlace): Promise<Trust> {
  const list = list_of(place);
  if (list === null) {
    throw new ConfigError(
      place.data_dir === null
        ? "config trust: nowhere to record it: set HOME or HAMR_HOME"
        : `config trust: ${place.data_dir} is in the workspace, which could then trust itself; set HAMR_HOME`,
    );
  }
  const known = read_list(list);
  if (typeof known === "string") throw new ConfigError(`${list}: ${known}`);
  const added = { sha256: await sha256(bytes), since: new Date().toISOString() };
  known.set(place.file, added);
  const text = JSON.stringify({ version: VERSION, files: Object.fromEntries(known) }, null, 2);
  write_own(list, `${text}\n`);
  return added;
}

function list_of({ data_dir, workspace }: TrustPlace): string | null {
  if (data_dir === null) return null;
  const inside = [data_dir, real_or(data_dir)].some((path) => is_inside(path, workspace));
  return inside ? null : `${data_dir}/trusted.json`;
}

/** Empty if there is no list yet; what is wrong with it in words, where it can't be used. */
function read_list(list: string): Map<string, Trust> | string {
  const other = "not a list of trusted files; move it away";
  let text: string;
  try {
    const { isFile, size } = Deno.statSync(list);
    if (!isFile || size > MAX_BYTES) return other;
    text = Deno.readTextFileSync(list);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? new Map() : `can't be read: ${why(error)}`;
  }
  try {
    const { version, files } = JSON.parse(text);
    const entries = Object.entries(files);
    return version === VERSION && entries.every(([, value]) => is_trust(value))
      ? new Map(entries as [string, Trust][])
      : other;
  } catch {
    return other;
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function is_trust(value: unknown): value is Trust {
  const { sha256, since } = (value ?? {}) as Partial<Record<keyof Trust, unknown>>;
  return typeof sha256 === "string" && typeof since === "string";
}
