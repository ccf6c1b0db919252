/** Runs MCP servers' programs on the tools worker, in the sandbox. It only moves lines and bytes; the main thread speaks the protocol. */
import { at_end, attempt } from "../../config/attempt.ts";
import { within } from "../../config/within.ts";
import { message_of, plural } from "../../config/text.ts";
import { hints } from "../../permission/hints.ts";
import { ToolFailure } from "../failure.ts";
import { fit_image } from "../image/fit_image.ts";
import type { CheckedCall } from "../protocol.ts";
import type { Done } from "../tool.ts";
import type { Machine } from "../work/machine/machine.ts";
import { Output } from "../work/shell/output.ts";
import { kill_group } from "../work/shell/shell.ts";
import { NO_OUTPUT } from "../work/shell/terminal_text.ts";
import type { McpAnswer, McpNews, McpOrder } from "../mcp_server.ts";

/** What a program may print that nobody has looked at yet: beyond it, it waits, like one whose pipe is full. */
const AHEAD_BYTES = 1024 * 1024;
/** Of what it says on standard error, its end: a stack trace's last lines say what was wrong. */
const COMPLAINT_CHARS = 2000;
/** Of one result: each is part of every later request. */
const MOST_IMAGES = 4;
/** How long one has to end by itself once its input is closed, and once it got SIGTERM. */
const LEAVE_MS = 500;

interface Pipe {
  readonly child: Deno.ChildProcess;
  readonly writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  /** Bytes that were announced and not looked at. */
  ahead: number;
  go_on: () => void;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
}

/** All programs of a run, and the calls that wait for an answer. */
export class Pipes {
  readonly #pipes = new Map<number, Pipe>();
  readonly #waiting = new Map<number, (answer: McpAnswer) => void>();
  #calls = 0;
  #over = false;

  constructor(
    private readonly machine: Pick<Machine, "shell" | "policy" | "limits" | "signal">,
    private readonly tell: (news: McpNews) => void,
  ) {}

  take(order: McpOrder): void {
    switch (order.kind) {
      case "start":
        return this.#start(order);
      case "write": {
        const bytes = new TextEncoder().encode(order.text);
        // A program that reads nothing, or is gone, is the main thread's to notice: nothing is answered.
        this.#pipes.get(order.pipe)?.writer.write(bytes).catch(() => {});
        return;
      }
      case "taken": {
        const pipe = this.#pipes.get(order.pipe);
        if (pipe === undefined) return;
        pipe.ahead -= order.bytes;
        return pipe.go_on();
      }
      case "end": {
        const pipe = this.#pipes.get(order.pipe);
        if (pipe !== undefined) void leave(pipe);
        return;
      }
      case "answer":
        this.#waiting.get(order.call)?.(order.answer);
        this.#waiting.delete(order.call);
        return;
    }
  }

  /** Lets the main thread make a call, and bounds its result. Throws a `ToolFailure` where an image is none. */
  async call({ id, args, mcp: route }: CheckedCall): Promise<Done> {
    if (route === undefined) throw new ToolFailure("this is not an MCP tool");
    const { signal } = this.machine;
    const call = ++this.#calls;
    const answered = new Promise<McpAnswer>((resolve) => this.#waiting.set(call, resolve));
    const cancel = () => this.tell({ kind: "cancel", call });
    this.tell({ kind: "call", call, id, route, args });
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    using _ = at_end(() => signal.removeEventListener("abort", cancel));
    return await this.#bounded(await answered, call);
  }

  /** Ends all of them: first by the end of their input, as the protocol has it. What does not listen is left to the end of the run. */
  async close(): Promise<void> {
    this.#over = true;
    await Promise.all([...this.#pipes.values()].map(leave));
  }

  #start({ pipe, argv, ...where }: Extract<McpOrder, { kind: "start" }>): void {
    if (this.#over) return;
    let child: Deno.ChildProcess;
    try {
      child = this.machine.shell.serve(argv, where);
    } catch (error) {
      return this.tell({ kind: "ended", pipe, why: message_of(error) });
    }
    const complaint = last_words(child.stderr);
    const opened: Pipe = {
      child,
      writer: child.stdin.getWriter(),
      ahead: 0,
      go_on: () => {},
      ended: child.status,
    };
    opened.writer.closed.catch(() => {}); // It may end without having read all.
    this.#pipes.set(pipe, opened);
    const read = this.#read(pipe, opened);
    void child.status.then(async ({ code, signal }) => {
      // What it has started may hold its output open.
      await within(LEAVE_MS, read);
      this.#pipes.delete(pipe);
      const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
      await within(LEAVE_MS, complaint.done);
      const words = complaint.words();
      const ended = { command: argv.join(" "), exit_code: code, signal, output: complaint.text() };
      const [hint] = hints(ended, this.machine.policy);
      const why = [how, ...(words === "" ? [] : [words]), ...(hint === undefined ? [] : [hint])];
      this.tell({ kind: "ended", pipe, why: why.join(": ") });
    });
  }

  async #read(pipe: number, opened: Pipe): Promise<void> {
    try {
      for await (const bytes of opened.child.stdout) {
        opened.ahead += bytes.length;
        this.tell({ kind: "printed", pipe, bytes });
        while (opened.ahead > AHEAD_BYTES) {
          await new Promise<void>((resolve) => opened.go_on = resolve);
        }
      }
    } catch {
      // A pipe that breaks has said all it could.
    }
  }

  async #bounded({ ok, text, summary, images = [] }: McpAnswer, call: number): Promise<Done> {
    const { limits, policy, signal } = this.machine;
    const output = new Output(limits, `${policy.spill}/mcp-${call}`);
    output.push(new TextEncoder().encode(text));
    const shown: NonNullable<Done["images"]>[number][] = [];
    const notes: string[] = [];
    for (const { data } of images.slice(0, MOST_IMAGES)) {
      try {
        const bytes = attempt(() => Uint8Array.fromBase64(data), new Uint8Array());
        const { image, words } = await fit_image(bytes, signal);
        shown.push(image);
        notes.push(`[an image: ${words}]`);
      } catch (error) {
        notes.push(`[an image that can't be shown: it ${message_of(error)}]`);
      }
    }
    const more = images.length - MOST_IMAGES;
    if (more > 0) notes.push(`[${plural(more, "more image")}, not shown]`);
    return {
      ok,
      summary,
      text: [output.finish(), ...notes].filter((part) => part !== "").join("\n") ||
        NO_OUTPUT,
      ...(shown.length === 0 ? {} : { images: shown }),
    };
  }
}

async function leave({ child, writer, ended }: Pipe): Promise<void> {
  // One that never reads never lets it be closed.
  writer.close().catch(() => {});
  if (await within(LEAVE_MS, ended)) return;
  kill_group(child.pid, "SIGTERM");
  if (await within(LEAVE_MS, ended)) return;
  kill_group(child.pid, "SIGKILL");
  await within(LEAVE_MS, ended);
}

function last_words(
  stream: ReadableStream<Uint8Array>,
): { readonly done: Promise<void>; text(): string; words(): string } {
  let text = "";
  const decoder = new TextDecoder();
  const read = async () => {
    try {
      for await (const bytes of stream) {
        text = (text + decoder.decode(bytes, { stream: true })).slice(-COMPLAINT_CHARS);
      }
    } catch {
      // Then that was all.
    }
  };
  return {
    done: read(),
    text: () => text,
    words: () => {
      const lines = text.split("\n").map((line) => line.trim().replace(/^.*: line 1: exec: /, ""));
      return lines.filter((line) => line !== "").slice(-3).join(" | ");
    },
  };
}
