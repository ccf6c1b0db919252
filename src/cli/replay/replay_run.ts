/** Runs one recorded invocation again: the program as it is now, the world as it was then. */
import { load_session, restore } from "../../agent/saving/restore.ts";
import {
  type ReplayListener,
  ReplayStopped,
  ReplayTape,
  type Stopped,
  type TapeRow,
} from "../../agent/tape/replay_tape.ts";
import { Steering } from "../../agent/steering.ts";
import type { Ending } from "../../agent/state.ts";
import { endpoint_of_facts } from "../../agent/tape/taped_fallbacks.ts";
import { defaults } from "../../config/keys.ts";
import type { Origin } from "../../config/load.ts";
import { message_of } from "../../config/text.ts";
import type { Endpoint } from "../../model/server/endpoint.ts";
import { type DatabaseSync, open_scratch } from "../../store/database.ts";
import { SessionLock } from "../../store/session_lock.ts";
import { SessionWriter } from "../../store/session_writer.ts";
import { session_of_id } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import { ToolsError } from "../../tools/failure.ts";
import type { Io } from "../base/io.ts";
import { FLAG_DEFAULTS } from "../../app/flags.ts";
import type { Enforced } from "../../app/policy.ts";
import type { RunInputs } from "../../app/run_inputs.ts";
import type { SavedRun } from "../../app/saved_flags.ts";
import type { RunSettings } from "../../app/settings.ts";
import { compose } from "../../app/compose.ts";
import { take_turns } from "../../app/lifecycle.ts";
import type { Driver, Run } from "../../app/run.ts";
import type { Resumed, RunOptions } from "../../app/run_options.ts";

export interface RecordedRun {
  readonly run: SavedRun;
  readonly inputs: RunInputs;
  readonly tape: readonly TapeRow[];
}

interface Replayed {
  readonly requests: number;
  /** Null: all was as it was then. */
  readonly stopped: Stopped | null;
}

/** The memory of a replay: what it would say is on the tape. */
const ON_TAPE: NonNullable<Store["memory"]> = {
  search: () => nobody(),
  save: () => nobody(),
  list: () => nobody(),
};

function nobody(): never {
  throw new TypeError("a replay asks nobody");
}

/** Replays the invocations of one session, one after the other: each continues from what the one before came to. */
export class Replay {
  readonly #db: DatabaseSync = open_scratch();

  constructor(private readonly io: Io, private readonly uuid: string) {}

