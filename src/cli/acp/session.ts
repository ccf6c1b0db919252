/** The process of one session: an agent that speaks the Agent Client Protocol to the process that the editor has started. */
import { agent as acp_agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { ConfigError, StartError } from "../../config/error.ts";
import { within } from "../../config/within.ts";
import type { Io } from "../base/io.ts";
import { MOST_LINE_BYTES } from "./bounded_lines.ts";
import { FLAGS_FIELD, type Handed, OPENED } from "./process.ts";
import { INTERNAL, type SessionAsked, SessionServer } from "./session_server.ts";

/** Ending commands takes a second or two; nobody is left to wait any longer. */
const END_MS = 8_000;

/** Serves one session until the other side is gone; returns the exit code. */
export async function acp_session(io: Io): Promise<number> {
  const stream = ndJsonStream(Deno.stdout.writable, Deno.stdin.readable, {
    // The ids that another process gives may be longer than the editor's.
    maxMessageBytes: 2 * MOST_LINE_BYTES,
  });
  const served = new SessionServer(io);
  const { session } = methods.agent;
  const connection = acp_agent({ name: "hamr" })
    .onRequest("initialize", ({ params }) => {
      served.capable = params.clientCapabilities ?? {};
      served.handed = params._meta?.[FLAGS_FIELD] as Handed;
      return { protocolVersion: 1 };
    })
    .onRequest(session.new, as_asked, ({ params }) => told(() => served.begin(params)))
    .onRequest(session.load, as_asked, ({ params }) => told(() => served.load(params)))
    .onRequest(session.resume, as_asked, ({ params }) => told(() => served.resume(params)))
    .onRequest("session/fork", as_asked, ({ params }) => told(() => served.fork(params)))
    .onRequest(session.prompt, ({ params, signal }) => told(() => served.prompt(params, signal)))
    .onRequest(session.setMode, ({ params }) => told(() => served.set_mode(params.modeId)))
    .onRequest(
      session.setConfigOption,
      ({ params }) => told(() => served.set_option(params.configId, params.value)),
    )
    .onRequest(
      "session/set_model",
      (params) => params as { readonly modelId?: unknown },
      ({ params }) => told(() => served.set_option("model", params.modelId)),
    )
    .onNotification(OPENED, () => ({}), () => served.tell_about())
    .connect(stream);
  served.client = connection.client;
  const { promise: signaled, resolve: leave } = Promise.withResolvers<void>();
  for (const name of ["SIGTERM", "SIGHUP", "SIGINT"] as const) Deno.addSignalListener(name, leave);
  await Promise.race([connection.closed, signaled]);
  await within(END_MS, served.close());
  return 0;
}

/** The process that the editor has started sends it. */
function as_asked(params: unknown) {
  return params as SessionAsked & { readonly sessionId: string };
}

/** A client learns what is wrong in the words that a person at a terminal would. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartError || error instanceof ConfigError) {
      throw new RequestError(INTERNAL, error.message);
    }
    throw error;
  }
}
