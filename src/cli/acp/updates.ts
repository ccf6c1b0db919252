/** Turns the events of a run into updates of the protocol. */
import { fields } from "../../config/json.ts";
import type {
  ClientCapabilities,
  PromptResponse,
  SessionUpdate,
  ToolCallContent,
  ToolCallLocation,
} from "@agentclientprotocol/sdk";
import type { EventOf, Result, Stamped } from "../../agent/events.ts";
import { read_inside } from "../../sandbox/kernel/read_inside.ts";
import { find_tool } from "../../tools/declared/every_tool.ts";
import { summary } from "../../ui/words.ts";
import { harmless, plural } from "../../ui/text.ts";

/** Size of a file whose content before a change is shown. */
const MOST_BYTES = 1024 * 1024;

type ToolCallEvent = EventOf<"tool_call">;
export type Diff = Extract<ToolCallContent, { type: "diff" }>;

export class Updates {
  #turn = 0;
  #step = 0;
  #window = 0;
  readonly #calls = new Set<string>();
  /** What calls change: what they print is not put in its place. */
  readonly #diffs = new Map<string, Diff>();
  /** The reply whose words came last; empty where a call stands after them. */
  #reply = "";
  /** The outcome of the last calls in a line, for updates that come after it. */
  readonly #outcomes = new Map<string, string>();
  #compactions = 0;

  constructor(private readonly workspace: string, private readonly capable: ClientCapabilities) {}

  begin(): void {
    this.#turn++;
    this.#reply = "";
  }

  diff_of(call: string): Diff | null {
    return this.#diffs.get(call) ?? null;
  }

  of(event: Stamped): readonly SessionUpdate[] {
    // A subagent's words are for the model; what it does is for the person, too.
    if (event.agent !== undefined && !event.type.startsWith("tool_") && event.type !== "detail") {
      return [];
    }
    const id = (call: string) => event.agent === undefined ? call : `${event.agent}/${call}`;
    switch (event.type) {
      case "session_start":
        this.#window = event.context_window;
        return [];
      case "step_start":
        this.#step = event.step;
        this.#outcomes.clear();
        return [];
      case "text_delta":
        return event.text === "" ? [] : [this.#answered(event.text)];
      case "reasoning_delta":
        return event.text === "" ? [] : [this.#said("agent_thought_chunk", event.text)];
      case "tool_call":
        return [this.#call(event, id(event.id))];
      case "detail":
        return this.#detail(event, id(event.id));
      case "progress": {
        // The editor knows no call for what hamr does by itself.
        if (!this.#calls.has(id(event.id))) return [];
        const content = [text_content(event.words)];
        return [{ sessionUpdate: "tool_call_update", toolCallId: id(event.id), content }];
      }
      case "tool_result":
        return [this.#result(event, id(event.id))];
      case "todo":
        return [{
          sessionUpdate: "plan",
          entries: event.items.map(({ text, status }) => ({
            content: text,
            priority: "medium",
            status,
          })),
        }];
      case "usage": {
        const { input_tokens, output_tokens, cost_usd } = event;
        if (this.#window === 0) return [];
        return [{
          sessionUpdate: "usage_update",
          used: input_tokens + output_tokens,
          size: this.#window,
          ...(cost_usd === null ? {} : { cost: { amount: cost_usd, currency: "USD" } }),
        }];
      }
      case "compaction":
        return this.#compacted(event);
      case "warning":
        return this.noted("warning", event.message);
      case "retry":
        if (this.#reply !== "") this.#reply = "cut off";
        return this.noted("info", `asking again: ${event.reason}`);
      case "fallback":
        return this.noted("warning", `${event.from} → ${event.to}`);
      case "verification":
        return this.noted(
          event.exit_code === 0 ? "info" : "warning",
          `verify ${event.command}: ${event.exit_code === 0 ? "passed" : "failed"}`,
        );
      default:
        return [];
    }
  }

  earlier(
    call: Pick<ToolCallEvent, "name" | "arguments"> & { readonly id: string },
    { ok, summary: outcome }: { ok: boolean | null; summary: string },
  ): SessionUpdate {
    return {
      sessionUpdate: "tool_call",
      ...this.#described(call),
      toolCallId: call.id,
      status: ok ? "completed" : "failed",
      content: [text_content(outcome)],
    };
  }

  /** Not every editor sets apart replies that follow each other. */
  #answered(text: string): SessionUpdate {
    const reply = `${this.#turn}.${this.#step}`;
    const apart = this.#reply === "" || this.#reply === reply ? "" : "\n\n";
    this.#reply = reply;
    return this.#said("agent_message_chunk", apart + text);
  }

  #said(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): SessionUpdate {
    return {
      sessionUpdate,
      messageId: `${this.#turn}.${this.#step}`,
      content: { type: "text", text },
    };
  }

  #call(event: ToolCallEvent, id: string): SessionUpdate {
    const diff = this.#diff(event);
    this.#calls.add(id);
    this.#reply = "";
    if (diff !== null) this.#diffs.set(id, diff);
    return {
      sessionUpdate: "tool_call",
      ...this.#described(event),
      toolCallId: id,
      status: "in_progress",
      ...(diff === null ? {} : { content: [diff] }),
    };
  }

  #described(call: Pick<ToolCallEvent, "name" | "arguments">) {
    const { name, arguments: args } = call;
    const { path, offset, search } = fields(args);
    const locations: ToolCallLocation[] = typeof path === "string"
      ? [{ path: this.#absolute(path), ...(typeof offset === "number" ? { line: offset } : {}) }]
      : [];
    const kind = name === "read" && search !== undefined
      ? "search"
      : find_tool(name)?.kind ?? "other";
    const about = summary(call);
    return {
      title: kind === "execute" ? about : `${name}: ${about}`,
      name,
      kind,
      rawInput: args,
      ...(locations.length === 0 ? {} : { locations }),
    };
  }

  #absolute(path: string): string {
    return path.startsWith("/") ? path : `${this.workspace}/${path}`;
  }

  /** What a call is about to change; null where that is not known. */
  #diff({ name, arguments: args }: ToolCallEvent): Diff | null {
    const { path, old, new: fresh, content } = fields(args);
    if (typeof path !== "string") return null;
    const file = this.#absolute(path);
    if (name === "edit" && typeof old === "string" && typeof fresh === "string") {
      return { type: "diff", path: file, oldText: old, newText: fresh };
    }
    if (name === "write" && typeof content === "string") {
      return { type: "diff", path: file, oldText: this.#before(file), newText: content };
    }
    return null;
  }

  /** A file of the workspace as it is; null if there is none, or it is not shown. */
  #before(file: string): string | null {
    const bytes = read_inside(file, { folder: this.workspace, most: MOST_BYTES + 1 });
    return bytes === null || bytes.length > MOST_BYTES ? null : new TextDecoder().decode(bytes);
  }

  #result(event: EventOf<"tool_result">, id: string): SessionUpdate {
    const { ok, summary: outcome } = event;
    const keeps = ok && this.#diffs.delete(id);
    if (!keeps) this.#outcomes.set(id, outcome);
    return {
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: ok ? "completed" : "failed",
      ...(keeps ? {} : { content: [text_content(outcome)] }),
    };
  }

  /** What a command printed, or another call changed: it is reported after the result. */
  #detail(event: EventOf<"detail">, id: string): readonly SessionUpdate[] {
    const outcome = this.#outcomes.get(id);
    if (outcome === undefined) return [];
    const content = [text_content(`${outcome}\n${shown_detail(event)}`)];
    return [{ sessionUpdate: "tool_call_update", toolCallId: id, content }];
  }

  #compacted(event: EventOf<"compaction">): readonly SessionUpdate[] {
    const { tokens_before, tokens_after } = event;
    if (this.capable.session?.compaction) {
      const compactionId = `compaction-${++this.#compactions}`;
      return [{ sessionUpdate: "compaction_update", compactionId, status: "completed" }];
    }
    return this.noted("info", `compacted: ${tokens_before} → ${plural(tokens_after, "token")}`);
  }

