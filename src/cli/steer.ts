/** `--steer`: each line of standard input is a message to the run, as text or as a JSON `InputLine`; questions are asked there, too. */
import { fields, json } from "../config/json.ts";
import type { InputLine } from "../agent/events.ts";
import type { AskWords } from "../agent/session.ts";
import { Steering } from "../agent/steering.ts";
import { quote } from "../config/text.ts";
import type { AskPerson, PersonAnswer, Question } from "../permission/approval.ts";

/** A line longer than this is not a message: what follows of it is another one. */
const LINE_CHARS = 1024 * 1024;

/** A question that is open; what is wrong with an answer to it, null if nothing is. */
type OpenQuestion = (line: Extract<InputLine, { type: "approve" | "answer" }>) => string | null;

export class Spoken {
  readonly steering = new Steering();
  readonly #open = new Map<string, OpenQuestion>();
  #over = false;

  /** `complain` hears of answers to questions that nobody asked. */
  constructor(private readonly complain: (fault: string) => void) {}

  readonly leave: AskPerson = (question, signal) =>
    this.#wait<PersonAnswer>(question.id, { signal, otherwise: "nobody" }, (line, done) => {
      const answer = line.type === "approve" ? ruling(line, question) : null;
      if (answer === null) return '"approve" with one of its answers';
      done(answer);
      return null;
    });

  readonly words: AskWords = ({ id }, signal) =>
    this.#wait<string | null>(id, { signal, otherwise: null }, (line, done) => {
      if (line.type !== "answer") return '"answer"';
      if (line.text !== null && typeof line.text !== "string") return '"answer" with a text';
      done(line.text);
      return null;
    });

  /** Hears a line: anything but the four objects is a message as it stands. */
  hear(line: string): void {
    const said = fields(json(line));
    const { type } = said;
    const text = said.text ?? "";
    if (type === "approve" || type === "answer") return this.#answered(said as never);
    if (typeof text === "string" && type === "interrupt") this.steering.interrupt(text);
    else if (typeof text === "string" && type === "user") this.steering.steer(text);
    else this.steering.steer(line.trimEnd());
  }

  /** Nothing more is said: what is asked has no answer. */
  end(): void {
    this.#over = true;
    for (const gone of [...this.#gone]) gone();
  }

  readonly #gone = new Set<() => void>();

  #answered(line: Extract<InputLine, { type: "approve" | "answer" }>): void {
    const open = this.#open.get(line.id);
    const fault = open === undefined
      ? `no open question has the id ${quote(String(line.id))}`
      : open(line);
    if (fault !== null) {
      this.complain(open === undefined ? fault : `${quote(line.id)} waits for ${fault}`);
    }
  }

  #wait<T>(
    id: string,
    { signal, otherwise }: { signal: AbortSignal; otherwise: T },
    take: (line: Parameters<OpenQuestion>[0], done: (answer: T) => void) => string | null,
  ): Promise<T> {
    if (this.#over || signal.aborted) return Promise.resolve(otherwise);
    const { promise, resolve } = Promise.withResolvers<T>();
    const done = (answer: T) => {
      this.#open.delete(id);
      this.#gone.delete(give_up);
      signal.removeEventListener("abort", give_up);
      resolve(answer);
    };
    const give_up = () => done(otherwise);
    signal.addEventListener("abort", give_up, { once: true });
    this.#gone.add(give_up);
    this.#open.set(id, (line) => take(line, done));
    return promise;
  }
}

/** What an answer says; null if it can't be one to this question. */
function ruling(
  { answer, text, command }: Extract<InputLine, { type: "approve" }>,
  question: Question,
): PersonAnswer | null {
  if (command !== undefined) {
    const takes = answer === "yes" && question.command !== null && typeof command === "string";
    return takes && command.trim() !== "" ? { instead: command } : null;
  }
  switch (answer) {
    case "yes":
    case "always":
      return answer;
    case "edits":
      return question.edits ? answer : null;
    case "no":
      return typeof text === "string" && text.trim() !== "" ? { no: text } : "no";
    default:
      return null;
  }
}

/** Hears standard input from now on, until its end; the process may end before that. Nothing that goes wrong there ends a run. */
export function steered_by_stdin(complain: (fault: string) => void): Spoken {
  const spoken = new Spoken(complain);
  // The speaker is gone: the run goes on.
  void hear(spoken).catch(() => {}).finally(() => spoken.end());
  return spoken;
}

async function hear(spoken: Spoken): Promise<void> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LINE_CHARS) {
      lines.push(rest);
      rest = "";
    }
    for (const line of lines) spoken.hear(line);
  }
  spoken.hear(rest);
}
