/** A file's content on its way into the store. Without SQLite, since the tools worker makes it. */
import { deflated, inflated } from "./body.ts";

export interface NewContent {
  /** SHA-256, hex. */
  readonly hash: string;
  /** Bytes of the content itself. */
  readonly size: number;
  /** Deflated where that is shorter, else the content itself. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Below this nothing is gained to speak of. */
const PLAIN_BYTES = 512;

/** The bytes as they are to be stored, in a buffer of their own. */
export async function new_content(
  hash: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<NewContent> {
  const size = bytes.length;
  const small = size < PLAIN_BYTES ? bytes : await deflated(bytes);
  return { hash, size, body: small.length < size ? small : bytes.slice() };
}

/** The content of a stored body. Rejects where the file is damaged. */
export async function content_bytes(
  { size, body }: Omit<NewContent, "hash">,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = body.length === size ? body : await inflated(body);
  if (bytes.length !== size) throw new Error("a stored content is damaged");
  return bytes;
}
