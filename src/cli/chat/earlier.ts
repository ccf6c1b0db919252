/** Shows what was said and done in a session before this start. */
import { attempt } from "../../config/attempt.ts";
import type { Stamped } from "../../agent/events.ts";
import { instruction_files } from "../../agent/instructions.ts";
import { own_folder } from "../../app/settings.ts";
import { diff_detail, planned_diff } from "../../agent/call_detail.ts";
import { json } from "../../config/json.ts";
import { runs_of } from "../../app/saved_sessions.ts";
import { real_or_null } from "../../config/paths.ts";
import type { ChatSetup } from "./setup.ts";
import { hello } from "../../ui/chat/early.ts";
import { short, tokens } from "../../ui/text.ts";
import { transcript_of, type TranscriptEntry } from "../sessions/transcript.ts";
import type { ChatState } from "./state.ts";

/** More is a screen of a few thousand lines that nobody scrolls through. */
const MOST_ENTRIES = 200;

export async function said_so_far({ setup, screen, agent }: ChatState): Promise<void> {
  const { db, info } = setup.opened.resumed?.reopened ?? {};
  if (db === undefined || info === undefined) return;
  try {
    const entries = await transcript_of(db, info.id);
    const tasks = (await runs_of(db, info.id)).map(({ task }) => task);
    const more = entries.length - MOST_ENTRIES;
    if (more > 0) {
      const id = agent.sessionId.slice(0, 8);
      screen.log.note(`… ${more} messages and calls before this: hamr sessions show ${id}`);
    }
    for (const [nth, entry] of entries.slice(-MOST_ENTRIES).entries()) {
      if (entry.kind === "user") {
        // What the person typed, without what was added to it.
        const own = tasks.find((task) => task !== "" && entry.text.startsWith(`${task}\n\n`));
        screen.log.said(own ?? entry.text);
      } else events_of(entry, nth).forEach((event) => screen.log.hear(event));
    }
    screen.log.gap();
  } catch {
    // A session that is damaged says so where it goes on.
  }
}

/** That a session goes on, or what is said where nothing was said before. Plain lines have their own words for that. */
export function hello_in({ look, settings, begun, opened }: ChatSetup, id: string): string {
  const { workspace, environ } = settings, { fork } = opened.flags;
  const here = real_or_null(".") === workspace;
  if (begun) return `Session ${id} continues${here ? "" : ` in ${workspace}`}.`;
  const files = instruction_files(workspace, own_folder(settings));
  return [
    ...look.plain ? [] : [hello(workspace, environ["HOME"])],
    ...files.length === 0 ? [] : [`The model is given ${files.join(", ")}.`],
    ...fork === undefined ? [] : [`A copy: the model knows what was said in ${fork.slice(0, 8)}.`],
  ].join("\n");
}

function events_of(
  entry: Exclude<TranscriptEntry, { kind: "user" }>,
  nth: number,
): readonly Stamped[] {
  const at = { t: 0, step: entry.step };
  switch (entry.kind) {
    case "assistant":
      return [{ type: "text_delta", text: entry.text, finished: true, ...at }];
    case "part": {
      const { tokens_before = 0, tokens_after = 0 } = entry.compaction ?? {};
      const message = entry.compaction === null
        ? "the messages so far were sent again"
        : `older messages were compacted: ${short(tokens_before)} → ${tokens(tokens_after)}`;
      return [{ type: "warning", message, ...at }];
    }
    case "call": {
      const { name, summary, ok } = entry;
      const id = `earlier-${nth}`, args = json(entry.arguments) ?? {};
      // An edit may not take such arguments.
      const changes = attempt(() => planned_diff({ tool: name, args }), []);
      const detail = ok ? diff_detail(changes) : null;
      return [
        { type: "tool_call", id, name, arguments: args, nth: 1, of: 1, ...at },
        {
          ...{ type: "tool_result", id, name, ok: ok ?? false, summary, ...at },
          ...{ bytes: 0, ms: 0, refused: null },
        },
        ...(detail === null ? [] : [{ type: "detail", id, ok: true, ...detail, ...at } as const]),
      ];
    }
  }
}
