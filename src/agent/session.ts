import type { Rule } from "../guards/rule.ts";
import type { Limits } from "../model/http.ts";
import type { Endpoint } from "../model/provider.ts";
import type { ToolSchema, Wire } from "../model/wire.ts";
import type { Hatch } from "../tools/hatch.ts";
import type { Clock } from "./clock.ts";
import type { Event } from "./events.ts";
import type { History } from "./history.ts";
import type { State } from "./state.ts";

/** What a run is asked to keep to; from settings. */
export interface RunLimits {
  readonly verify_command: string;
  readonly verify_timeout_s: number;
  readonly repair_attempts: number;
  readonly parallel_tools: boolean;
  /** Tokens of one reply; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  readonly temperature: number | undefined;
  readonly reasoning_effort: string | undefined;
  readonly stream: boolean;
  readonly http: Limits;
}

/** The rules of a run, in the order in which they are asked. */
export interface Rules {
  /** May change the course at any moment. */
  readonly guards: readonly Rule[];
  /** May the turn end? */
  readonly ending: readonly Rule[];
  /** Did the run do what its mode asks? */
  readonly contract: readonly Rule[];
}

/** Everything a run works with, handed from hand to hand. */
export interface Session {
  readonly endpoint: Endpoint;
  readonly wire: Wire;
  readonly tools: readonly ToolSchema[];
  readonly limits: RunLimits;
  readonly rules: Rules;
  readonly history: History;
  readonly state: State;
  readonly clock: Clock;
  /** The tools worker; started by the first call of this function. */
  readonly hatch: () => Hatch;
  readonly emit: (event: Event) => void;
}
