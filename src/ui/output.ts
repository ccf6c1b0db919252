import { json_line } from "../config/json.ts";
import { Pile } from "../config/text_pieces.ts";
import { is_live, type Subscriber, unstamped } from "../agent/events.ts";
import { harmless } from "./text.ts";

export type Format = "text" | "json" | "jsonl";

/** What writes standard output: the result and nothing else (section 5 of the contract). */
export function stdout_writer(format: Format, options: {
  readonly write: (text: string) => void;
  /** stdout is a terminal: escape sequences are taken out of the answer. */
  readonly terminal: boolean;
  /** The same terminal shows the streamed text: the answer is there already. */
  readonly streamed: boolean;
  /** Its reader expects an answer in the form that was asked for: no other is printed. */
  readonly formed: boolean;
}): Subscriber {
  const { write } = options;
  switch (format) {
    case "text":
      return text(options);
    case "json":
      return (event) => {
        if (event.type === "result") write(event_line(unstamped(event)));
      };
    case "jsonl":
      return (event) => {
        if (is_live(event)) return;
        const { t, step } = event;
        const shown = event.type === "result" ? { ...unstamped(event), t, step } : event;
        write(event_line(shown));
      };
  }
}

/** The same values, in which a CI service finds no command: of JSON it looks at `##[` alone. */
function event_line(value: unknown): string {
  return json_line(value).replace(/(##[a-z]*)\[/g, "$1\\u005b");
}

function text(
  { write, terminal, streamed, formed }: Parameters<typeof stdout_writer>[1],
): Subscriber {
  let reply = new Pile();
  let over = true;
  return (event) => {
    if (event.type === "text_delta" && event.agent === undefined) {
      if (over) reply = new Pile();
      if (streamed) reply.add(event.text);
      over = event.finished === true;
    }
    if (event.type !== "result" || event.final_output === "") return;
    if (formed && event.status !== "success") return;
    // On the same terminal the log's last line says that it was interrupted.
    const is_told = event.stop_reason === "user_interrupt" || reply.text === event.final_output;
    if (streamed && is_told) return;
    const shown = terminal ? harmless(event.final_output) : event.final_output;
    write(shown.endsWith("\n") ? shown : `${shown}\n`);
  };
}
