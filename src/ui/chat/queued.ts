/** Messages typed during a task and not taken yet: shown, and can be changed or withdrawn. */
import { Container, Text } from "@earendil-works/pi-tui";
import { line } from "../text.ts";
import type { Theme } from "./theme.ts";

/** `told`: before the model's next step; `wait`: after the task. */
export type When = "told" | "wait";

interface Said {
  readonly text: string;
  readonly when: When;
}

const SIGN = { told: "⇢", wait: "⧗" };
const WORDS = { told: "before the next step", wait: "after this task" };
const HELP = "  ↑ to change one or take it back";
const OPEN_HELP = "  enter tells it, tab queues it, esc leaves it as it was, ctrl-c drops it";

/** Messages that wait, those for the task under way before those for after it. */
export class Queued extends Container {
  #entries: readonly Said[] = [];
  /** The one that is being changed: it stands in the input, and does not go to the model. */
  #open: Said | null = null;

  constructor(
    private readonly theme: Theme,
    private readonly task: {
      tell(text: string): boolean;
      take_back(text: string): boolean;
    },
  ) {
    super();
  }

  get texts(): readonly string[] {
    return this.#entries.filter((one) => one !== this.#open).map(({ text }) => text);
  }

  get open(): boolean {
    return this.#open !== null;
  }

  /** One more; or what the one that is being changed has become. */
  add(text: string, when: When): void {
    const at = this.#open?.when === when && when === "wait" ? this.#at() : this.#entries.length;
    const others = this.#entries.toSpliced(at, 0, { text, when });
    this.#keep(others.filter((one) => one !== this.#open));
  }

  /** The text of the one above, or below, to be changed; null where there is none. `shown`: what is in the input. */
  next(step: -1 | 1, shown: string): string | null {
    // What was changed by now is not left by walking on.
    if (this.#open === null ? shown !== "" || step === 1 : shown !== this.#open.text) return null;
    const from = this.#open === null ? this.#entries.length : this.#at();
    const wanted = this.#entries[from + step];
    if (wanted === undefined) return this.#open !== null && step === 1 ? this.leave() : null;
    this.leave();
    // The model was faster.
    if (wanted.when === "told" && !this.task.take_back(wanted.text)) return null;
    this.#open = wanted;
    this.#show();
    return wanted.text;
  }

  /** The one that is being changed stays as it was; the input is empty then. */
  leave(): "" {
    const open = this.#open;
    this.#open = null;
    if (open?.when !== "told" || this.task.tell(open.text)) this.#show();
    else this.#keep(this.#entries.map((one) => one === open ? { ...one, when: "wait" } : one));
    return "";
  }

  /** The one that is being changed is taken back. */
  drop(): void {
    this.#keep(this.#entries.filter((one) => one !== this.#open));
  }

  heard(text: string): void {
    const at = this.#entries.findIndex((one) =>
      one.when === "told" && one.text === text && one !== this.#open
    );
    if (at < 0) return;
    this.#entries = this.#entries.toSpliced(at, 1);
    this.#show();
  }

  /** The task has ended: what comes next, if anything does. What is being changed is in the input, and is only there from now on. */
  ended(): string | undefined {
    const [next, ...rest] = this.#entries.filter((one) => one !== this.#open);
    this.#keep(rest.map(({ text }) => ({ text, when: "wait" })));
    return next?.text;
  }

  #at(): number {
    return this.#entries.findIndex((one) => one === this.#open);
  }

  #keep(entries: readonly Said[]): void {
    this.#open = null;
    const of = (when: When) => entries.filter((one) => one.when === when);
    this.#entries = [...of("told"), ...of("wait")];
    this.#show();
  }

  #show(): void {
    this.clear();
    const { dim, accent } = this.theme;
    for (const entry of this.#entries) {
      const { text, when } = entry;
      const words = `${SIGN[when]} ${line(text, 200)}  (${WORDS[when]})`;
      this.addChild(new Text(entry === this.#open ? accent(words) : dim(words), 0, 0));
    }
    if (this.#entries.length === 0) return;
    this.addChild(new Text(dim(this.#open === null ? HELP : OPEN_HELP), 0, 0));
  }
}
