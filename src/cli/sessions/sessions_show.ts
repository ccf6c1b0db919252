/** `sessions show`: what was said and done in a session. */
import { is_text, json, json_output } from "../../config/json.ts";
import type { SessionInfo } from "../../store/sessions.ts";
import { harmless, line, plural, short, tokens } from "../../ui/text.ts";
import { call_lines } from "../../ui/words.ts";
import type { Parsed } from "../args/args.ts";
import type { SavedSessions } from "../../app/saved_sessions.ts";
import {
  type ListedSession,
  local_time,
  session_ending,
  session_row,
  short_dollars,
} from "./sessions_list.ts";
import { transcript_of, type TranscriptEntry } from "./transcript.ts";

const RESULT_CHARS = 100;

export async function session_text(
  { db, data_dir }: Pick<SavedSessions, "db"> & { data_dir: string | null },
  { info, format, lay_out = harmless }: {
    info: SessionInfo;
    format: Parsed["flags"]["output"];
    /** What becomes of the Markdown that a model writes. */
    lay_out?: (markdown: string) => string;
  },
): Promise<string> {
  const session = session_row(info, data_dir);
  const entries = await transcript_of(db, info.id);
  if (format === "text") {
    const parts = entries.map((entry) => paragraph(entry, lay_out));
    return [heading(session), ...parts, footing(session)].join("\n");
  }
  return json_output(format, { session, transcript: entries }, [session, ...entries]);
}

function heading({ id, began, workspace, model, provider, imported }: ListedSession): string {
  const by = [model, provider].map((name) => line(name, RESULT_CHARS)).filter(is_text).join(" by ");
  const about = `${local_time(began)}, ${by || "no model"}${imported ? ", imported" : ""}`;
  return `Session ${id}\n${about}\n${harmless(workspace)}\n`;
}

function footing(session: ListedSession): string {
  const { steps, tool_calls, cost_usd } = session;
  const all = [plural(steps, "step"), plural(tool_calls, "tool call"), short_dollars(cost_usd)];
  const counts = all.filter(is_text);
  return `── ${session_ending(session)}: ${counts.join(", ")}\n`;
}

function paragraph(entry: TranscriptEntry, lay_out: (markdown: string) => string): string {
  switch (entry.kind) {
    case "user": {
      const images = entry.images > 0 ? [`[${plural(entry.images, "image")}]`] : [];
      const text = [harmless(entry.text), ...images].filter(is_text).join("\n");
      return `> ${text.replaceAll("\n", "\n> ")}\n`;
    }
    case "assistant":
      return `${lay_out(entry.text).trimEnd()}\n`;
    case "call": {
      const sign = entry.ok === null ? "…" : entry.ok ? "✓" : "✗";
      const { lines, more } = call_lines({
        ...entry,
        arguments: json(entry.arguments) ?? entry.arguments,
      });
      return [
        `  ${sign} ${lines.join("\n      ")}`,
        ...(more === 0 ? [] : [`      … ${plural(more, "more line")}`]),
        `      ${line(entry.summary, RESULT_CHARS)}\n`,
      ].join("\n");
    }
    case "part":
      return `── part ${entry.part}: ${reason(entry)}\n`;
  }
}

function reason({ compaction }: Extract<TranscriptEntry, { kind: "part" }>): string {
  if (compaction === null) return "the messages so far were sent again";
  const { stage, tokens_before, tokens_after } = compaction;
  const sizes = `${short(tokens_before)} → ${tokens(tokens_after)}`;
  return `older messages were compacted (stage ${line(stage, RESULT_CHARS)}, ${sizes})`;
}