  async run(recorded: RecordedRun): Promise<Replayed> {
    const { inputs, run: { task, flags, overrides } } = recorded;
    const { images, context, before, compacts, talks = false } = inputs;
    const first = endpoint_of_facts(inputs.endpoint.first);
    const full = endpoint_of_facts(inputs.endpoint.full);
    const now: Now = { run: null, steering: new Steering(), interrupt: new AbortController() };
    const tape = new ReplayTape(recorded.tape, listener(now, { first, full }));
    const resumed = inputs.resumed ? await this.#resumed() ?? undefined : undefined;
    if (inputs.resumed && resumed === undefined) tape.broke("there is nothing to continue");
    const options: RunOptions = {
      ...{ task, images, context, before, compacts, talks, overrides, resumed },
      place: place_then(inputs),
      flags: { ...FLAG_DEFAULTS, ...flags },
      io: this.io,
      session_id: this.uuid,
      ...(inputs.person ? { clarify: nobody } : {}),
      endpoint: { first: Promise.resolve(first), full: () => Promise.resolve(full) },
      interrupt: now.interrupt.signal,
      steering: now.steering,
    };
    const run = now.run = await this.#composed(
      tape,
      options,
      this.#driver(recorded, { tape, now }),
    );
    if (run !== null) await this.#play(run, tape);
    return { requests: tape.requests, stopped: tape.stopped };
  }

  /** A run put together; null if that cannot be done anymore. */
  async #composed(tape: ReplayTape, options: RunOptions, driver: Driver): Promise<Run | null> {
    if (tape.stopped !== null) return null;
    try {
      return await compose(options, driver);
    } catch (error) {
      tape.broke(message_of(error));
      return null;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  async #play(run: Run, tape: ReplayTape): Promise<void> {
    const { session } = run;
    tape.begin();
    let ending: Ending | null = null;
    try {
      ending = await take_turns(run);
    } catch (error) {
      if (!(error instanceof ReplayStopped || error instanceof ToolsError)) {
        tape.broke(message_of(error));
      }
    }
    session.clock.stop();
    tape.end();
    if (tape.stopped !== null) return;
    // Where the first request was interrupted nothing has begun them yet.
    const services = await session.services();
    await services.save(session, ending?.reason ?? "internal_error");
  }

  #driver({ run, inputs }: RecordedRun, { tape, now }: { tape: ReplayTape; now: Now }): Driver {
    return {
      began: performance.now(),
      emit(event) {
        if (event.type === "warning") now.run?.session.state.notes.warnings.push(event.message);
      },
      ask: nobody,
      world: {
        enforced: enforced_then(inputs),
        sources: inputs.sources,
        tape,
        store: this.#store(run, inputs),
        mcp: inputs.mcp ?? [],
      },
    };
  }

  #store({ task }: SavedRun, { workspace, memory }: RunInputs): Store {
    const db = this.#db;
    const info = session_of_id(db, this.uuid);
    const session = info === null
      ? SessionWriter.begin(db, { uuid: this.uuid, workspace, task })
      : SessionWriter.resume(db, info);
    return { db, workspace, memory: memory ? ON_TAPE : null, session, recorder: null, close() {} };
  }

  /** What the invocations before came to; null if that is nothing to continue with. */
  async #resumed(): Promise<Resumed | null> {
    const info = session_of_id(this.#db, this.uuid);
    const saved = info === null ? null : await load_session(this.#db, info);
    if (info === null || saved === null) return null;
    return {
      reopened: { db: this.#db, lock: new SessionLock(this.#db), info },
      warnings: [],
      saved: { messages: saved.messages.length, ledger: saved.ledger.length },
      restore: (session) => restore(session, saved, info),
    };
  }
}

interface Now {
  run: Run | null;
  readonly steering: Steering;
  readonly interrupt: AbortController;
}

function listener(now: Now, { first, full }: { first: Endpoint; full: Endpoint }): ReplayListener {
  return {
    met() {
      const session = now.run?.session;
      // By then another one may have taken over.
      if (session?.endpoint === first) session.endpoint = full;
    },
    steer: (text) => void now.steering.steer(text),
    interrupt: () => now.interrupt.abort(),
  };
}

/** As much of a policy as a run without tools looks at. */
function enforced_then({ workspace, home, web = { net: "none" } }: RunInputs): Enforced {
  const folders = { tmp: "", spill: "", cache: "", git: null };
  const nothing = { read: [], deny_read: [], write: [], run: [] };
  return {
    policy: {
      ...{ workspace, ...folders, ...nothing, ...web, sandbox: "off" },
      env: home === "" ? {} : { HOME: home },
    },
    support: { kind: "none", reason: "a replay runs nothing" },
    warnings: [],
  };
}

function place_then({ settings, origins, workspace }: RunInputs): RunSettings {
  const known = Object.entries(origins)
    .map(([key, source]): [string, Origin] => [key, { source, where: "the recording" }]);
  return {
    settings: with_newer(settings),
    origins: new Map(known),
    ...{ warnings: [], files: [], paths: { system_files: [], data_dir: "", config_file: null } },
    ...{ workspace, environ: {} },
  };
}

/** Settings that are newer than the recording are as they are where nobody sets them. */
function with_newer(kept: RunInputs["settings"]): RunSettings["settings"] {
  const now = defaults();
  const sections = Object.entries(kept).map(([name, section]) => [
    name,
    typeof section === "object" && !Array.isArray(section)
      ? { ...now[name as keyof typeof now], ...section }
      : section,
  ]);
  return { ...now, ...Object.fromEntries(sections) };
}
