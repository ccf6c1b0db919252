/** Decides whether and when a request is made again. Pure; loaded after the first failure only. */
import { MAX_SECONDS } from "../../config/key.ts";
import type { Settings } from "../../config/keys.ts";
import { type ModelError, NO_MONEY } from "../errors.ts";
import { is_loading, loading_ms } from "../server/loading.ts";

export interface MadeTries {
  made: number;
  /** Looks whether a model is loaded, or a server is back: these are no tries. */
  looks: number;
  /** Milliseconds in which a model was waited for that was loading. */
  loading_ms: number;
  /** Whether the server has answered in this run: then it was up, and may be up again soon. */
  answered: boolean;
  /** It is on this machine: whoever ended it may be about to start it again. */
  readonly local: boolean;
  /** Milliseconds in which a server was waited for that was gone. */
  away_ms: number;
}

/** What to do: wait and ask again, or not, and what a person should know of that. */
export type Decision =
  | {
    readonly kind: "wait";
    readonly ms: number;
    /** Why it is waited for, where that is not a try: it loads its model, or is gone. */
    readonly until?: "loaded" | "back";
  }
  | { readonly kind: "stop"; readonly because: string };

/** The first wait is anything up to this, in milliseconds; each next one up to twice as long. */
const BASE_MS = 1000;
/** No wait of our own choice is longer. */
const MOST_MS = 30_000;
/** Between two looks whether a model is loaded, or a server is back. */
const LOOK_MS = [1000, 2000, 4000, 5000];

/** 400 as a server's own fault is LM Studio's. 52x are Cloudflare's, in front of many services: the server behind it does not answer. */
const PASSING: ReadonlySet<number> = new Set([
  ...[400, 408, 409, 425, 429, 500, 502, 503, 504, 529],
  ...[520, 521, 522, 523, 524],
]);

const STOP: Decision = { kind: "stop", because: "" };

/** What to do about a request that failed. `random` gives numbers from 0 to 1. */
export function next_try(
  error: ModelError,
  tries: MadeTries,
  { settings, random = Math.random }: { settings: Settings["retry"]; random?: () => number },
): Decision {
  const { attempts, max_wait_s } = settings;
  const most_ms = (max_wait_s || MAX_SECONDS) * 1000;
  if (!is_passing(error, tries) || attempts <= 1) return STOP;
  if (is_loading(error) && error.retry_after_ms === undefined) {
    return next_look("loaded", tries, loading_ms(settings));
  }
  if (error.kind === "connection" && tries.local && tries.answered) {
    return next_look("back", tries, most_ms);
  }
  const asked = error.retry_after_ms ?? 0;
  if (asked > most_ms) {
    const seconds = Math.ceil(asked / 1000);
    const because =
      `it asks for a wait of ${seconds} s${seconds < MAX_SECONDS ? "" : " or more"}, ` +
      `and ${max_wait_s} s are allowed (retry.max_wait_s)`;
    return { kind: "stop", because };
  }
  if (tries.made >= attempts) {
    return { kind: "stop", because: `asked ${tries.made} times (retry.attempts)` };
  }
  // Jitter: clients that were turned away together do not come back together. Where the server named a time, the first wait is just
  // that, and whoever is turned away again waits longer.
  const bound = Math.min(MOST_MS, most_ms, BASE_MS * 2 ** (tries.made - 1));
  const more = asked > 0 && tries.made === 1 ? 0 : random() * bound;
  return { kind: "wait", ms: Math.ceil(asked > 0 ? Math.min(asked + more, most_ms) : more) };
}

/** Looks again whether a model is loaded, or a server is back: that is not a try. */
function next_look(
  until: "loaded" | "back",
  { looks, loading_ms, away_ms }: MadeTries,
  most_ms: number,
): Decision {
  const waited = until === "loaded" ? loading_ms : away_ms;
  const ms = LOOK_MS[Math.min(looks, LOOK_MS.length - 1)] ?? 0;
  if (waited + ms <= most_ms) return { kind: "wait", ms, until };
  const after = `after ${Math.round(waited / 1000)} s`;
  const because = until === "loaded"
    ? `the model was not loaded ${after} (5 times retry.max_wait_s)`
    : `it was not back ${after} (retry.max_wait_s)`;
  return { kind: "stop", because };
}

/** Whether the same request may succeed a moment later. */
function is_passing(
  { kind, status, lasting, signs = "" }: ModelError,
  { answered }: MadeTries,
): boolean {
  if (kind === "server") return (status === null || PASSING.has(status)) && !NO_MONEY.test(signs);
  return kind === "connection" ? answered || lasting !== true : kind === "cut";
}

const ELSEWHERE: ReadonlySet<ModelError["kind"]> = new Set(
  ["server", "auth", "connection", "cut", "stalled", "bad_response"] as const,
);

/** Whether another provider may do what this one does not. */
export function is_for_another({ kind, status, signs = "" }: ModelError): boolean {
  return ELSEWHERE.has(kind) || kind === "bad_request" && (status === 402 || NO_MONEY.test(signs));
}
