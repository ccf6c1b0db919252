/** Packs replies that are too long to keep as they were received. */
import { concat } from "../config/bytes.ts";
import { deflated } from "./body.ts";

/** A reply in pieces that are packed as they come: what wraps a token is the same each time, and takes a fiftieth. */
export class LargeReply {
  readonly #packed: Uint8Array[] = [];
  #last = new Uint8Array(0);

  /** `bytes` may be used for something else at once. */
  async add(bytes: Uint8Array): Promise<void> {
    const own = this.#last = bytes.slice();
    this.#packed.push(await deflated(own, "gzip"));
    this.#last = new Uint8Array(0);
    // Given back at once: this thread makes little garbage, and so collects it late.
    own.buffer.transfer(0);
  }

  /** All that was packed, as base64 of members of gzip (RFC 1952, 2.2), and as base64 what was not, and what follows. */
  settle(rest: Uint8Array): { readonly gzip: string; readonly base64: string } {
    return {
      gzip: concat(this.#packed).toBase64(),
      base64: concat([this.#last, rest]).toBase64(),
    };
  }
}
