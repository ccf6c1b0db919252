import type { Opened } from "./files.ts";
import type { Done } from "../../tool.ts";

export interface WantedRead {
  /** The path as it was given, absolute. */
  readonly full: string;
  readonly offset: number;
  readonly lines: number;
  readonly bytes: number;
}

type Version = Pick<Extract<Opened, { kind: "file" }>, "version" | "young">;

interface CachedRead {
  /** The file it came from, as it looked. */
  readonly version: string;
  readonly done: Done;
}

/** Characters of all answers: some forty of the longest, 2 to 4 MB of memory. */
const MOST_CHARS = 2_000_000;

/** Answers of `read` for a file that looks the same. It is opened each time, so that access is judged again; only the reading is saved. */
export class ReadCache {
  /** What was asked for last comes last. */
  readonly #answers = new Map<string, CachedRead>();
  #chars = 0;

  constructor(private readonly most_chars: number = MOST_CHARS) {}

  /** The answer, if it is the one that reading the file would give. */
  find(wanted: WantedRead, { version }: Version): Done | null {
    const key = key_of(wanted);
    const answer = this.#answers.get(key);
    if (answer === undefined) return null;
    this.#drop(key);
    if (answer.version !== version) return null;
    this.#add(key, answer);
    return answer.done;
  }

  /** Keeps an answer, unless the file changed so shortly before that one more change could not be told from it. */
  keep(wanted: WantedRead, { version, young }: Version, done: Done): void {
    if (young || done.text.length > this.most_chars) return;
    this.#add(key_of(wanted), { version, done });
    for (const key of this.#answers.keys()) {
      if (this.#chars <= this.most_chars) break;
      this.#drop(key);
    }
  }

  #add(key: string, answer: CachedRead): void {
    this.#drop(key);
    this.#answers.set(key, answer);
    this.#chars += answer.done.text.length;
  }

  #drop(key: string): void {
    this.#chars -= this.#answers.get(key)?.done.text.length ?? 0;
    this.#answers.delete(key);
  }
}

function key_of({ full, offset, lines, bytes }: WantedRead): string {
  return `${offset}:${lines}:${bytes}:${full}`;
}
