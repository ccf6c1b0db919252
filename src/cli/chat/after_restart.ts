/** What a restarted chat does first: hamr's own commands that need rights a chat gives up before its first command runs. */
import { at_end } from "../../config/attempt.ts";
import { why } from "../../config/paths.ts";
import type { ThemeName } from "../../ui/chat/theme.ts";
import { environment_beyond } from "../../permission/own_program.ts";
import { write_on } from "../../permission/put_beside.ts";
import { open_at, real_file_place } from "../base/open_file.ts";
import { once_more } from "../base/restart.ts";
import { flags_again, parse } from "../args/args.ts";
import { image_of_clipboard } from "./clipboard.ts";
import { UsageError } from "../../config/error.ts";

export interface ConversationSpent {
  readonly tokens: number;
  /** Null if a price is not known. */
  readonly cost: number | null;
  /** Dollars that questions beside the conversation took, on top of that. */
  readonly beside: number;
  /** Tokens in the window. */
  readonly used: number;
  /** The conversation is older than this program, and what it took before is not known. */
  readonly part: boolean;
}

/** The person's editor changes the draft; the clipboard adds the name of an image to it. */
export type DraftProgram = "editor" | "clipboard";

export interface AfterRestart {
  /** Where the conversation works: not in what a link in its place leads to by now. */
  readonly workspace?: string;
  /** Arguments of hamr; what it prints is shown. */
  readonly args?: readonly string[];
  /** The file that takes what it prints, instead of the screen. */
  readonly file?: string;
  /** What the model reads about it with the next message, before what it printed. */
  readonly told?: string;
  readonly say?: string;
  /** Arguments to start with instead, where the conversation can't begin so. */
  readonly otherwise?: readonly string[];
  /** More rights are asked for: whether they hold is known before the session is opened. */
  readonly widens?: true;
  /** Other commands before that, the first one first; what they print is shown. */
  readonly before?: readonly (readonly string[])[];
  /** What was said so far is shown: it does not stand on the screen yet. */
  readonly shows?: true;
  /** Stands in the input. */
  readonly draft?: string;
  /** What the draft goes through before that. */
  readonly through?: {
    readonly program: DraftProgram;
    /** Where commands of the conversation may write: no program of the person's is started out of these. */
    readonly places: readonly string[];
  };
  readonly typed?: string;
  /** What was queued: it is said next. */
  readonly next?: readonly string[];
  /** What was typed, and cleared: ↑ brings it back. */
  readonly cleared?: readonly string[];
  /** What the model is told with the next message: what the person's own commands printed. */
  readonly aside?: readonly string[];
  /** The last answer, for `/copy`. */
  readonly answer?: string;
  readonly spent?: ConversationSpent;
  readonly theme?: ThemeName;
  /** With `--fork`: only what was said before the message of this number, from 0. */
  readonly until?: number;
}

export interface DoneFirst {
  readonly shown: string;
  /** For the model; empty for nothing. */
  readonly told: string;
  readonly draft: string;
}

const NAME = "HAMR_CHAT_FIRST";
/** A variable has 128 KiB at most, with its name. */
const MOST_BYTES = 130_000;

/** As the variable of a start: what is not empty of it. Undefined for nothing. */
export function as_variable(
  first: { readonly [Key in keyof AfterRestart]: AfterRestart[Key] | undefined },
): readonly [string, string] | undefined {
  const kept = Object.entries(first).filter(([, value]) =>
    value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0)
  );
  return kept.length === 0 ? undefined : [NAME, JSON.stringify(Object.fromEntries(kept))];
}

export function is_too_long([, text]: readonly [string, string]): boolean {
  return new TextEncoder().encode(text).length > MOST_BYTES;
}

/** What this start is for, and takes it out of the environment, which is others' to read. Null for nothing. */
export function taken_first(): AfterRestart | null {
  const text = Deno.env.get(NAME);
  if (text === undefined) return null;
  Deno.env.delete(NAME);
  return JSON.parse(text);
}

/**
 * Does it, in processes of their own: one that puts files back can do nothing else afterwards. `argv`: of this start; the flags that
 * a command takes, too, hold for it. `asked`: where commands may write by them; out of these, too, no program of the person's is started.
 */
export async function do_first(
  first: AfterRestart,
  { argv, asked }: { argv: readonly string[]; asked: readonly string[] },
): Promise<DoneFirst> {
  const printed_by = (args: readonly string[]) => {
    const { command } = parse(args);
    const shared = flags_again(argv, ({ commands }) => commands.includes(command));
    return printed([...args, ...shared], asked);
  };
  const { args, file, told, before = [], through, draft = "", say = "" } = first;
  const places = [...asked, ...through?.places ?? []];
  const lines = [say];
  const taken = through?.program === "clipboard" ? await image_of_clipboard(places) : null;
  if (taken !== null && "fault" in taken) lines.push(taken.fault);
  for (const one of before) lines.push(together(await printed_by(one)));
  if (args !== undefined && file !== undefined) {
    const { printed, said } = await printed_by(args);
    lines.push(printed === "" ? said : write(`${printed}\n`, file, asked));
  } else if (args !== undefined) {
    lines.push(together(await printed_by(args)));
  }
  const shown = lines.filter((line) => line !== "").join("\n");
  return {
    shown,
    told: told === undefined ? "" : `${told}\n${shown}`,
    draft: through?.program === "editor"
      ? await edited(draft, places)
      : taken !== null && "path" in taken
      ? `${[draft.trimEnd(), taken.path].filter((part) => part !== "").join(" ")} `
      : draft,
  };
}

interface Printed {
  readonly printed: string;
  readonly said: string;
}

function together({ said, printed }: Printed): string {
  return [said, printed].filter((part) => part !== "").join("\n");
}

/** What a command says on stderr, where nobody doubts who speaks. */
export function in_chat(said: string): string {
  return said.replace(/^hamr: /gm, "");
}

async function printed(args: readonly string[], places: readonly string[]): Promise<Printed> {
  const { stdout, stderr } = await once_more(args, {
    places,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd();
  return { printed: text(stdout), said: in_chat(text(stderr)) };
}

/** A text after the person's editor; as it was where there is none. */
async function edited(text: string, places: readonly string[]): Promise<string> {
  const file = Deno.makeTempFileSync({ prefix: "hamr_", suffix: ".md" });
  using _ = at_end(() => Deno.removeSync(file));
  Deno.writeTextFileSync(file, text);
  const editor = Deno.env.get("VISUAL") || Deno.env.get("EDITOR") || "vi";
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", `${editor} "$1"`, "sh", file],
    clearEnv: true,
    env: environment_beyond(places),
  }).spawn();
  return (await child.status).success ? Deno.readTextFileSync(file).trimEnd() : text;
}

/** What is said of a file that must not be overwritten. */
export function already_there(file: string): string {
  return `${file} is there: name another file`;
}

function write(text: string, file: string, written: readonly string[]): string {
  try {
    const place = real_file_place("/export", { path: file, written });
    using made = open_at(place, { write: true, createNew: true });
    write_on(made, new TextEncoder().encode(text));
    return `written to ${file}`;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    if (error instanceof Deno.errors.AlreadyExists) return already_there(file);
    return `${file}: ${why(error)}`;
  }
}
