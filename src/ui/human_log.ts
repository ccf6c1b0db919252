import type { Detail } from "../agent/call_detail.ts";
import type { EventOf, Result, Stamped, Subscriber } from "../agent/events.ts";
import { dollars } from "../model/pricing.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import type { HumanLogOptions } from "./human_log_options.ts";
import { duration, harmless, if_slow, line, plural, short, tokens, whole_line } from "./text.ts";
import { Activity } from "./activity.ts";
import {
  cached_share,
  call_lines,
  changed_words,
  command_on_a_line,
  counted_files,
  numbered,
  parted,
  printed_end,
  request_line,
  rests_on,
  retry_words,
  spent_tokens,
  summary,
  todo_lines,
  tokens_of,
  why_asked_again,
} from "./words.ts";
import { indent_of, indented, wrap, Wrapper } from "./wrap.ts";

/** The person who is asked sees it, and the others are no lines of the log. */
const SILENT = new Set(["approval", "question", "printed", "background", "refusal"]);

/** The log for a person (section 7 of the contract). */
export function human_log(options: HumanLogOptions): Subscriber {
  return options.quiet ? errors_only(options.write) : new HumanLog(options).hear;
}

function errors_only(write: (text: string) => void): Subscriber {
  return (event) => {
    if (event.type === "result" && event.error !== null) {
      write(`hamr: ${event.stop_reason}: ${line(event.error.message, 1000)}\n`);
    }
  };
}

class HumanLog {
  readonly #activity: Activity;
  /** What is being streamed; the line is open while it is not null. */
  #streaming: { readonly type: "text_delta" | "reasoning_delta"; readonly words: Wrapper } | null =
    null;
  /** Lines of calls that run beside another: each is shown with its own result. */
  readonly #held = new Map<string, string>();
  #running = 0;
  /** Edits, by their steps: the change of each stands below its call. */
  readonly #put: { readonly step: number; readonly about: string }[] = [];
  /** Why the server was last asked again in this step, and after how long. */
  #retried = { reason: "", wait_ms: 0 };
  /** Lines about an earlier step: they wait while something else is in the middle of being shown. */
  #aside: string[] = [];
  /** Logs of the subagents at work, by the calls that started them. */
  readonly #subagents = new Map<string, HumanLog>();

