/** How long a run waits for another process that has locked its database. */
import { type DatabaseSync, hurry, is_busy, patiently } from "./database.ts";

/** What a run saves waits once, for so long in all: steps of a model take longer. */
const STALL_MS = 1000;
/** At its end there is nothing else to do, and no other time to write it. */
const END_MS = 8000;

/** Shared by all that saves a run: once a wait has failed nobody waits, until the database is found free again. */
export class Patience {
  #since: number | null = null;

  constructor(private readonly db: DatabaseSync) {}

  /** Whether another process had the database when it was last tried. */
  get in_vain(): boolean {
    return this.#since !== null;
  }

  /** Milliseconds for which another process has had the database, as far as is known. */
  get held_ms(): number {
    return this.#since === null ? 0 : performance.now() - this.#since;
  }

  /** Does `work`, when the database is free. `last`: the run has ended. Throws what `work` does. */
  async wait<T>(work: () => T | Promise<T>, last = false): Promise<T> {
    const began = performance.now();
    const most = this.in_vain ? 0 : last ? END_MS : STALL_MS;
    try {
      const value = await patiently(most, () => {
        // What only reads would find nothing amiss.
        if (this.in_vain) this.#probe();
        return work();
      });
      this.#heard(null);
      return value;
    } catch (error) {
      if (is_busy(error)) this.#heard(this.#since ?? began);
      throw error;
    }
  }

  /** Where another process had the database: waits until it is free, so that what was held can be written. False: it never was. */
  async settle(): Promise<boolean> {
    if (!this.in_vain) return true;
    try {
      await patiently(END_MS, () => this.#probe());
      return true;
    } catch {
      return false;
    }
  }

  /** Throws where another process has it. */
  #probe(): void {
    this.db.exec("BEGIN IMMEDIATE; ROLLBACK");
    this.#heard(null);
  }

  /** Who finds it busy does not stand still for it either. */
  #heard(since: number | null): void {
    if ((since === null) !== (this.#since === null)) hurry(this.db, since !== null);
    this.#since = since;
  }
}
