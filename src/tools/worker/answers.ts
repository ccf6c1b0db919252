/** Questions to the tools worker, and who waits for their answers. */
import type { FromWorker, ToWorker } from "../protocol.ts";
import { ToolsError } from "../failure.ts";
import { on_giving_up } from "./closing.ts";

export class Answers {
  readonly #waiting = new Map<number, (answer: never) => void>();
  /** Who waits for something from the worker, and has to learn when nothing will come anymore. */
  readonly #hopes = new Set<(error: ToolsError) => void>();
  #lost: ToolsError | null = null;
  #next = 1;
  /** Asked for and given up, which the worker does not know yet. */
  readonly #canceled: number[] = [];

  /** `settled`: resolves when all that the worker has reported before an answer is dealt with. */
  constructor(
    private readonly send: (message: ToWorker) => void,
    private readonly settled: () => Promise<unknown>,
  ) {}

  get is_lost(): boolean {
    return this.#lost !== null;
  }

  /** What `begin` has resolved, or an error once the worker is lost. A race with one promise would keep every answer until the end. */
  hope<T>(begin: (resolve: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) return reject(this.#lost);
      this.#hopes.add(reject);
      begin((value) => {
        this.#hopes.delete(reject);
        resolve(value);
      });
    });
  }

  /** The worker is lost: whoever waits for something hears it, now and from now on. */
  readonly fail = (error: ToolsError): void => {
    this.#lost ??= error;
    for (const reject of this.#hopes) reject(error);
    this.#hopes.clear();
  };

  /** The answer to a message; `signal` gives up what it asks for. */
  async to<T>(message: (id: number) => ToWorker, signal: AbortSignal | null = null): Promise<T> {
    const id = this.#next++;
    const answered = this.hope<T>((resolve) => this.#waiting.set(id, resolve));
    this.send(message(id));
    const over = on_giving_up(signal, { tell: () => this.#cancel(id), lose: this.fail });
    try {
      const answer = await answered;
      await this.settled();
      return answer;
    } finally {
      over();
    }
  }

  take({ id, answer }: Extract<FromWorker, { kind: "answer" }>): void {
    this.#waiting.get(id)?.(answer as never);
    this.#waiting.delete(id);
  }

  /** In one message with all others that are given up at the same moment: none of them may begin because another one has ended. */
  #cancel(id: number): void {
    if (this.#canceled.push(id) > 1) return;
    queueMicrotask(() => this.send({ kind: "cancel", ids: this.#canceled.splice(0) }));
  }
}
