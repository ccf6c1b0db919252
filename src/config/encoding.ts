/** Text in encodings other than UTF-8, as older projects have it. */

/** How the characters of a text file are its bytes. In Windows-1252, as browsers know it, each byte is a character: Latin-1 and most of its kin can be read in it, and nothing is lost. */
export type Encoding = "UTF-8" | "Windows-1252";

const ONE_BYTE = new TextDecoder("windows-1252");
/** Other than ASCII, and than what stands for wrong bytes. */
const CHARACTER = /[^\0-\x7f\ufffd]/;

/** The text of some bytes, which encodes back to them; null where none does: what is not text, or UTF-8 with other bytes in it. */
export function from_bytes(
  bytes: Uint8Array,
): { readonly text: string; readonly encoding: Encoding } | null {
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: utf8.decode(bytes), encoding: "UTF-8" };
  } catch {
    if (bytes.includes(0) || CHARACTER.test(new TextDecoder().decode(bytes))) return null;
    return { text: ONE_BYTE.decode(bytes), encoding: "Windows-1252" };
  }
}

/** The encoding that a byte order mark names, as PowerShell 5 writes one; undefined where there is none, or UTF-8's. */
export function marked_encoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

/** The bytes of a text; or the first character that the encoding does not have. */
export function to_bytes(text: string, encoding: Encoding): Uint8Array<ArrayBuffer> | string {
  if (encoding === "UTF-8") return new TextEncoder().encode(text);
  const bytes = new Uint8Array(text.length);
  let at = 0;
  for (const character of text) {
    const byte = (byte_of ??= all_bytes()).get(character);
    if (byte === undefined) return character;
    bytes[at++] = byte;
  }
  return bytes;
}

let byte_of: ReadonlyMap<string, number> | undefined;

function all_bytes(): ReadonlyMap<string, number> {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  return new Map([...ONE_BYTE.decode(bytes)].map((character, byte) => [character, byte]));
}
