/** What tests of bad days have in common: errors as servers word them, and two servers. */
import assert from "node:assert/strict";
import type { Event } from "./hamr.ts";
import {
  type ModelServer,
  type Reply,
  type Script,
  serve_model,
  type ServerOptions,
} from "./model_server.ts";
import { inside_stage, type Stage, type StageOptions } from "./stage.ts";

/** The user's own file of settings, in HOME. */
export const USER = ".config/hamr/config.toml";

/** An error as OpenAI words it. */
export function failing(status: number, message: string, more: Partial<Reply> = {}): Reply {
  return { status, body: JSON.stringify({ error: { message, code: status } }), ...more };
}

/** The events of one type. */
export const of_type = (events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type);

/** A user's file with two servers, `a` and `b`. */
export function sections(servers: Readonly<Record<string, string>>, more = ""): string {
  const tables = Object.entries(servers).map(([name, keys]) => `[providers.${name}]\n${keys}\n`);
  return `${more}\n${tables.join("")}`;
}

/** The stage, with its server as `a`, and the other server. */
export interface Two {
  readonly s: Stage;
  readonly b: ModelServer;
}

/** A run that begins with the stage's server as provider `a`, with a server `b` to continue with. */
export async function two(
  { b: script, key, settings = "", b_options = {}, ...options }: StageOptions & {
    b: Script;
    /** Lines of `[providers.b]`. */
    settings?: string;
    b_options?: ServerOptions;
  },
  play: (two: Two) => Promise<void>,
): Promise<void> {
  const b = serve_model(script, { ...b_options, ...(key === undefined ? {} : { key }) });
  const env = { HAMR_BASE_URL: "", HAMR_PROVIDER: "a", ...options.env };
  try {
    await inside_stage({ ...options, env }, async (s) => {
      const a = `base_url = "${s.server.url}"`;
      const other = `base_url = "${b.url}"\n${settings}`;
      s.home.write(USER, sections({ a, b: other }));
      await play({ s, b });
    });
    assert.deepEqual(b.violations, []);
  } finally {
    await b.close();
  }
}

/** Lets `b` take over. */
export const FALLBACK = ["--fallback", "b/other"];
/** One try of each request. */
export const QUICK = { HAMR_RETRY_ATTEMPTS: "1" };
