/** Decodes one image on its own thread, which may only read the decoder: whatever a hostile file does ends with it. */
import type { PhotonImage } from "@silvia-odwyer/photon-node";
import type { FitOutcome, ToFit } from "./fit_image.ts";

/** JPEG qualities that are tried, one after the other, where a PNG takes too many bytes. */
const QUALITIES = [85, 70, 50];
/** Where that is not enough, the sides become this much shorter. */
const SMALLER = 0.75;

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: (event: MessageEvent<ToFit>) => void;
  postMessage(message: FitOutcome): void;
};

type Decoder = typeof import("@silvia-odwyer/photon-node");

port.onmessage = async ({ data }) => {
  try {
    // Of a package without exports of its own a bundle gives this one alone.
    const { default: decoder } = await import("@silvia-odwyer/photon-node");
    port.postMessage(fit(data, decoder));
  } catch {
    port.postMessage({ kind: "no_decoder" });
  }
};

function fit(wanted: ToFit, decoder: Decoder): FitOutcome {
  try {
    const whole = decoder.PhotonImage.new_from_byteslice(wanted.file);
    const size = { width: whole.get_width(), height: whole.get_height() };
    const longest = Math.max(size.width, size.height);
    if (wanted.as_is && longest <= wanted.side) return { kind: "as_is", ...size };
    for (let scale = Math.min(1, wanted.side / longest);; scale *= SMALLER) {
      const fitted = packed(scale === 1 ? whole : scaled(whole, scale, decoder), wanted.bytes);
      if (fitted !== null) return fitted;
    }
  } catch {
    // The decoder ends in a trap and says nothing else.
    return { kind: "damaged" };
  }
}

function scaled(whole: PhotonImage, scale: number, decoder: Decoder): PhotonImage {
  const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
  const [width, height] = [side(whole.get_width()), side(whole.get_height())];
  return decoder.resize(whole, width, height, decoder.SamplingFilter.CatmullRom);
}

/** As PNG, which keeps letters sharp, or as JPEG where that is too large; null if both are. */
function packed(image: PhotonImage, most: number): FitOutcome | null {
  const size = { width: image.get_width(), height: image.get_height() };
  const png = image.get_bytes();
  if (png.length <= most) return { kind: "packed", file: png, media_type: "image/png", ...size };
  for (const quality of QUALITIES) {
    const jpeg = image.get_bytes_jpeg(quality);
    if (jpeg.length <= most) {
      return { kind: "packed", file: jpeg, media_type: "image/jpeg", ...size };
    }
  }
  return null;
}
