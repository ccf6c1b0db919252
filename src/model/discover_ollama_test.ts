import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type RawServer, serve_raw, whole } from "./_testing.ts";
import { loaded_by_ollama, show_ollama_model } from "./server/discover.ts";

function recorded(name: string): string {
  return Deno.readTextFileSync(new URL(`../../tests/wire/ollama/${name}.body`, import.meta.url));
}

function serve(answers: Readonly<Record<string, string>>): RawServer {
  return serve_raw(({ path, write }) =>
    write(whole(answers[path] ?? "", { type: "application/json" }))
  );
}

Deno.test("show() says what a model could be, and loaded_by_ollama() what it is", async () => {
  await using server = serve({ "/api/show": recorded("show"), "/api/ps": recorded("ps") });
  const inquiry = { headers: {}, signal: new AbortController().signal };
  const shown = await show_ollama_model(server.origin, "smol", inquiry);
  deepStrictEqual(shown, { limit: 8192, capabilities: ["completion"] });
  deepStrictEqual(server.requests.map(({ body }) => body), ['{"model":"smol"}']);
  for (const [model, window] of [["smol", 2048], ["smol:latest", 2048], ["other", undefined]]) {
    strictEqual(await loaded_by_ollama(server.origin, String(model), inquiry), window);
  }
  await using other = serve({ "/api/ps": '{"models":[]}', "/api/show": '{"error":"not found"}' });
  strictEqual(await show_ollama_model(other.origin, "smol", inquiry), null);
  strictEqual(await loaded_by_ollama(other.origin, "smol", inquiry), undefined);
});
