/** Watches commands: what they change, what they leave to run later, and whether any of them is alive. */
import { full_path } from "../../changes/file_names.ts";
import type { Guarded } from "../../persistence_guard/guarded.ts";
import type { Named } from "../../persistence_guard/named.ts";
import type { Aside, FromWorker } from "../protocol.ts";
import type { Machine } from "../work/machine/machine.ts";
import { clear_orphans, may_be_alive } from "./left_behind.ts";
import type { SeenAround } from "./call_facts.ts";

/** Looking for orphans that have ended takes half a millisecond; a few of them do no harm in the meantime. */
const CLEAR_EVERY = 16;
/** A command that starts many, as tests of daemons do, would run into a container's limit on processes. */
const CLEAR_MS = 500;

export class Watch {
  #commands = 0;
  /** A program was started that may have left something behind to run later; the tools that write files can't. */
  #has_started: boolean;
  /** Something of the run's was alive after the last command, and may have changed what nobody has seen. */
  #has_left: boolean;
  /** Nothing of the run's was alive at the last look. */
  #alone = false;
  /** Resolved but while this process is about to be stopped. */
  #goes_on: Promise<void> = Promise.resolve();
  #go_on: () => void = () => {};
  /** When the run was last found to be well, if nothing of it was alive then, and no program was started since. */
  #rested: number | null = null;

  constructor(
    private readonly on: Machine,
    private readonly options: {
      readonly guarded: Guarded;
      readonly named: Named;
      readonly embedded: boolean;
      /** Whether programs run from the start. */
      readonly has_started: boolean;
      /** Walks through the workspace, so that what is new in it comes into sight. */
      readonly find: () => void;
      readonly post: (message: FromWorker) => void;
    },
  ) {
    this.#has_started = this.#has_left = options.has_started;
    if (options.has_started) this.#find();
  }

  /** Does what may change anything, and looks around before and after. Gives the facts, too. */
  async around<T>(
    call: string,
    work: () => Promise<T>,
    command = "",
  ): Promise<{ readonly of: T } & SeenAround> {
    const { on, on: { changes } } = this;
    this.#has_started = true;
    if (this.#rested !== null) this.tell_guarded();
    this.#rested = null;
    await changes.begin(call, command);
    this.#see();
    await this.#goes_on;
    const ended = on.files.seen.around();
    const clearing = setInterval(clear_orphans, CLEAR_MS, on.shell, { running: true });
    const of = await work().finally(() => clearInterval(clearing));
    const { embedded, has_started } = this.options;
    this.#has_left = has_started || may_be_alive(on.shell, { embedded, often: true });
    const touched = ended();
    const facts = await changes.end(call);
    for (const path of changes.touched) touched(full_path(on.policy, path));
    this.#see();
    if (++this.#commands % CLEAR_EVERY === 0 && !this.options.embedded) {
      clear_orphans(on.shell, { running: false });
    }
    return { of, facts, ...(command === "" ? {} : { looked: changes.looked() }) };
  }

  #find(): void {
    this.options.find();
    this.#see();
  }

  async end(): Promise<void> {
    if (this.#has_left) this.#find();
    await this.look_over({ alone: true });
  }

  /** Puts back what is planted in the midst of a command, once `stop` has stopped all; no command begins until this is called with null. */
  async stand_still(stop: (() => void) | null): Promise<void> {
    this.#go_on();
    if (stop === null) return;
    this.#goes_on = new Promise((resolve) => this.#go_on = resolve);
    if (!this.#has_started) return;
    // Only where no look is under way: its git would be stopped, too.
    await this.options.guarded.check({ first: () => (stop(), this.#find()) });
  }

  /** Puts back what was planted; says so, a line each. `alone`: nothing of the run's is alive. */
  async look_over({ alone = false } = {}): Promise<readonly string[]> {
    this.#alone = alone;
    return this.#has_started ? await this.options.guarded.check({ alone }) : [];
  }

  expect(path: string): void {
    if (this.options.named.expect(path)) this.tell_guarded();
  }

  heed(live: Parameters<Guarded["heed"]>[0]): void {
    if (this.options.guarded.heed(live)) this.tell_guarded();
  }

  async begin_run(work: () => Promise<void>): Promise<void> {
    if (this.#rested !== null) this.options.guarded.renew(this.#rested);
    this.#rested = null;
    await work();
    this.tell_guarded();
  }

  /** If nothing of the run's is alive: what changes from now on, until its next command, is the person's. */
  rest(): void {
    if (!this.#alone) return;
    this.#rested = Date.now();
    this.options.post({ kind: "guarded", saved: null, notes: this.notes() });
  }

  tell_guarded(more?: readonly string[]): void {
    const { guarded, named, post } = this.options;
    const saved = { ...guarded.saved, named: named.before };
    post({ kind: "guarded", saved, notes: this.notes(more) });
  }

  /** What is sent along with an answer: what there is to say of what was put back, once, and what is to be written down. */
  notes(more: readonly string[] = []): Aside {
    const { warnings, violation } = this.options.guarded.take();
    return { warnings: [...more, ...warnings], violation, rows: this.on.changes.rows() };
  }

  /** The lines for the result, once nobody is left to change anything. */
  lines(): readonly string[] {
    return this.options.named.lines();
  }

  /** What has come into sight is watched from now on. */
  #see(): void {
    const { guarded, named } = this.options;
    // Of repositories that came into sight what they start is named, too.
    if ([guarded.watch(), named.see()].includes(true)) this.tell_guarded();
  }
}
