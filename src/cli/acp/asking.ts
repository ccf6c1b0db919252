/** Questions for the person, asked through their editor. */
import type {
  AgentContext,
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import type { AskWords } from "../../agent/session.ts";
import type { AskPerson, PersonAnswer, Question } from "../../permission/approval.ts";
import { all_seen, harmless, to_be_allowed } from "../../ui/text.ts";
import { type Diff, fenced, text_content } from "./updates.ts";

export interface Asker {
  readonly client: AgentContext;
  readonly session: string;
}

/** Asks for leave to run a call. An editor that can't ask is nobody. `diff_of`: what a call that it was told of changes. */
export function permission_asker(
  asker: () => Asker,
  diff_of: (call: string) => Diff | null,
): AskPerson {
  return async (question, signal) => {
    const { client, session: sessionId } = asker();
    // Events wait in a queue: an editor that hears of the call later takes the question away.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      const { outcome } = await client.request<RequestPermissionResponse>(
        "session/request_permission",
        {
          sessionId,
          toolCall: {
            toolCallId: question.id,
            status: "pending",
            title: to_be_allowed(`${question.tool}: ${question.command ?? question.summary}`),
            ...about(question, diff_of(question.id)),
          },
          options: options_for(question),
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      if (outcome.outcome !== "selected") return "no";
      // What was not offered is not an answer.
      const chosen = options_for(question).find(({ optionId }) => optionId === outcome.optionId);
      return chosen?.optionId ?? "no";
    } catch {
      return signal.aborted ? "no" : "nobody";
    }
  };
}

/** Editors review a change in a view of their own, which may not show what can't be seen. */
function about({ why, diff: lines }: Question, diff: Diff | null): Partial<ToolCallUpdate> {
  const change = lines.join("\n"), seen = all_seen(change);
  const texts = [
    ...(why === null ? [] : [harmless(why)]),
    ...(seen === "" || (diff !== null && seen === change) ? [] : [fenced(seen, "diff")]),
  ];
  const content: ToolCallContent[] = [
    ...(diff === null ? [] : [diff]),
    ...(texts.length === 0 ? [] : [text_content(texts.join("\n\n"))]),
  ];
  if (content.length === 0) return {};
  return { content, ...(diff === null ? {} : { locations: [{ path: diff.path }] }) };
}

type Offered = PermissionOption & { readonly optionId: PersonAnswer };

/** Some editors have one key for each kind. */
function options_for({ edits }: Question): Offered[] {
  return [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    edits
      ? { optionId: "edits", name: "Allow all edits", kind: "allow_always" }
      : { optionId: "always", name: "Always allow this kind", kind: "allow_always" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

export function words_asker(asker: () => Asker): AskWords {
  return async ({ question, choices }, signal) => {
    const { client, session: sessionId } = asker();
    const own = {
      type: "string" as const,
      title: choices.length === 0 ? "Answer" : "Or in your own words",
    };
    const request: CreateElicitationRequest = {
      mode: "form",
      sessionId,
      message: all_seen(question),
      requestedSchema: {
        type: "object",
        properties: choices.length === 0 ? { words: own } : {
          choice: { type: "string", title: "Choose", enum: choices.map(all_seen) },
          words: own,
        },
      },
    };
    try {
      const answer = await client.request("elicitation/create", request, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      if (answer.action !== "accept") return null;
      const { choice, words } = (answer.content ?? {}) as Record<string, unknown>;
      const text = [words, choice].find((one) => typeof one === "string" && one.trim() !== "");
      return text === undefined ? null : String(text);
    } catch {
      return null;
    }
  };
}
