/** What a run is put together from. */
import type { PromptSources } from "../agent/prompt.ts";
import type { Session, Spares } from "../agent/session.ts";
import type { Steering } from "../agent/steering.ts";
import type { Tape } from "../agent/tape.ts";
import type { Tools } from "../agent/taped_tools.ts";
import type { Override } from "../config/load.ts";
import type { Image } from "../model/message.ts";
import type { Ask } from "../permission/approval.ts";
import type { Reopened, Store } from "../store/store.ts";
import type { Asked } from "./endpoint.ts";
import type { Flags } from "./flag.ts";
import type { Io } from "./io.ts";
import type { Enforced } from "./policy.ts";
import type { Place } from "./settings.ts";

/** A session as it was saved, to go on with it. */
export interface Resumed {
  readonly reopened: Reopened;
  /** How much of it the store has. */
  readonly saved: { readonly messages: number; readonly ledger: number };
  /** What there is to say of it. */
  readonly warnings: readonly string[];
  /** Puts it into the place of a fresh one. */
  restore(session: Session): Promise<void>;
}

/** What stands in the place of the machine where a session is replayed. */
export interface World {
  readonly enforced: Enforced;
  readonly sources: PromptSources;
  readonly tape: Tape;
  readonly spares: Promise<Spares>;
  /** What the replay is kept in, for the invocation that resumes it. */
  readonly store: Store;
  /** The tools worker, which `make` starts; null: there is none. */
  tools(make: () => Tools): Tools | null;
}

/** What a run is made from. */
export interface StartOptions {
  readonly place: Place;
  readonly flags: Flags;
  readonly overrides: readonly Override[];
  readonly io: Io;
  readonly task: string;
  readonly images?: readonly Image[];
  readonly endpoint: Asked;
  /** Settles once the session knows what the server has said of itself; absent: it knows at once. */
  readonly met?: () => Promise<unknown>;
  readonly session_id: string;
  readonly interrupt: AbortSignal;
  readonly emit: Session["emit"];
  readonly ask: Ask;
  readonly steering?: Steering;
  /** The session that goes on; absent: a new one begins. */
  readonly resumed?: Resumed;
  /** Absent: this machine. */
  readonly world?: World;
}
