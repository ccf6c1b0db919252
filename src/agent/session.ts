import type { Rule } from "../guards/rule.ts";
import type { Limits } from "../model/http.ts";
import type { Endpoint } from "../model/provider.ts";
import type { Wire } from "../model/wire.ts";
import type { ToolSchema } from "../tools/tool.ts";
import type { Clock } from "./clock.ts";
import type { Event } from "./events.ts";
import type { History } from "./history.ts";
import type { Late } from "./late.ts";
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
  /** Nothing is changed, so nothing is verified. */
  readonly dry_run: boolean;
  readonly http: Limits;
}

/** Everything a run works with, handed from hand to hand. */
export interface Session {
  /** Replaced once, when the server has said what it is: until then its window is not known. */
  endpoint: Endpoint;
  readonly wire: Wire;
  readonly tools: readonly ToolSchema[];
  /** Tokens that the tools take in every request, by estimate. */
  readonly tool_tokens: number;
  readonly limits: RunLimits;
  /**
   * Rules that may change the course at any moment, in the order in which they are asked. Replaced once: before the first
   * request only limits can have something to say.
   */
  guards: readonly Rule[];
  readonly history: History;
  readonly state: State;
  readonly clock: Clock;
  /** The tools worker and the gates; begun by the first call of this function. */
  readonly late: () => Promise<Late>;
  readonly emit: (event: Event) => void;
}
