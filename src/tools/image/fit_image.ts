/** Converts a file into an image that any model server takes, or says why it can't. */
import { on_thread } from "../../config/thread.ts";
import { ToolFailure } from "../failure.ts";
import { type Image, image_header, type ImageHeader } from "../image.ts";

/** Pixels of the longest side. Anthropic shrinks anything longer, OpenAI works at 768 on the short side: more only takes bytes and prefill. */
const MOST_SIDE = 1568;
/** Characters of base64: 1 MB, as an image is part of every later request. Groq takes 4 MB in one, Anthropic 5 MB each and 32 MB in all. */
const MOST_BASE64 = 1024 * 1024;
/** Three bytes take four characters. */
const MOST_BYTES = (MOST_BASE64 / 4) * 3;
/** Of a file that is looked at: a PNG of a photo with 24 million pixels has 28 MB. */
export const MOST_FILE_BYTES = 32 * 1024 * 1024;
/** A phone's largest photos have 48 million; to unpack and shrink these took 0.7 GB for 2 to 4 s, measured. */
const MOST_PIXELS = 50_000_000;
/** Milliseconds; no image takes a tenth of it, so what does is stuck. */
const FIT_MS = 60_000;
/** Formats that every server with a model that can see takes: xAI and LM Studio no others, llama.cpp no WebP. */
const UNDERSTOOD: readonly ImageHeader["kind"][] = ["PNG", "JPEG"];

export interface ToFit {
  readonly file: Uint8Array;
  /** The file may be sent as it is, if no side of it is too long. */
  readonly as_is: boolean;
  /** Pixels that the longest side may have, and bytes that the file may. */
  readonly side: number;
  readonly bytes: number;
}

export type FitOutcome =
  | { readonly kind: "as_is"; readonly width: number; readonly height: number }
  | { readonly kind: "packed"; readonly file: Uint8Array } & Omit<ImageHeader, "kind">
  | { readonly kind: "damaged" }
  /** Run from its source, under a policy that does not let the decoder's files be read. */
  | { readonly kind: "no_decoder" };

interface FittedImage {
  readonly image: Image;
  /** `PNG image, 4000×3000 pixels, shown at 1568×1176`. */
  readonly words: string;
}

/** The bytes of a file as an image that can be sent. Throws a `ToolFailure` where they are none, or it is too large. */
export async function fit_image(file: Uint8Array, signal: AbortSignal): Promise<FittedImage> {
  const header = image_header(file);
  if (header === null) throw new ToolFailure("is not a PNG, JPEG, GIF or WebP file");
  const { kind, width, height } = header;
  if (width === 0 || height === 0) throw damaged(kind);
  if (width * height > MOST_PIXELS) {
    throw new ToolFailure(
      `has ${width}×${height} pixels, too many to be shown (${MOST_PIXELS / 1e6} million at most)`,
    );
  }
  const as_is = UNDERSTOOD.includes(kind) && file.length <= MOST_BYTES;
  const wanted: ToFit = { file, as_is, side: MOST_SIDE, bytes: MOST_BYTES };
  const fitted = await unpacked(wanted, signal);
  const is = `${kind} image, ${width}×${height} pixels`;
  const whole = () => ({
    image: { media_type: header.media_type, data: file.toBase64() },
    words: is,
  });
  switch (fitted.kind) {
    case "damaged":
      throw damaged(kind);
    case "no_decoder":
      if (as_is && Math.max(width, height) <= MOST_SIDE) return whole();
      throw new ToolFailure("can't be resized to be sent: the decoder's files may not be read");
    case "as_is":
      return whole();
    case "packed": {
      const image = { media_type: fitted.media_type, data: fitted.file.toBase64() };
      const same = fitted.width === width && fitted.height === height;
      return { image, words: same ? is : `${is}, shown at ${fitted.width}×${fitted.height}` };
    }
  }
}

function damaged(kind: string): ToolFailure {
  return new ToolFailure(`is a damaged ${kind} image`);
}

/** Runs the decoder on a thread of its own, for as long as it may take. */
async function unpacked(wanted: ToFit, signal: AbortSignal): Promise<FitOutcome> {
  const module = new URL("./image_worker.ts", import.meta.url);
  const how = { ms: FIT_MS, lost: { kind: "no_decoder" }, signal } as const;
  const outcome = await on_thread<FitOutcome>(module, wanted, how);
  if (outcome !== null) return outcome;
  throw new ToolFailure(
    signal.aborted
      ? "was not unpacked, the run was stopped"
      : `took more than ${FIT_MS / 1000} s to unpack`,
  );
}
