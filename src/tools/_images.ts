/** Images for tests. */
import { crc32, deflateSync } from "node:zlib";

/** 40×30 pixels each, as Pillow writes them. */
export const SMALL: Readonly<Record<string, Uint8Array>> = {
  jpeg: base64(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/" +
      "2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wgARCAAeACgDASIAAhEBAxEB/8QA" +
      "FQABAQAAAAAAAAAAAAAAAAAAAAT/xAAWAQEBAQAAAAAAAAAAAAAAAAAAAwX/2gAMAwEAAhADEAAAAZRHQAAAAA//xAAUEAEAAAAAAAAAAAAAAAAAAABA/9oA" +
      "CAEBAAEFAif/xAAUEQEAAAAAAAAAAAAAAAAAAAAg/9oACAEDAQE/AV//xAAUEQEAAAAAAAAAAAAAAAAAAAAg/9oACAECAQE/AV//xAAUEAEAAAAAAAAAAAAA" +
      "AAAAAABA/9oACAEBAAY/Aif/xAAUEAEAAAAAAAAAAAAAAAAAAABA/9oACAEBAAE/ISf/2gAMAwEAAgADAAAAEPvvvvvv/8QAFBEBAAAAAAAAAAAAAAAAAAAA" +
      "IP/aAAgBAwEBPxBf/8QAFBEBAAAAAAAAAAAAAAAAAAAAIP/aAAgBAgEBPxBf/8QAFBABAAAAAAAAAAAAAAAAAAAAQP/aAAgBAQABPxAn/9k=",
  ),
  gif: base64(
    "R0lGODdhKAAeAIEAAMgeHgAAAAAAAAAAACwAAAAAKAAeAEAIOgABCBxIsKDBgwgTKlzIsKHDhxAjSpxIsaLFixgzatzIsaPHjyBDihxJsqTJkyhTqlzJsqXL" +
      "lzAxBgQAOw==",
  ),
  webp_lossy: base64(
    "UklGRkQAAABXRUJQVlA4IDgAAAAwAwCdASooAB4APxGGu1csKSYjpWgBgCIJZwDOsA8KmggAAP7l+jxhNJbd/7g/UH8QT1oxixAAAA==",
  ),
  webp_lossless: base64("UklGRh4AAABXRUJQVlA4TBEAAAAvJ0AHAAdQjyLXo/+BiOh/AAA="),
  webp_with_alpha: base64(
    "UklGRmgAAABXRUJQVlA4WAoAAAAQAAAAJwAAHQAAQUxQSAoAAAABB9CEiAhERP8DVlA4IDgAAAAwAwCdASooAB4APxGGu1csKSYjpWgBgCIJZwDOsA8KmggA" +
      "AP7l+jxhNJbd/7g/UH8QT1oxixAAAA==",
  ),
};

/** A PNG of one color, or of noise that no compression makes smaller. */
export function png(
  width: number,
  height: number,
  noise = false,
): Uint8Array<ArrayBuffer> {
  const rows = new Uint8Array(height * (1 + 3 * width));
  if (noise) {
    let seed = 1;
    for (let at = 0; at < rows.length; at++) {
      // Marsaglia's xorshift.
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      // The first byte of a row says how it is filtered: not at all.
      rows[at] = at % (1 + 3 * width) === 0 ? 0 : seed;
    }
  }
  return of_chunks(chunk("IHDR", ihdr(width, height)), chunk("IDAT", deflateSync(rows)));
}

/** The beginning of a PNG that says it is so large, and a little of what it claims to hold. */
export function lying_png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const rows = deflateSync(new Uint8Array(1000));
  return of_chunks(chunk("IHDR", ihdr(width, height)), chunk("IDAT", rows));
}

function ihdr(width: number, height: number): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // Eight bits each of red, green and blue.
  header.set([8, 2], 8);
  return header;
}

function of_chunks(...chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const magic = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 0x1a, 10);
  const parts = [magic, ...chunks, chunk("IEND", new Uint8Array())];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(12 + data.length);
  const view = new DataView(whole.buffer);
  view.setUint32(0, data.length);
  whole.set(new TextEncoder().encode(name), 4);
  whole.set(data, 8);
  view.setUint32(8 + data.length, crc32(whole.subarray(4, 8 + data.length)));
  return whole;
}

function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(text);
}
