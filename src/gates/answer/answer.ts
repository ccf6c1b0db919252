/** An answer as the gates read it: what the speaker says in it, and of what kind that is. */
import type { View } from "../../guards/rule.ts";
import { asked_for, type AskedFor } from "./task.ts";
import { type Block, blocks_of, plain } from "./text.ts";
import * as says from "../phrases/triggers.ts";

export interface FinalAnswer {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** All that the speaker says, and what of it is in no list. */
  readonly said: readonly string[];
  readonly prose: readonly string[];
}

export function parsed(text: string): FinalAnswer {
  const blocks = blocks_of(text);
  return {
    text,
    blocks,
    said: blocks.flatMap(({ sentences }) => sentences),
    prose: blocks.flatMap(({ kind, sentences }) => kind === "prose" ? sentences : []),
  };
}

export function asks(sentence: string): boolean {
  return /[?؟][^\p{L}\p{N}]*$/u.test(sentence);
}

/** Whether it says what comes next, and waits for nobody. */
export function is_announcement(sentence: string): boolean {
  return !asks(sentence) && says.announces(sentence) && !says.defers(sentence);
}

/** Where nobody is greeted, signs alone are a status. */
export const GREETS_NOBODY = { greeting: false };

/** Digits and names keep an answer from being a status: "5/5 done" and "request.complete" say something. */
export function is_status(text: string, { greeting }: Pick<AskedFor, "greeting">): boolean {
  const trimmed = text.trim();
  if (trimmed.length > STATUS_CHARS || /\w[._]\w/.test(trimmed)) return false;
  const letters = blocks_of(trimmed).flatMap(({ lines }) => lines).join(" ")
    .replaceAll("'", "").replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return says.is_status_word(letters) ||
    (!greeting && !/[\p{L}\p{N}]/u.test(trimmed));
}

/** A few words in one line that name nothing, neither a file nor a number nor code. */
export function is_slight(text: string): boolean {
  return text.trim().length <= SLIGHT_CHARS && !/[\d`\n]|\w[._/]\w/.test(text.trim());
}

/** "Reply with exactly: DONE", "answer in German", or a command that was to be run, and was: then there is nothing else to say. */
export function is_wanted(text: string, { asked, turn }: View): boolean {
  const { echo, change, manner } = asked_for(asked);
  const word = plain(text).replace(/[^\p{L}\p{N} ]/gu, "").trim();
  return manner || echo && plain(asked).includes(word) ||
    !change &&
      turn.some((row) =>
        row.kind === "command" && row.exit_code === 0 && asked.includes(row.command.trim())
      );
}

/** Longer than any status with a farewell. */
const STATUS_CHARS = 200;
/** About a sentence. */
const SLIGHT_CHARS = 80;
