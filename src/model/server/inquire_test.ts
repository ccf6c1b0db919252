import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { serve_raw, whole } from "../_testing.ts";
import { inquire } from "./inquire.ts";

/** What a person is told while a list of models comes late. */
async function told(holds_up: boolean): Promise<string> {
  const answer = whole(JSON.stringify({ data: [{ id: "m" }] }), { type: "application/json" });
  const asked = Promise.withResolvers<void>();
  const lines: string[] = [];
  await using server = serve_raw(async ({ path, write }) => {
    if (path !== "/v1/models") return await write(whole("{}", { status: 404 }));
    await write(answer.slice(0, 20));
    await asked.promise;
    await write(answer.slice(20));
  });
  const wait = {
    tell: (words: string) => lines.push(words),
    holds_up() {
      asked.resolve();
      return holds_up;
    },
    most_ms: 0,
    signal: new AbortController().signal,
  };
  const base_url = `${server.origin}/v1`;
  const { model } = await inquire({
    ...{ name: "", base_url, given: base_url, api_mode: "", model: "", headers: {} },
    ...{
      key_envs: [],
      key_file: "",
      key_cmd: "",
      basic: "",
      secret: "",
      server: null,
      trusted: true,
    },
    context_window: undefined,
  }, { model: "", window: undefined, headers: {}, client: undefined, may_ask: true, wait });
  strictEqual(model, "m");
  return lines.join("\n").replace(server.origin, "AT");
}

Deno.test("who waits long for a list of models is told, if nothing else is under way", async () => {
  deepStrictEqual(await Promise.all([told(true), told(false)]), [
    "waiting for AT: it has not said yet what it serves (60 s at most)",
    "",
  ]);
});
