/** Reads replies that were packed for their length. */
import { joined } from "../config/bytes.ts";
import zlib from "node:zlib";

/** The bytes of a reply that `LargeReply` has packed; `base64`: what follows and was not packed. */
export function bytes_of_packed(
  { gzip, base64 = "" }: { gzip: string; base64?: string },
): Uint8Array {
  return joined([zlib.gunzipSync(Uint8Array.fromBase64(gzip)), Uint8Array.fromBase64(base64)]);
}
