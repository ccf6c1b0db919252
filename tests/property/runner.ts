/**
 * Runs the loop again and again in one process, each time with a model server, a mode and limits of its own, as a line of JSON
 * on stdin says: two thousand starts of the program would take too long. The tools worker and its sandbox are real and shared.
 *
 *     deno run -A tests/property/runner.ts WORKSPACE API_MODE
 */
import { Clock } from "../../src/agent/clock.ts";
import type { Event } from "../../src/agent/events.ts";
import { History } from "../../src/agent/history.ts";
import { run } from "../../src/agent/run.ts";
import type { Session } from "../../src/agent/session.ts";
import { fresh_state } from "../../src/agent/state.ts";
import { parse } from "../../src/cli/args/args.ts";
import { ask_endpoint } from "../../src/app/endpoint.ts";
import { process_io } from "../../src/cli/base/io.ts";
import { load_settings } from "../../src/app/settings.ts";
import { compose } from "../../src/app/compose.ts";
import { wire_of } from "../../src/model/protocols/protocols.ts";
import { guards } from "../../src/guards/mod.ts";
import type { Asked } from "../support/replies.ts";

/** One line of stdin. */
export interface Order extends Asked {
  readonly url: string;
  readonly verify: string;
  /** Milliseconds between two reads of a reply; default 1000. */
  readonly idle_ms?: number;
}

/** One line of stdout. */
export interface Report {
  readonly reason: string;
  readonly error: string | null;
  readonly steps: number;
  readonly calls: number;
  readonly phase: string;
  readonly events: readonly Event[];
}

const TASK = "Put two in the place of one.";

async function main(workspace: string, api_mode: string): Promise<void> {
  const io = process_io();
  const url = "http://127.0.0.1:9/v1";
  const model = ["--base-url", url, "--model", "scripted", "--api-mode", api_mode];
  const parsed = parse(["run", "-C", workspace, ...model, TASK]);
  const settings = await load_settings(parsed, io);
  let events: Event[] = [];
  const { session, system } = await compose({
    place: settings,
    flags: parsed.flags,
    overrides: parsed.overrides,
    io,
    task: TASK,
    endpoint: ask_endpoint(settings),
    session_id: crypto.randomUUID(),
    interrupt: new AbortController().signal,
  }, {
    began: performance.now(),
    emit: (event) => events.push(event),
    ask: () => Promise.resolve("no"),
  });
  const services = await session.services();
  await services.tools_client.ready;
  for await (const line of lines(Deno.stdin.readable)) {
    const order = JSON.parse(line) as Order;
    events = [];
    // What was put back between two runs is of neither.
    await services.tools_client.changes();
    const one = await session_for(session, order, () => Promise.resolve(services));
    const { agent, budget, guards: guarding } = settings.settings;
    one.guards = guards({
      ...agent,
      ...guarding,
      ...budget,
      max_steps: order.max_steps,
      max_tool_calls: order.max_tool_calls,
    });
    const ending = await run(one, { system, task: TASK });
    const { state } = one;
    const report: Report = {
      reason: ending.reason,
      error: ending.error?.message ?? null,
      steps: state.steps,
      calls: state.spending.calls,
      phase: state.phase,
      events,
    };
    io.out(`${JSON.stringify(report)}\n`);
  }
  await services.tools_client.close();
}

async function session_for(
  session: Session,
  order: Order,
  services: Session["services"],
): Promise<Session> {
  const wire = await wire_of(session.endpoint.api_mode);
  return {
    ...session,
    wire,
    endpoint: {
      ...session.endpoint,
      base_url: order.url,
      context_window: order.window,
      window_known: true,
    },
    limits: {
      ...session.limits,
      verify_command: order.verify,
      stream: order.stream,
      max_output_tokens: 1000,
      http: { ...session.limits.http, idle_ms: order.idle_ms ?? 1000 },
    },
    history: new History(wire, "scripted"),
    state: fresh_state(order.mode),
    clock: new Clock({ run_ms: 0, step_ms: 0 }, new AbortController().signal),
    services,
  };
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}

if (import.meta.main) await main(Deno.args[0] ?? ".", Deno.args[1] ?? "");
