/** A transport for the official client: JSON-RPC through the pipes of a program that the tools worker runs. */
import { concat } from "../../config/bytes.ts";
import { is_record, json, json_line } from "../../config/json.ts";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { McpOrder } from "../mcp_server.ts";

/** Of one message: three times the largest result that makes sense. */
const MOST_LINE_BYTES = 32 * 1024 * 1024;
/** Messages that nobody asked for, since the last answer to a request; a chatty server's log has some hundreds. */
export const MOST_UNASKED = 10_000;
/** Lines that are not messages: honest servers print a greeting, or a few warnings. */
const MOST_RUBBISH = 1000;

const NEWLINE = 10;

/** One process of a server. It does not come back. */
export class PipeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Why it is over; null while it is not. */
  why: string | null = null;
  #line: Uint8Array[] = [];
  #length = 0;
  #unasked = 0;
  readonly #asked = new Set<unknown>();
  #rubbish = 0;

  constructor(
    readonly pipe: number,
    private readonly program: Pick<Extract<McpOrder, { kind: "start" }>, "argv" | "cwd" | "env">,
    private readonly order: (order: McpOrder) => void,
    private readonly warn: (words: string) => void,
  ) {}

  start(): Promise<void> {
    this.order({ kind: "start", pipe: this.pipe, ...this.program });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.why !== null) return Promise.reject(new Error(this.why));
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    this.order({ kind: "write", pipe: this.pipe, text: json_line(message) });
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.ended("closed");
    return Promise.resolve();
  }

  take(bytes: Uint8Array): void {
    this.order({ kind: "taken", pipe: this.pipe, bytes: bytes.length });
    let rest = bytes;
    while (this.why === null) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end);
      this.#line.push(part);
      this.#length += part.length;
      if (this.#length > MOST_LINE_BYTES) {
        return this.ended(`it sent a message of more than ${MOST_LINE_BYTES / 1024 ** 2} MiB`);
      }
      if (end < 0) return;
      this.#message(this.#take_line());
      rest = rest.subarray(end + 1);
    }
  }

  ended(why: string): void {
    if (this.why !== null) return;
    this.why = why;
    this.order({ kind: "end", pipe: this.pipe });
    this.onclose?.();
  }

  #take_line(): string {
    const whole = concat(this.#line);
    this.#line = [];
    this.#length = 0;
    return new TextDecoder().decode(whole).trim();
  }

  #message(line: string): void {
    if (line === "") return;
    const message = json(line);
    if (!is_record(message) || message.jsonrpc !== "2.0") {
      if (++this.#rubbish === 1) {
        this.warn(`it prints lines that are not MCP messages: ${line.slice(0, 80)}`);
      }
      if (this.#rubbish > MOST_RUBBISH) {
        this.ended("it printed too much that is not an MCP message");
      }
      return;
    }
    const answers = !("method" in message) && "id" in message && this.#asked.delete(message.id);
    if (answers) this.#unasked = 0;
    else if (++this.#unasked > MOST_UNASKED) {
      return this.ended(`it sent ${MOST_UNASKED} unsolicited messages`);
    }
    this.onmessage?.(message as JSONRPCMessage);
  }
}
