/** Reads replies that were packed because of their length. */
import { concat } from "../config/bytes.ts";
import { node_zlib } from "../config/node.ts";

/** Twice what is read of a reply: an imported session may say anything. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The bytes of a reply that `LargeReply` has packed; `base64`: what follows and was not packed. Throws for more than a reply can have. */
export function bytes_of_packed(
  { gzip, base64 = "" }: { gzip: string; base64?: string },
): Uint8Array {
  return concat([
    node_zlib().gunzipSync(Uint8Array.fromBase64(gzip), { maxOutputLength: MOST_BYTES }),
    Uint8Array.fromBase64(base64),
  ]);
}
