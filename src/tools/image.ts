/** Image formats, and what can be told from their first bytes. */

export interface Image {
  /** `image/png` and the like. */
  readonly media_type: string;
  /** In base64. */
  readonly data: string;
}

/** A file's own word on what it is. It may lie: it is for refusing what is too large before anything is unpacked. */
export interface ImageHeader {
  readonly kind: "PNG" | "JPEG" | "GIF" | "WebP";
  readonly media_type: string;
  /** Pixels; 0 if the header is damaged. */
  readonly width: number;
  readonly height: number;
}

/** Formats that are known, by the bytes they begin with (`null`: any byte) and where their size stands. */
const FORMATS: readonly {
  readonly kind: ImageHeader["kind"];
  readonly magic: readonly (number | null)[];
  readonly size: (bytes: ImageBytes) => readonly [width: number, height: number];
}[] = [
  {
    kind: "PNG",
    magic: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    // In IHDR, which is always the first chunk.
    size: (bytes) => bytes.is(12, "IHDR") ? [bytes.big(16, 4), bytes.big(20, 4)] : [0, 0],
  },
  { kind: "JPEG", magic: [0xff, 0xd8, 0xff], size: jpeg_size },
  { kind: "GIF", magic: [...ascii("GIF87a")], size: gif_size },
  { kind: "GIF", magic: [...ascii("GIF89a")], size: gif_size },
  {
    kind: "WebP",
    magic: [...ascii("RIFF"), null, null, null, null, ...ascii("WEBP")],
    size: webp_size,
  },
];

/** What a file is by its first bytes, whatever its name; null for no image that models are shown. */
export function image_header(file: Uint8Array): ImageHeader | null {
  const format = FORMATS.find(({ magic }) =>
    magic.every((byte, at) => byte === null || file[at] === byte)
  );
  if (format === undefined) return null;
  const [width, height] = format.size(new ImageBytes(file));
  return { kind: format.kind, media_type: `image/${format.kind.toLowerCase()}`, width, height };
}

/** Numbers in a file; what lies behind its end is 0. */
class ImageBytes {
  constructor(private readonly file: Uint8Array) {}

  get length(): number {
    return this.file.length;
  }

  at(place: number): number {
    return this.file[place] ?? 0;
  }

  /** The most significant byte first. */
  big(place: number, bytes: number): number {
    let value = 0;
    for (let i = 0; i < bytes; i++) value = value * 256 + this.at(place + i);
    return value;
  }

  /** The least significant byte first. */
  little(place: number, bytes: number): number {
    let value = 0;
    for (let i = bytes - 1; i >= 0; i--) value = value * 256 + this.at(place + i);
    return value;
  }

  is(place: number, text: string): boolean {
    // Called for each of what may be millions of chunks.
    for (let i = 0; i < text.length; i++) {
      if (this.at(place + i) !== text.charCodeAt(i)) return false;
    }
    return true;
  }
}

function gif_size(bytes: ImageBytes): [number, number] {
  return [bytes.little(6, 2), bytes.little(8, 2)];
}

/** In the first "start of frame" among the segments, each of which says how long it is. */
function jpeg_size(bytes: ImageBytes): [number, number] {
  let at = 2;
  while (at < bytes.length && bytes.at(at) === 0xff) {
    const marker = bytes.at(at + 1);
    if (marker === 0xff) at++; // Filling.
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2; // Without a length.
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [bytes.big(at + 7, 2), bytes.big(at + 5, 2)];
    } else if (marker === 0xda || marker === 0xd9) break; // The pixels, or the end.
    else at += 2 + Math.max(2, bytes.big(at + 2, 2));
  }
  return [0, 0];
}

/** The largest of its chunks: what is unpacked is a frame, whatever the canvas around it says. */
function webp_size(bytes: ImageBytes): [number, number] {
  let [width, height] = [0, 0];
  for (let at = 12; at < bytes.length;) {
    const [wide, high] = webp_chunk_size(bytes, at);
    [width, height] = [Math.max(width, wide), Math.max(height, high)];
    // A frame of an animation holds chunks of its own.
    at += bytes.is(at, "ANMF") ? 24 : 8 + 2 * Math.ceil(bytes.little(at + 4, 4) / 2);
  }
  return [width, height];
}

/** Lossy, lossless, or the canvas of both. */
function webp_chunk_size(bytes: ImageBytes, at: number): readonly [number, number] {
  if (bytes.is(at, "VP8 ")) {
    return [bytes.little(at + 14, 2) & 0x3fff, bytes.little(at + 16, 2) & 0x3fff];
  }
  if (bytes.is(at, "VP8L") && bytes.at(at + 8) === 0x2f) {
    const bits = bytes.little(at + 9, 4);
    return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
  }
  if (!bytes.is(at, "VP8X")) return [0, 0];
  return [1 + bytes.little(at + 12, 3), 1 + bytes.little(at + 15, 3)];
}

function ascii(text: string): number[] {
  return [...text].map((char) => char.charCodeAt(0));
}
