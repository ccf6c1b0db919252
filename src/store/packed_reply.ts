/** Reads replies that were packed because of their length. */
import { joined } from "../config/bytes.ts";
import { node_zlib } from "../config/node.ts";

/** The bytes of a reply that `LargeReply` has packed; `base64`: what follows and was not packed. */
export function bytes_of_packed(
  { gzip, base64 = "" }: { gzip: string; base64?: string },
): Uint8Array {
  return joined([
    node_zlib().gunzipSync(Uint8Array.fromBase64(gzip)),
    Uint8Array.fromBase64(base64),
  ]);
}
