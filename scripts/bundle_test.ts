/** What a start reads of the bundle, which every test of the program runs on. */
import assert from "node:assert/strict";
import { PROGRAM } from "../tests/support/hamr.ts";
import { bash, call, say } from "../tests/support/model_server.ts";
import { stage } from "../tests/support/stage.ts";

const MAIN = Deno.env.get("HAMR_BUNDLE") ?? "";
const FOLDER = MAIN.slice(0, MAIN.lastIndexOf("/"));
const ignore = MAIN === "" || Deno.env.has("HAMR_BIN");

/** What a file imports, itself and by others, other than lazily: files of the bundle and modules of Node. */
function imported(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (file.startsWith("node:")) return found;
  const code = Deno.readTextFileSync(`${FOLDER}/${file}`);
  for (const [, name = ""] of code.matchAll(/(?:from|import)\s*"(?:\.\/)?((?:node:)?[\w.-]+)"/g)) {
    imported(name, found);
  }
  return found;
}

Deno.test(
  "bundle: a run with calls, a failed command and a check loads nothing of the other commands",
  { ignore },
  async () => {
    const copy = Deno.makeTempDirSync({ prefix: "hamr_bundle_" });
    try {
      for (const folder of [`${FOLDER}/..`, FOLDER]) {
        for (const { name, isFile } of Deno.readDirSync(folder)) {
          if (isFile) Deno.copyFileSync(`${folder}/${name}`, `${copy}/${name}`);
        }
      }
      Deno.writeTextFileSync(`${copy}/rest.js`, `throw new Error("the rest was loaded");`);
      const script = [
        call("write", { path: "a.txt", content: "one\n" }),
        call("read", { path: "a.txt" }),
        bash("ls missing"),
        say("I wrote a.txt. The command `ls missing` failed."),
      ];
      await stage({ script }, async (s) => {
        const program = PROGRAM.map((part) => part === MAIN ? `${copy}/main.js` : part);
        const args = ["run", "--output", "json", "--verify", "true", "Write a.txt, then look."];
        const { result, stderr } = await s.hamr(args, { program });
        assert.equal(result.exit_code, 0, stderr);
        assert.equal(result.steps, 4);
      });
    } finally {
      Deno.removeSync(copy, { recursive: true });
    }
  },
);

Deno.test("bundle: of Node's modules only the database is read before a chat", { ignore }, () => {
  for (const file of ["main.js", "run.js", "rest.js"]) {
    const of_node = [...imported(file)].filter((name) => name.startsWith("node:"));
    assert.deepEqual(of_node.filter((name) => name !== "node:sqlite"), [], file);
  }
  assert.ok(imported("src_cli_chat_live.js").has("node:fs"), "what is looked for can be found");
});
