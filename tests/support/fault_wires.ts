/** How each protocol puts a reply into a body, what its pieces are, and what may are between them. */
import { stream_message, whole_message } from "./anthropic_wire.ts";
import { ollama_body } from "./ollama.ts";
import * as responses from "./responses_server.ts";
import { type Reply, stream_body, whole_body } from "./wire.ts";

/** One protocol on a bad day. */
export interface FaultWire {
  readonly body: (reply: Reply, n: number, stream: boolean) => string;
  /** Between two events of a stream. */
  readonly between: RegExp;
  /** Content type of a stream. */
  readonly type: string;
  readonly rubbish: readonly string[];
  /** Calls come whole behind their fragments: these may come in any order, and any number of times. */
  readonly whole_calls?: true;
}

const EVENTS = { between: /(?<=\n\n)/, type: "text/event-stream" };
/** What no protocol of events knows. */
const RUBBISH = [
  ...[": ping\n\n", "\n\n\n", "id: 7\n", "retry: 10\n\n", "event: ping\ndata: {}\n\n", "data:\n\n"],
  ...["rubbish\n\n", 'data: {"ok":true}\n\n', "data: null\n\n", "data: [1]\n\n", "data: {\n\n"],
  "<html><body>502</body></html>\n",
];
const as_events = (values: readonly string[]) => [
  ...RUBBISH,
  ...values.map((value) => `data: ${value}\n\n`),
];

/** Each protocol. */
export const FAULT_WIRES: Readonly<Record<string, FaultWire>> = {
  chat_completions: {
    ...EVENTS,
    body: (reply, n, stream) => stream ? stream_body(reply, n, true) : whole_body(reply, n),
    rubbish: as_events([
      ...['{"choices":[]}', '{"choices":[{}]}'],
      '{"choices":[{"index":0,"delta":{"tool_calls":[{}]}}]}',
    ]),
  },
  codex_responses: {
    ...EVENTS,
    whole_calls: true,
    body: (reply, n, stream) =>
      stream ? responses.stream_body(reply, n) : responses.whole_body(reply, n),
    rubbish: as_events([
      ...['{"type":"keepalive"}', '{"type":"response.output_item.added"}'],
      ...['{"type":"response.output_item.done","output_index":9,"item":{}}'],
      '{"type":"response.function_call_arguments.delta","output_index":7,"delta":"{"}',
    ]),
  },
  anthropic_messages: {
    ...EVENTS,
    body: (reply, n, stream) => stream ? stream_message(reply, n) : whole_message(reply, n),
    rubbish: as_events([
      ...['{"type":"ping"}', '{"type":"content_block_start"}', '{"type":"message_delta"}'],
      ...['{"type":"content_block_stop","index":9}', '{"type":"message_start"}'],
      '{"type":"content_block_delta","index":9,"delta":{"type":"input_json_delta","partial_json":"{"}}',
    ]),
  },
  ollama_chat: {
    between: /(?<=\n)/,
    type: "application/x-ndjson",
    body: ollama_body,
    rubbish: [
      ...["\n", "\r\n", " \n", "rubbish\n", "null\n", "[1]\n", "{\n", '{"ok":true}\n', "{}\n"],
      ...['{"message":null}\n', '{"message":{}}\n', '{"message":{"tool_calls":[{}]}}\n'],
      ...['{"message":{"role":"assistant","content":null},"done":false}\n', "data: {}\n"],
      "<html><body>502</body></html>\n",
    ],
  },
};
