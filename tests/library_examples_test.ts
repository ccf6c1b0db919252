/** The examples of the library, as they stand in its pages. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { call, say, type Script } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

/** Where examples are. */
const PAGES = ["../mod.ts", "../docs/library.md", "../README.md"];

Deno.test("library: every example runs", async () => {
  const MOD = fileURLToPath(new URL("../mod.ts", import.meta.url));
  const CONFIG = fileURLToPath(new URL("../deno.json", import.meta.url));
  const script: Script = ({ body: { messages } }) =>
    JSON.stringify(messages).includes("notes.txt") && messages.at(-1)?.role === "user"
      ? call("write", { path: "notes.txt", content: "A project.\n" })
      : say("A project it is.");
  const examples = PAGES.flatMap((page) => {
    const text = Deno.readTextFileSync(new URL(page, import.meta.url)).replace(/^ \* ?/gm, "");
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  });
  assert.equal(examples.length, 4);
  await stage({ script, violations: true }, async (s) => {
    await Promise.all(examples.map(async (code, nth) => {
      s.ws.write(`${nth}/project/`, "");
      s.ws.write(`${nth}/example.ts`, code.replace('"hamr"', JSON.stringify(MOD)));
      const { code: status, stdout, stderr } = await s.hamr([], {
        program: [Deno.execPath(), "run", "-A", "--quiet", "--config", CONFIG, "example.ts"],
        cwd: s.ws.at(`${nth}`),
        env: { HAMR_BASE_URL: s.server.url, HAMR_MODEL: "m" },
      });
      assert.equal(status, 0, stderr);
      assert.notEqual(stdout, "");
    }));
  });
});