  /** `of`: the call whose subagent this is the log of. */
  constructor(private readonly options: HumanLogOptions, private readonly of?: string) {
    const own = of === undefined ? options : { ...options, heartbeat_ms: 0 };
    if (of === undefined) options.screen.end_line = () => this.#end_lines();
    this.#activity = new Activity(own, {
      streams: () => this.#streaming !== null,
      interrupt: () => this.#break(),
      tell: (words) => this.#print(this.#dim(words)),
    });
  }

  readonly hear = (event: Stamped): void => {
    if (this.#activity.progress(event)) return;
    if (SILENT.has(event.type) || (event.type === "request" && !this.options.requests)) return;
    this.#activity.over(event);
    if (event.type === "result") this.#print_aside();
    this.#tell(event);
    const busy = this.#streaming !== null || this.#running > 0 || this.options.screen.asking();
    if (!busy) this.#print_aside();
    this.#activity.begin(event);
  };

  /** What a subagent does stands indented below the call that started it. */
  #tell(event: Stamped): void {
    if (event.agent !== undefined && event.agent !== this.of) {
      return this.#log_of(event.agent).#tell(event);
    }
    for (const log of this.#subagents.values()) log.#break();
    if (event.type === "tool_result") this.#subagents.delete(event.id);
    const words = this.#words(event);
    if (words !== null) this.#print(words);
  }

  #log_of(agent: string): HumanLog {
    const known = this.#subagents.get(agent);
    if (known !== undefined) return known;
    const options = { ...this.options, write: indented(this.options.write), live: false };
    const log = new HumanLog(options, agent);
    this.#subagents.set(agent, log);
    return log;
  }

  #words(event: Stamped): string | null {
    switch (event.type) {
      case "session_start":
        return this.#dim(
          `${event.model} at ${event.provider}, window ${short(event.context_window)} ` +
            `(${event.window_source})`,
        );
      case "step_start":
        this.#retried = { reason: "", wait_ms: 0 };
        return `🔄 Step ${event.agent_step ?? event.step} → model call (${
          plural(event.messages, "message")
        }, ${tokens(event.tokens)})`;
      case "text_delta":
      case "reasoning_delta":
        this.#stream(event);
        return null;
      case "tool_call":
        return this.#call(event);
      case "tool_result":
        return this.#call_result(event);
      case "nudge":
        return (this.options.verbose ? null : why_asked_again(event, this.#whole)) ??
          this.#said("↩", event);
      case "guard":
        // How it ends is said, and so is what was not run.
        return (this.#in_chat || event.action === "stopped") && !this.options.verbose
          ? null
          : this.#said("⛔", event);
      case "detail":
        return this.#detail(event);
      case "compaction":
        return `   🗜 compacted: ${short(event.tokens_before)} → ${tokens(event.tokens_after)}`;
      case "reminder":
        return this.options.verbose ? this.#dim(this.#said("🔔", event)) : null;
      case "steer":
        return `   👤 you${event.interrupt ? " (interrupting)" : ""}: ${whole_line(event.text)}`;
      case "retry":
        return this.#retry(event);
      case "fallback":
        return `   ⇄ ${event.from} → ${event.to}`;
      case "hook":
        return this.#hook(event);
      case "verification":
        return this.#verified(event);
      case "prefill":
      case "writing":
      case "progress":
      case "printed":
      case "background":
      case "refusal":
      case "thinking":
      case "step_end":
      case "state":
      case "patch":
      case "approval":
      case "question":
        return null;
      case "output":
        return this.#detail({ ...printed_end(event), ok: event.ok });
      case "request":
        return this.#dim(request_line(event));
      case "turn_diff":
        if (event.files.every(({ path }) => this.#shows(event.step, path))) return null;
        this.#aside.push(`   📝 ${whole_line(changed_words(event))}`);
        return null;
      case "evaluation":
        return `🔍 ${event.name === "rubric" ? "Rubric" : "Self-evaluation"}: ${
          this.#mark(event.holds)
        } ${whole_line(`${event.verdict} ${event.message}`)}`;
      case "usage":
        return this.options.verbose ? this.#dim(`   ${tokens_of(event)}`) : null;
      case "memory":
        return `   🧠 remembered: ${whole_line(event.fact)}`;
      case "todo":
        return todo_lines(event.items);
      case "warning":
        return this.#yellow(`⚠️  ${line(event.message, 1000)}`);
      case "result":
        return this.#result(event);
    }
  }

  #retry(event: EventOf<"retry">): string | null {
    const { reason, wait_ms } = this.#retried;
    this.#retried = event;
    // A server may be away for hours, and is asked every few seconds.
    if (event.reason === reason && event.wait_ms === wait_ms) return null;
    return retry_words(event, event.reason === reason);
  }

  #verified({ command, exit_code }: EventOf<"verification">): string {
    const outcome = exit_code === 0
      ? this.#green("✓")
      : this.#red(`✗ ${exit_code === null ? "ended" : `exit code ${exit_code}`}`);
    return `🔍 Verify ${command_on_a_line(command)}: ${outcome}`;
  }

  #call(event: EventOf<"tool_call">): string | null {
    if (event.nth === 1 && !this.#in_chat) this.#print(`   ✓ ${plural(event.of, "tool call")}`);
    if (find_tool(event.name)?.changes === "path") {
      this.#put.push({ step: event.step, about: summary(event) });
    }
    const { lines, more } = call_lines(event);
    const words = [
      `   ${event.mcp === undefined ? "🔧" : "🌐"} ${lines.join("\n      ")}`,
      ...(more === 0 ? [] : [this.#more_lines(more)]),
    ].join("\n");
    if (this.#running++ === 0) return words;
    this.#held.set(event.id, words);
    return null;
  }

  #call_result(event: EventOf<"tool_result">): string | null {
    const held = this.#held.get(event.id);
    this.#held.delete(event.id);
    this.#running--;
    const took = if_slow(event.ms).map((words) => ` (${words})`).join("");
    const well = !this.#in_chat || this.options.says_ok
      ? `✓ OK${took}`
      : event.ms >= 500
      ? `✓ ${duration(event.ms)}`
      : null;
    const outcome = event.ok
      ? well === null ? null : `      ${this.#green(well)}`
      : `      ${this.#red("✗")} ${whole_line(event.summary)}${took}`;
    const lines = [held, outcome].filter((one) => typeof one === "string");
    return lines.length === 0 ? null : lines.join("\n");
  }

  /** What shows all of what is cut short. */
  get #whole(): string {
    return this.options.unfolds ?? "-v";
  }

  get #in_chat(): boolean {
    return this.options.unfolds !== undefined;
  }

  /** Whether the change of a file stands there already, below the call that made it. */
  #shows(step: number, path: string): boolean {
    return this.#put.some((put) => put.step === step && ` /${put.about} `.includes(`/${path} `));
  }

  #hook(event: EventOf<"hook">): string | null {
    const outcome = event.ok
      ? this.#green("✓")
      : this.#yellow(`⚠️ ${whole_line(event.message)}`.trimEnd());
    const words = `      🔍 Hook ${line(event.name, 64)}: ${outcome}`;
    const held = this.#held.get(event.call);
    if (held === undefined) return words;
    this.#held.set(event.call, `${held}\n${words}`);
    return null;
  }

  /** Text as it comes, indented under its step; reasoning only where more is asked for. */
  #stream(event: { type: "text_delta" | "reasoning_delta"; text: string; finished?: true }): void {
    const { write, verbose } = this.options;
    const shown = event.type === "text_delta" || verbose;
    const begins = this.#streaming?.type !== event.type;
    // Models that think begin with line breaks.
    const said = harmless(event.text);
    const text = begins ? said.replace(/^(?:[^\S\n]*\n)+/, "") : said;
    if (shown && text !== "") {
      if (begins || this.#streaming === null) {
        this.#break();
        write(event.type === "text_delta" ? "   💬 " : "   💭 ");
        const words = new Wrapper({ width: this.options.width, indent: "      ", start: 6 });
        this.#streaming = { type: event.type, words };
      }
      write(this.#streaming.words.push(text));
    }
    if (event.finished) this.#break();
  }

  #end_lines(): boolean {
    const streams = [this, ...this.#subagents.values()].filter((log) => log.#streaming !== null);
    for (const log of streams) log.#break();
    return this.#activity.clear() || streams.length > 0;
  }

  #break(): void {
    if (this.#streaming !== null) this.options.write(`${this.#streaming.words.end()}\n`);
    this.#streaming = null;
  }

  #print(text: string): void {
    this.#break();
    const { width } = this.options;
    // What follows the first line of an entry is below its words.
    const lines = text.split("\n").map((one) => {
      return wrap(one, { width, indent: " ".repeat(indent_of(one) + 3) });
    });
    this.options.write(`${lines.join("\n")}\n`);
  }

  /** What `hamr` says to the model, by its name; whole where more is asked for. */
  #said(mark: string, { name, message }: { name: string; message: string }): string {
    if (this.options.verbose) return `   ${mark} ${name}: ${whole_line(message)}`;
    const asks = mark === "↩" ? "the model is asked again: " : "";
    return `   ${mark} ${asks}${name} (${this.#whole})`;
  }

  #detail(event: Detail & { readonly ok: boolean }): string | null {
    if (event.lines.length === 0) return null;
    const { verbose, unfolds } = this.options;
    if (event.kind === "output" && event.ok && !verbose && unfolds === undefined) return null;
    const is_change = (text: string) => event.kind === "output" || !/^(?: {2}|… )/.test(text);
    const lines = this.#in_chat ? numbered(event) : event.lines.filter(is_change);
    const shown = lines.map((text) => {
      const words = harmless(text).replaceAll("\t", "  ").trimEnd();
      if (event.kind === "output") return this.#dim(`      | ${words}`);
      const paint = /^[ \d]*\+/.test(words)
        ? this.#green
        : /^[ \d]*-/.test(words)
        ? this.#red
        : this.#dim;
      return paint(`      ${words}`);
    });
    const more = event.more === 0 ? [] : [this.#more_lines(event.more)];
    return (event.kind === "output" ? [...more, ...shown] : [...shown, ...more]).join("\n");
  }

  #more_lines(count: number): string {
    const { unfolds } = this.options;
    const key = unfolds === undefined ? "" : ` (${unfolds})`;
    return this.#dim(`      … ${plural(count, "more line")}${key}`);
  }

  #print_aside(): void {
    for (const words of this.#aside.splice(0)) this.#print(words);
  }

  #result(result: Result): string {
    const { usage, files_changed: files } = result;
    const share = cached_share(usage);
    const counts = [
      plural(result.steps, "step"),
      plural(result.tool_calls, "tool call"),
      ...spent_tokens([usage]),
      ...(share === null ? [] : [`${share} cached`]),
      ...(result.cost_usd === null ? [] : [dollars(result.cost_usd)]),
      ...if_slow(result.duration_ms),
      ...(files.length > 0 ? [counted_files(files)] : []),
    ].join(", ") + rests_on(result);
    if (result.status === "success") return this.#green(`✅ Done (${counts})`);
    // What a verify command has printed stands above, line by line.
    const [said] = parted(result.error?.message ?? "");
    const why = `${result.stop_reason}: ${line(said, 1000)}`;
    return result.status === "partial"
      ? this.#yellow(`⚠️  ${why} (${counts})`)
      : this.#red(`❌ ${why} (${counts})`);
  }

  #mark(holds: boolean | null): string {
    return holds === null ? this.#yellow("?") : holds ? this.#green("✓") : this.#red("✗");
  }

  readonly #paint = (code: number) => (text: string) =>
    this.options.color ? `\x1b[${code}m${text}\x1b[0m` : text;
  readonly #green = this.#paint(32);
  readonly #red = this.#paint(31);
  readonly #yellow = this.#paint(33);
  readonly #dim = this.#paint(2);
}
