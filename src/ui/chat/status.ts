/** The status line below the input: what is at work, and how much of it is left. */
import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Stamped } from "../../agent/events.ts";
import { dollars } from "../../model/pricing.ts";
import { is_assumed } from "../../model/server/endpoint.ts";
import { line, percent, short, whole_line } from "../text.ts";
import type { Theme } from "./theme.ts";

export interface StatusFacts {
  readonly mode: string;
  readonly permissions: string;
  /** Branch of the workspace; null if it has none. */
  readonly branch: string | null;
  /** Commands that run beside the tasks, each in a line. */
  readonly background: readonly string[];
}

export class StatusLine implements Component {
  #model = "";
  #window = 0;
  /** Nobody has said how large it is. */
  #assumed = false;
  #used = 0;
  #cost: number | null = null;
  #began: number | null = null;
  #took = 0;
  /** Stands in its place until the next key; empty for nothing. */
  hint = "";

  constructor(private readonly theme: Theme, private readonly facts: () => StatusFacts) {}

  invalidate(): void {}

  /** Before the first task. */
  names(model: string, window = 0, window_source = ""): void {
    this.#model = model;
    this.#window = window;
    this.#assumed = is_assumed(window_source);
  }

  get model(): string {
    return this.#model;
  }

  /** What an earlier start of the conversation has seen. */
  resume({ used, cost }: { used: number; cost: number | null }): void {
    this.#used = used;
    this.#cost = cost;
  }

  /** Tokens of the window in use, and of the window; 0: not known. `assumed`: nobody has said so. */
  get window(): { readonly used: number; readonly size: number; readonly assumed: boolean } {
    return { used: this.#used, size: this.#window, assumed: this.#assumed };
  }

  hear(event: Stamped): void {
    switch (event.type) {
      case "session_start":
        this.names(event.model, event.context_window, event.window_source);
        this.#began = performance.now();
        return;
      case "usage":
        this.#used = event.input_tokens + event.output_tokens;
        return;
      case "compaction":
        this.#used = event.tokens_after;
        return;
      case "fallback":
        this.#model = event.to;
        return;
      case "result":
        if (event.cost_usd !== null) this.#cost = event.cost_usd;
        this.#took = event.duration_ms;
        this.#began = null;
    }
  }

  render(width: number): string[] {
    if (this.hint !== "") return [truncateToWidth(this.theme.dim(this.hint), width, "…")];
    const { mode, permissions, branch, background } = this.facts();
    const running = background_words(background);
    const ms = this.#began === null ? this.#took : performance.now() - this.#began;
    const time = ms === 0 ? [] : [clock(ms)];
    const cost = this.#cost === null ? [] : [dollars(this.#cost)];
    const size = `${short(this.#window)}${this.#assumed ? " assumed" : ""}`;
    const window = this.#window === 0
      ? []
      : [this.#used === 0 ? `window ${size}` : `${percent(this.#used, this.#window)} of ${size}`];
    const model = this.#model === "" ? "no model yet" : this.#model;
    const rights = [mode, permissions];
    // Where it is narrow, what commands may do is the last to go.
    const lines = [
      [
        model,
        ...window,
        ...cost,
        ...(branch === null ? [] : [branch]),
        ...rights,
        ...running,
        ...time,
      ],
      [model, ...window, ...cost, ...rights, ...running, ...time],
      [model, ...window, ...rights, ...running],
      [model, ...rights, ...running],
      [...rights, ...running],
      rights,
    ].map((parts) => parts.map(whole_line).join(" · "));
    const line = lines.find((one) => visibleWidth(one) <= width) ?? lines.at(-1) ?? "";
    return [truncateToWidth(this.theme.dim(line), width, "…")];
  }
}

/** The one that runs by its name, more of them by their number. */
function background_words([first, ...more]: readonly string[]): readonly string[] {
  if (first === undefined) return [];
  return [
    more.length > 0 ? `${1 + more.length} in the background (/ps)` : `runs ${line(first, 24)}`,
  ];
}

/** `0:07`, `12:30`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What commands may do, in a few words. */
export function reach_words({ net, write, sandbox, read_only }: {
  /** A list: hosts that `web_fetch` may ask. */
  net: string | readonly string[];
  /** Besides the workspace; a word: everywhere. */
  write: string | readonly string[];
  sandbox: string;
  read_only: boolean;
}): string {
  if (sandbox === "off") return "sandbox off";
  const reach = typeof net === "string" ? `net ${net}` : `web ${net.join(" ")}`;
  const own = write.length === 0 ? "workspace" : `workspace +${write.length}`;
  const place = read_only ? "read-only" : typeof write === "string" ? "writes everywhere" : own;
  return [place, ...(net === "own" ? [] : [reach])].join(", ");
}
