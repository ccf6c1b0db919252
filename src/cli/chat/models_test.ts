import { deepEqual, match } from "node:assert/strict";
import { load_settings } from "../../app/settings.ts";
import { parse } from "../args/args.ts";
import { pick_model_at } from "./models.ts";
import type { ChatState } from "./state.ts";

Deno.test("the first model that is named by its URL is written down, unless there were settings, a provider or a password", async () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const file = `${home}/.config/hamr/config.toml`;
  const models = { object: "list", data: [{ id: "one", object: "model", max_model_len: 9000 }] };
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => Response.json(models, { status: url.endsWith("/models") ? 200 : 404 }),
  );
  const place = `127.0.0.1:${server.addr.port}`;
  /** What the next start is given and says; `model`: who answers so far. */
  const named = async (url: string, environ: Record<string, string> = {}, model = "") => {
    const settings = await load_settings(parse(["chat", "-C", home]), {
      environ: () => ({ HOME: home, ...environ }),
    });
    const said: unknown[] = [];
    const next = (args: readonly string[], first: { readonly say: string }) =>
      Promise.resolve(void said.push(args.join(" "), first.say));
    const chat = {
      ...{ settings, note: (text: string) => said.push(text), again: next, resume: next },
      ...{ screen: { status: { model } }, chosen: { flags: ["--mode", "ask"] } },
    };
    await pick_model_at(chat as unknown as ChatState, url);
    return said.join("\n");
  };
  try {
    for (
      const [url, environ, model] of [
        [`http://me:secret@${place}`, {}, ""],
        [`http://${place}`, { HAMR_PROVIDER: "openai" }, ""],
        [`http://${place}`, { HAMR_MODEL: "two" }, ""],
        [`http://${place}`, {}, "two"],
      ] as const
    ) {
      match(
        await named(url, environ, model),
        /--model one\nfrom now on: one at/,
        JSON.stringify(environ),
      );
    }
    const say = `one is your model from now on: ${file}`;
    deepEqual(await named(`http://${place}/v1`), `--mode ask\n${say}`);
    const written = Deno.readTextFileSync(file);
    match(written, new RegExp(`\\[provider\\]\nmodel = "one"\nbase_url = "http://${place}`));
    // By now there are settings.
    match(await named(`http://${place}/v1`), /from now on: one at/);
    deepEqual(Deno.readTextFileSync(file), written);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});
