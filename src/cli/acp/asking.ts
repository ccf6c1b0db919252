/** Questions for the person, asked through their editor. */
import type {
  AgentContext,
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionResponse,
  ToolCallContent,
} from "@agentclientprotocol/sdk";
import type { AskWords } from "../../agent/session.ts";
import type { AskPerson, PersonAnswer, Question } from "../../permission/approval.ts";
import { all_seen, harmless, to_be_allowed } from "../../ui/text.ts";
import { fenced } from "./updates.ts";

/** Where a question goes. */
export interface Asker {
  readonly client: AgentContext;
  readonly session: string;
}

/** Asks for leave to run a call. An editor that can't ask is nobody. */
export function permission_asker(asker: () => Asker): AskPerson {
  return async (question, signal) => {
    const { client, session: sessionId } = asker();
    try {
      const { outcome } = await client.request<RequestPermissionResponse>(
        "session/request_permission",
        {
          sessionId,
          toolCall: {
            toolCallId: question.id,
            status: "pending",
            title: to_be_allowed(`${question.tool}: ${question.command ?? question.summary}`),
            ...about(question),
          },
          options: options_for(question),
        },
        { cancellationSignal: signal, stopWaitingOnCancel: true },
      );
      if (outcome.outcome !== "selected") return "no";
      // What was not offered is no answer.
      const chosen = options_for(question).find(({ optionId }) => optionId === outcome.optionId);
      return chosen?.optionId ?? "no";
    } catch {
      return signal.aborted ? "no" : "nobody";
    }
  };
}

function about({ why, diff }: Question): { readonly content?: ToolCallContent[] } {
  const texts = [
    ...(why === null ? [] : [harmless(why)]),
    ...(diff.length === 0 ? [] : [fenced(all_seen(diff.join("\n")), "diff")]),
  ];
  if (texts.length === 0) return {};
  return { content: [{ type: "content", content: { type: "text", text: texts.join("\n\n") } }] };
}

type Offered = PermissionOption & { readonly optionId: PersonAnswer };

function options_for({ edits }: Question): Offered[] {
  return [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "always", name: "Always allow this kind", kind: "allow_always" },
    ...(edits
      ? [{ optionId: "edits", name: "Allow all edits", kind: "allow_always" } satisfies Offered]
      : []),
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
}

/** Asks a question of the model's in a form. */
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
