/** Reads replies that were packed for their length. */
import zlib from "node:zlib";

/** The bytes of a reply that `LargeReply` has packed; `base64`: what follows and was not packed. */
export function bytes_of_packed(
  { gzip, base64 = "" }: { readonly gzip: string; readonly base64?: string },
): Uint8Array {
  const packed = new Uint8Array(zlib.gunzipSync(Uint8Array.fromBase64(gzip)));
  const rest = Uint8Array.fromBase64(base64);
  const all = new Uint8Array(packed.length + rest.length);
  all.set(packed);
  all.set(rest, packed.length);
  return all;
}
