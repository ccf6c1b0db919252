/** A client of `hamr acp`, made with the protocol's own SDK. */
import {
  client,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { environment, pause, PROGRAM } from "./hamr.ts";
import type { Stage } from "./stage.ts";

/** What the person at the editor does. */
export interface Person {
  /** An option's id; null: the question is given up. */
  permit?(asked: RequestPermissionRequest): string | null | Promise<string | null>;
  fill?(asked: CreateElicitationRequest): CreateElicitationResponse;
  heard?(update: SessionUpdate, session: string): void;
  /** Its text of a file. */
  read?(path: string): string | Promise<string>;
  write?(path: string, content: string): void;
}

/** An editor that has started the program. */
export interface Editor {
  readonly pid: number;
  readonly updates: { readonly session: string; readonly update: SessionUpdate }[];
  ask<Answer = Record<string, unknown>>(method: string, params: unknown): Promise<Answer>;
  /** What a request is refused with. */
  refused(method: string, params: unknown): Promise<string>;
  notify(method: string, params: unknown): Promise<void>;
  /** A new session in the workspace. */
  open(more?: { cwd?: string; mcpServers?: McpServer[] }): Promise<string>;
  prompt(session: string, text: string | ContentBlock[]): Promise<string>;
  /** Updates of one kind, in their order. */
  of<Kind extends SessionUpdate["sessionUpdate"]>(
    kind: Kind,
    session?: string,
  ): Extract<SessionUpdate, { sessionUpdate: Kind }>[];
  /** What the model has said so far. */
  said(session?: string): string;
  /** Closes its end; the exit code. */
  leave(): Promise<number>;
  kill(signal: Deno.Signal): void;
  readonly status: Promise<Deno.CommandStatus>;
}

/** Starts `hamr acp ARGS` as an editor does: in a folder that is not the workspace. */
export function start_acp(
  s: Stage,
  { args = [], stderr = "null" }: { args?: readonly string[]; stderr?: "null" | "piped" } = {},
): Deno.ChildProcess {
  const [program = "", ...first] = PROGRAM;
  return new Deno.Command(program, {
    args: [...first, "acp", ...args],
    cwd: s.outside.path,
    clearEnv: true,
    env: environment(s.home.path, s.env),
    stdin: "piped",
    stdout: "piped",
    stderr,
  }).spawn();
}

/** Starts `hamr acp ARGS`, and says hello. */
export async function edit_with(
  s: Stage,
  { person = {}, args = [], capable = {} }: {
    person?: Person;
    args?: readonly string[];
    capable?: InitializeRequest["clientCapabilities"];
  } = {},
): Promise<Editor & { readonly hello: InitializeResponse }> {
  const child = start_acp(s, { args });
  const updates: Editor["updates"] = [];
  /** Calls that were told of, and updates of others. */
  const calls = new Set<string>(), strays: SessionUpdate[] = [];
  const connection = client({ name: "test" })
    .onRequest("session/request_permission", async ({ params }) => {
      const option = await person.permit?.(params) ?? null;
      return {
        outcome: option === null
          ? { outcome: "cancelled" }
          : { outcome: "selected", optionId: option },
      };
    })
    .onRequest("elicitation/create", ({ params }) => person.fill?.(params) ?? { action: "cancel" })
    .onRequest("fs/read_text_file", async ({ params: { path } }) => {
      if (person.read === undefined) throw new Error("not asked for files");
      return { content: await person.read(path) };
    })
    .onRequest("fs/write_text_file", ({ params: { path, content } }) => {
      if (person.write === undefined) throw new Error("not asked to write");
      person.write(path, content);
      return {};
    })
    .onNotification("session/update", ({ params: { update, sessionId: session } }) => {
      updates.push({ session, update });
      if (update.sessionUpdate === "tool_call") calls.add(update.toolCallId);
      const is_stray = update.sessionUpdate === "tool_call_update" && !calls.has(update.toolCallId);
      if (is_stray) strays.push(update);
      person.heard?.(update, session);
    })
    .connect(ndJsonStream(child.stdin, child.stdout));
  const ask = async <Answer>(method: string, params: unknown) => {
    try {
      return await connection.agent.request<Answer>(method, params);
    } catch (error) {
      const { message, data } = error as Error & { data?: unknown };
      throw new Error(`${method}: ${message} ${JSON.stringify(data ?? {})}`);
    } finally {
      // The SDK begins to handle what came before the answer a little after it has that.
      await pause(0);
    }
  };
  const editor: Editor = {
    pid: child.pid,
    updates,
    ask,
    refused: (method, params) =>
      ask(method, params).then((answer) => {
        throw new Error(`${method} was answered: ${JSON.stringify(answer)}`);
      }, (error) => (error as Error).message),
    notify: (method, params) => connection.agent.notify(method, params),
    async open({ cwd = s.ws.path, mcpServers = [] } = {}) {
      const { sessionId } = await ask<{ sessionId: string }>("session/new", { cwd, mcpServers });
      return sessionId;
    },
    async prompt(sessionId, text) {
      const prompt = typeof text === "string" ? [{ type: "text", text }] : text;
      const answer = await ask<{ stopReason: string }>("session/prompt", { sessionId, prompt });
      return answer.stopReason;
    },
    of: (kind, session) =>
      updates.filter((one) => session === undefined || one.session === session)
        .map(({ update }) => update)
        .filter((update): update is never => update.sessionUpdate === kind),
    said: (session) =>
      editor.of("agent_message_chunk", session)
        .map(({ content }) => content.type === "text" ? content.text : "").join(""),
    async leave() {
      if (strays.length > 0) throw new Error(`of no call: ${JSON.stringify(strays)}`);
      connection.close();
      await child.stdin.close().catch(() => {});
      return (await child.status).code;
    },
    kill: (signal) => child.kill(signal),
    status: child.status,
  };
  const hello = await ask<InitializeResponse>("initialize", {
    protocolVersion: 1,
    clientCapabilities: capable,
  });
  return { ...editor, hello };
}

/** An image of one pixel, in base64. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The processes that a process has started. */
export function children(pid: number): number[] {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name))
    .flatMap(({ name }) => {
      try {
        const status = Deno.readTextFileSync(`/proc/${name}/status`);
        const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
        return parent === pid && !/^State:\s+Z/m.test(status) ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
}

/** Whether it is there, and not only waits to be noticed. */
export function alive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
