/** What the program itself is made of: no file that someone else can put in its way becomes part of it. */
import assert from "node:assert/strict";
import { PROGRAM } from "./support/hamr.ts";
import { ANSWER, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const NAME = PROGRAM[0]?.split("/").at(-1) ?? "";

Deno.test({
  name: "compiled code is neither taken from the temporary folder, which all share, nor put there",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await stage({ script: () => say(ANSWER) }, async (s) => {
      const tmp = s.outside.at("tmp");
      Deno.mkdirSync(`${tmp}/deno-compile-${NAME}`, { recursive: true });
      // Who reads a pipe waits for a writer.
      const cache = `${tmp}/deno-compile-${NAME}.cache`;
      assert.ok(new Deno.Command("mkfifo", { args: [cache] }).outputSync().success);
      const run = await s.hamr(["run", "What?"], { env: { ...s.env, TMPDIR: tmp } });
      assert.deepEqual([run.code, run.stdout], [0, `${ANSWER}\n`], run.stderr);
      assert.ok(Deno.lstatSync(cache).isFifo);
      Deno.removeSync(cache);
      await s.hamr(["run", "--no-save", "What?"], { env: { ...s.env, TMPDIR: tmp } });
      assert.deepEqual([...Deno.readDirSync(tmp)].map(({ name }) => name), [
        `deno-compile-${NAME}`,
      ]);
    });
  },
});

Deno.test("settings of Deno, Node and npm in the current folder are nothing to the program", async () => {
  const evil = 'Deno.writeTextFileSync(new URL("./ran", import.meta.url), "");\n';
  const config = {
    preload: ["./evil.js"],
    imports: { "npm:": "./evil.js", "node:process": "./evil.js", "valibot": "./evil.js" },
    nodeModulesDir: "manual",
    compilerOptions: { types: ["./evil.js"] },
  };
  const package_json = { type: "module", main: "./evil.js", imports: { "#a": "./evil.js" } };
  const files = {
    "evil.js": evil,
    "deno.json": JSON.stringify(config),
    "package.json": JSON.stringify(package_json),
    ".npmrc": "node-options=--import=./evil.js\n",
    ".env": "HAMR_AGENT_CONFIRM=never\nNODE_OPTIONS=--import=./evil.js\nHAMR_MODEL=another\n",
    "node_modules/valibot/package.json": JSON.stringify({ ...package_json, name: "valibot" }),
    "node_modules/valibot/evil.js": evil,
  };
  await stage({ script: () => say(ANSWER), files }, async (s) => {
    const run = await s.run("What?");
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.result.model, "scripted");
    assert.match((await s.hamr(["config", "show"])).stdout, /^confirm = "refuse" /m);
    assert.ok(!s.ws.exists("ran") && !s.ws.exists("node_modules/valibot/ran"));
  });
});
