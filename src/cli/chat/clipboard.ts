/** Takes an image from the clipboard, with whatever program is there for it. Only the person can ask for it, never the model. */
import { either } from "../../config/text.ts";
import { environment_beyond, program_beyond } from "../../permission/own_program.ts";

/** An image that was put into a file, or why there is none. */
type ClipboardImage = { readonly path: string } | { readonly fault: string };

interface Way {
  readonly program: string;
  readonly args: readonly string[];
  readonly here: () => boolean;
}

const has = (name: string) => (Deno.env.get(name) ?? "") !== "";
const is_mac = Deno.build.os === "darwin";

const WAYS: readonly Way[] = [
  {
    program: "wl-paste",
    args: ["--no-newline", "--type", "image/png"],
    here: () => has("WAYLAND_DISPLAY"),
  },
  {
    program: "xclip",
    args: ["-selection", "clipboard", "-target", "image/png", "-out"],
    here: () => has("DISPLAY"),
  },
  { program: "pngpaste", args: ["-"], here: () => is_mac },
  // Every Mac has it.
  { program: "osascript", args: ["-e", "the clipboard as «class PNGf»"], here: () => is_mac },
];

const PNG = [0x89, 0x50, 0x4e, 0x47];
/** As AppleScript prints an image. */
const PRINTED = /^«data PNGf((?:[\dA-F]{2})+)»\s*$/;

/** The image in what such a program printed; null for anything else. */
export function png_in(printed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
  if (PNG.every((byte, at) => printed[at] === byte)) return printed;
  const [, digits] = PRINTED.exec(new TextDecoder().decode(printed)) ?? [];
  return digits === undefined ? null : Uint8Array.fromHex(digits);
}

/** Takes it, by no program out of these places; the file is the person's to remove, as any temporary one. */
export async function image_of_clipboard(places: readonly string[]): Promise<ClipboardImage> {
  const ways = WAYS.filter(({ here }) => here());
  if (ways.length === 0) {
    return {
      fault: "no image: there is no clipboard here (neither WAYLAND_DISPLAY nor DISPLAY is set)",
    };
  }
  const missing: string[] = [];
  for (const { program, args } of ways) {
    const found = program_beyond(places, program);
    const printed = found === null
      ? null
      : await printed_by(found, { args, env: environment_beyond(places) });
    const image = printed === null ? null : png_in(printed);
    if (printed === null) missing.push(program);
    if (image === null) continue;
    const path = Deno.makeTempFileSync({ prefix: "hamr_clipboard_", suffix: ".png" });
    Deno.writeFileSync(path, image);
    return { path };
  }
  return {
    fault: missing.length === ways.length
      ? `no image: to take one from the clipboard, install ${either(missing)}`
      : "there is no image in the clipboard",
  };
}

async function printed_by(
  program: string,
  { args, env }: { args: readonly string[]; env: Record<string, string> },
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      clearEnv: true,
      env,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    });
    return (await child.output()).stdout;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
