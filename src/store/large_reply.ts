/** Replies that are too long to be held as they were received: loaded with the first of them. */
import { Buffer } from "node:buffer";
import zlib from "node:zlib";

/** A reply in pieces that are packed as they come: what wraps a token is the same each time, and takes a fiftieth. */
export class LargeReply {
  readonly #packed: Uint8Array[] = [];

  add(bytes: Uint8Array): void {
    this.#packed.push(zlib.gzipSync(bytes, { level: 1 }));
  }

  /** All of it, as base64 of members of gzip (RFC 1952, 2.2). */
  get text(): string {
    return new Uint8Array(Buffer.concat(this.#packed)).toBase64();
  }
}

/** The bytes of a reply that was packed. */
export function unpacked(gzip: string): Uint8Array {
  return new Uint8Array(zlib.gunzipSync(Uint8Array.fromBase64(gzip)));
}
