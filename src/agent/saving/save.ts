/** Saves a run as it goes: what a step did is on disk before the model is told, and a call before it runs. */
import { why } from "../../config/paths.ts";
import { later } from "../../config/timer.ts";
import type { StopReason } from "../../guards/rule.ts";
import { is_busy } from "../../store/database.ts";
import type { NewRow, NewSteps, SessionWriter } from "../../store/session_writer.ts";
import type { SessionInfo } from "../../store/sessions.ts";
import { find_tool } from "../../tools/declared/every_tool.ts";
import type { ToolSchema } from "../../tools/tool.ts";
import { spoken_text } from "../said.ts";
import type { Session } from "../session.ts";
import { cost_so_far } from "../spending.ts";
import type { State } from "../state.ts";
import type { PendingWrites } from "../pending_writes.ts";
import { flattened, type SavedState } from "./saved_state.ts";

export type Savable = Pick<
  Session,
  "history" | "state" | "endpoint" | "tools" | "wire" | "refused" | "emit"
>;

type SavedExtent = Record<"messages" | "rewritten" | "ledger", number>;

const LOCKED = "another process holds the database";
const NOT_SAVED = "the session is not saved for now, until that works again";
const LOST = "what the run did since it was last saved is not saved";
const NOT_THERE = "was removed or replaced while the run wrote to it: what it saved is not there";
/** Milliseconds for which another process may have the database before that is said: the next step finds it free. */
const SAID_MS = 3000;

/** Saves one session. What cannot be written is tried again the next time: nothing is lost when there is room again. */
export class Saver {
  readonly #saved: SavedExtent;
  #last_action: unknown = null;
  #said = false;
  /** One transaction after the other. */
  #queue: Promise<void> = Promise.resolve();

  /** `saved`: what the store has of it already. */
  constructor(
    private readonly writer: SessionWriter,
    private readonly pending: PendingWrites,
    saved: Readonly<SavedExtent>,
  ) {
    this.#saved = { ...saved };
  }

  get extent(): Readonly<SavedExtent> {
    return this.#saved;
  }

  /** Saves what is new. `reason`: why the run has ended; null while it goes on. Never rejects. */
  save(session: Savable, reason: StopReason | null = null): Promise<void> {
    return this.#queue = this.#queue.then(() => this.#save(session, reason));
  }

  /** At the end of a run, waits for another process that has the database, and then looks at what is left. Never rejects. */
  settle(session: Savable): Promise<void> {
    return this.#queue = this.#queue.then(async () => {
      const { patience } = this.writer;
      if (!patience.in_vain) return;
      const wait = Math.max(0, SAID_MS - patience.held_ms);
      const over = later(wait, () => this.#say(session, LOCKED));
      await patience.settle();
      over();
    });
  }

  async #save(session: Savable, reason: StopReason | null): Promise<void> {
    const { history, state } = session;
    const next: SavedExtent = {
      messages: history.settled,
      rewritten: history.rewritten,
      ledger: state.ledger.length,
    };
    const rewritten = next.rewritten !== this.#saved.rewritten;
    const other = this.pending.take();
    const last_action = state.turn.actions.at(-1) ?? null;
    try {
      const batch = {
        rows: [
          ...messages(session, rewritten ? 0 : this.#saved.messages),
          ...this.#actions(state),
          ...rows("ledger", state.ledger.slice(this.#saved.ledger)),
          ...other,
        ],
        // The lineage: the messages that follow stand for those before.
        part: rewritten
          ? { step: state.steps, body: JSON.stringify({ opening: history.opening }) }
          : null,
        progress: progress(session, reason),
      };
      await this.writer.patience.wait(() => this.writer.save(batch), reason !== null);
      Object.assign(this.#saved, next);
      this.#last_action = last_action;
      this.#said = false;
      const lost = reason === null ? null : this.writer.lost_file;
      if (lost !== null) session.emit({ type: "warning", message: `${lost} ${NOT_THERE}` });
    } catch (error) {
      this.pending.put_back(other);
      const words = is_busy(error) ? LOCKED : why(error);
      if (reason !== null) {
        session.emit({ type: "warning", message: `${LOST}: ${words}` });
      } else if (!is_busy(error) || this.writer.patience.held_ms >= SAID_MS) {
        this.#say(session, words);
      }
    }
  }

  #say(session: Savable, reason: string): void {
    if (!this.#said) session.emit({ type: "warning", message: `${NOT_SAVED}: ${reason}` });
    this.#said = true;
  }

  /** Calls of this turn that are new; where the last one that was saved is none of them, another turn has begun. */
  #actions({ turn: { nth: turn, actions } }: State): NewRow[] {
    const from = actions.findLastIndex((action) => action === this.#last_action) + 1;
    return rows("actions", actions.slice(from).map((action) => ({ ...action, turn })));
  }
}

function messages({ history, state }: Savable, from: number): NewRow[] {
  return history.messages.slice(from, history.settled).map((message) => ({
    table: "messages",
    step: state.steps,
    body: JSON.stringify(message),
    said: spoken_text(message),
  }));
}

function rows(table: NewRow["table"], values: readonly { readonly step: number }[]): NewRow[] {
  return values.map((value) => ({ table, step: value.step, body: JSON.stringify(value) }));
}

export function state_now(
  session: Pick<Savable, "state" | "tools" | "wire" | "refused">,
): SavedState {
  return {
    ...flattened(session.state),
    tools: session.tools.map(({ name }) => name),
    ...schemas_beside(session.tools),
    in_text: session.wire.tools_in_text === true,
    without: [...session.refused],
  };
}

/** Those that this program would not offer by itself, or not in these words: what a server has, and which skills there are. */
function schemas_beside(tools: readonly ToolSchema[]): Pick<SavedState, "schemas"> {
  const schemas = tools.filter(({ name, description }) =>
    find_tool(name)?.description !== description
  );
  return schemas.length === 0 ? {} : { schemas };
}

/** Calls of the whole session, and what it cost in dollars; null if a price is not known. */
export function taken_so_far(
  { state }: Pick<Savable, "state">,
): Pick<SessionInfo, "calls" | "cost_usd"> {
  return { calls: state.before.calls + state.spending.calls, cost_usd: cost_so_far(state) };
}

function progress(session: Savable, stop_reason: StopReason | null): NewSteps["progress"] {
  const { model, provider } = session.endpoint;
  return {
    model,
    provider,
    steps: session.state.steps,
    ...taken_so_far(session),
    stop_reason,
    state: JSON.stringify(state_now(session)),
  };
}
