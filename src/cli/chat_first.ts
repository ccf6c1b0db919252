/**
 * What a chat does before it goes on, where it was started anew for that: a command of hamr's that needs what a conversation has
 * given up once its first command may run.
 */
import { message_of } from "../config/text.ts";
import { own_command } from "./base/restart.ts";

/** What is to be done first. Plain data. */
export interface First {
  /** Arguments of hamr; what it prints is shown. */
  readonly args?: readonly string[];
  /** The file that takes what it prints, instead of the screen. */
  readonly file?: string;
  /** What the model is told of it with the next message, before what it printed. */
  readonly told?: string;
  /** Asks which session to go on with. */
  readonly pick?: true;
}

/** What came of it. */
export interface DoneFirst {
  /** For the person. */
  readonly shown: string;
  /** For the model; empty for nothing. */
  readonly told: string;
  readonly pick: boolean;
}

const NAME = "HAMR_CHAT_FIRST";

/** As the variable of a start. */
export function as_variable(first: First): readonly [string, string] {
  return [NAME, JSON.stringify(first)];
}

/** What this start is for, and takes it out of the environment, which is others' to read. Null for nothing. */
export function taken_first(): First | null {
  const text = Deno.env.get(NAME);
  if (text === undefined) return null;
  Deno.env.delete(NAME);
  return JSON.parse(text);
}

/** Does it, in a process of its own: one that puts files back can do nothing else afterwards. */
export async function do_first({ args, file, told, ...rest }: First): Promise<DoneFirst> {
  const pick = rest.pick === true;
  if (args === undefined) return { shown: "", told: "", pick };
  const [program = "", ...first] = own_command();
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [...first, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const [printed, said] = [stdout, stderr].map((bytes) =>
    new TextDecoder().decode(bytes).trimEnd()
  );
  if (file !== undefined) {
    return { shown: printed ? write(file, `${printed}\n`) : said ?? "", told: "", pick };
  }
  const shown = [said, printed].filter((part) => part !== "").join("\n");
  return { shown, told: told === undefined ? "" : `${told}\n${shown}`, pick };
}

function write(file: string, text: string): string {
  try {
    Deno.writeTextFileSync(file, text, { createNew: true });
    return `written to ${file}`;
  } catch (error) {
    return `${file}: ${message_of(error)}`;
  }
}
