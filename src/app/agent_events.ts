import type { Phase, Stamped } from "../agent/events.ts";
import { why } from "../config/paths.ts";
import type { AgentCallbacks, CommandOptions } from "./agent_api.ts";

/** The events of one run, and between them what begins and ends: the model's thinking, its steps, the agent's states. */
export class AgentEvents {
  #thinks = false;
  #step: { readonly step: number; readonly t: number; calls: number } | null = null;
  #last = { t: 0, step: 0, at: performance.now() };

  /** `tell` gets them all, in order. */
  constructor(private readonly tell: (event: Stamped) => void) {}

  /** An event of the run; `now`: what is to be done just before it is passed on. */
  add(event: Stamped, now: () => void): void {
    this.#last = { t: event.t, step: event.step, at: performance.now() };
    if (event.agent === undefined) this.#before(event);
    now();
    this.tell(event);
    if (event.type === "reasoning_delta" && event.finished && event.agent === undefined) {
      this.#think(false);
    }
  }

  enter(state: Phase): void {
    const { t, step, at } = this.#last;
    // Rounded down: the next event must not come before it.
    this.tell({ type: "state", state, t: t + Math.floor(performance.now() - at), step });
  }

  #before(event: Stamped): void {
    switch (event.type) {
      case "reasoning_delta":
        return this.#think(!event.finished || event.text !== "" || this.#thinks);
      case "text_delta":
      case "writing":
        return this.#think(false);
      case "tool_call":
        if (this.#step !== null) this.#step.calls++;
        return this.#think(false);
      case "step_start":
        this.#end_step();
        this.#step = { step: event.step, t: event.t, calls: 0 };
        return;
      case "result":
        this.#think(false);
        return this.#end_step();
    }
  }

  #think(thinks: boolean): void {
    if (thinks === this.#thinks) return;
    this.#thinks = thinks;
    const { t, step } = this.#last;
    this.tell({ type: "thinking", thinks, t, step });
  }

  #end_step(): void {
    if (this.#step === null) return;
    const { step, t: began, calls } = this.#step;
    const { t } = this.#last;
    this.#step = null;
    this.tell({ type: "step_end", calls, ms: t - began, t, step });
  }
}

export class CallbackError extends Error {}

export class Callbacks {
  #to: AgentCallbacks | null;

  constructor(to: AgentCallbacks | undefined, private readonly end: () => void) {
    this.#to = to ?? null;
  }

  /** Calls back for an event, if somebody waits for it. Ends the run and throws `CallbackError` once: after that, none is called. */
  tell(event: Stamped): void {
    if (this.#to === null) return;
    try {
      call_back(this.#to, event);
    } catch (error) {
      this.#to = null;
      this.end();
      throw new CallbackError(`a callback has thrown: ${why(error)}`, { cause: error });
    }
  }
}

function call_back(to: AgentCallbacks, event: Stamped): void {
  switch (event.type) {
    case "thinking":
      return to.thinking?.(event.thinks);
    case "reasoning_delta":
      if (event.text !== "") to.reasoning?.(event.text);
      return;
    case "text_delta":
      if (event.text !== "") to.streamDelta?.(event.text);
      return;
    case "writing":
      return to.toolGen?.({ name: event.name, chars: event.chars });
    case "step_start":
      return to.step?.(event.step);
    case "tool_call":
      return to.toolProgress?.({ id: event.id, name: event.name });
    case "tool_result": {
      const { id, name, ok, summary, ms } = event;
      return to.toolProgress?.({ id, name, ended: { ok, summary, ms } });
    }
    case "state":
      return to.status?.(event.state);
  }
}

/** Has a command run. What `printed` throws ends it, and is thrown here: where it is called, nobody would catch it. */
export async function until_it_throws<T>(
  { printed, signal, timeout_s }: CommandOptions,
  run: (options: CommandOptions) => Promise<T> | undefined,
): Promise<T | undefined> {
  const thrown = new AbortController();
  const outcome = await run({
    timeout_s,
    signal: AbortSignal.any([signal, thrown.signal]),
    printed(text) {
      try {
        printed?.(text);
      } catch (error) {
        thrown.abort(error);
      }
    },
  });
  thrown.signal.throwIfAborted();
  return outcome;
}

/** Events for whoever asks for them one after another: those that came before they were asked for wait. */
export class EventQueue implements AsyncIterable<Stamped> {
  readonly #waiting: Stamped[] = [];
  #over = false;
  #more = Promise.withResolvers<void>();

  push(event: Stamped): void {
    this.#waiting.push(event);
    this.#wake();
  }

  end(): void {
    this.#over = true;
    this.#wake();
  }

  /** Each event is given once, to whoever asks first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Stamped, void> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else if (this.#over) return;
      else await this.#more.promise;
    }
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}