  /** What is for the person; an editor that has no place for it shows it as a thought. */
  noted(severity: "info" | "warning", text: string): readonly SessionUpdate[] {
    if (this.capable.session?.notices) return [{ sessionUpdate: "notice", severity, title: text }];
    return [this.#said("agent_thought_chunk", `${severity === "warning" ? "⚠ " : ""}${text}\n`)];
  }
}

/** What an editor works with, or shows as the change that it is. */
const EXACT: ReadonlySet<string> = new Set(
  ["rawInput", "path", "oldText", "newText", "data", "value", "currentValue", "id", "toolCallId"],
);

/** An update, or a part of one, in which no word controls a terminal: some editors are in one. */
export function harmless_update<Part>(part: Part): Part {
  if (typeof part === "string") return harmless(part) as Part;
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(harmless_update) as Part;
  const entries = Object.entries(part)
    .map(([key, value]) => [key, EXACT.has(key) ? value : harmless_update(value)]);
  return Object.fromEntries(entries);
}

export function stop_reason({ stop_reason: reason }: Result): PromptResponse["stopReason"] {
  if (reason === "user_interrupt") return "cancelled";
  if (reason === "max_steps" || reason === "max_tool_calls") return "max_turn_requests";
  const full = ["budget_exceeded", "budget_exhausted", "context_full"].includes(reason);
  return full ? "max_tokens" : "end_turn";
}

export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function shown_detail(event: EventOf<"detail">): string {
  const { kind, lines, more, whole } = event;
  if (kind === "output") return fenced(whole ?? lines.join("\n"));
  const cut = more === 0 ? [] : [`… ${plural(more, "more line")}`];
  return [fenced(lines.join("\n"), "diff"), ...cut].join("\n");
}

export function text_content(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
