/** Two runs at once that reach the same repository from different folders: what one plants, the other does not keep. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { bash, type Recorded, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const GIT = "git -c user.name=t -c user.email=t@t";
/** Waits with it in place, until the other run has taken its look. */
const PLANT = 'git config core.fsmonitor "touch ran; false"; hook=.git/hooks/post-commit; ' +
  "printf '#!/bin/sh\\ntouch ran\\n' > $hook; chmod +x $hook";
const wait_for = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;

interface Case {
  readonly set_up: string;
  /** Where the run that plants works, and where the other does, in the stage. */
  readonly first: string;
  readonly second: string;
  /** Where it plants, from there. */
  readonly repository: string;
}

const WORKTREE = "git worktree add -q ../outside/wt", NESTED = "git init -q sub";
const CASES: Readonly<Record<string, Case>> = {
  "a worktree": { set_up: WORKTREE, first: "ws", second: "outside/wt", repository: "." },
  "from a worktree": {
    set_up: WORKTREE,
    first: "outside/wt",
    second: "ws",
    repository: "../../ws",
  },
  "a folder around": { set_up: NESTED, first: "ws/sub", second: "ws", repository: "." },
  "a folder below": { set_up: NESTED, first: "ws", second: "ws/sub", repository: "sub" },
};

function exists(file: string): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch {
    return false;
  }
}

for (
  const [name, { set_up, first, second, repository }] of Object.entries(CASES)
) {
  Deno.test(`what one run plants, another beside it does not keep: ${name}`, async () => {
    const there = (file: string) => until(file, () => exists(file));
    const script = ({ body }: Recorded) => {
      if (body.messages.some(({ role }) => role === "tool")) return say("It is done.");
      if (JSON.stringify(body.messages).includes("the first task")) {
        return bash(`(cd ${repository}; ${PLANT}); touch planted; ${wait_for("seen")}`);
      }
      return bash(`touch started; ${wait_for("go")}`);
    };
    await stage({ script, one_conversation: false }, async (s) => {
      const sh = (line: string, cwd: string) => {
        const env = { HOME: s.home.path };
        const { success, stderr } = new Deno.Command("/bin/bash", {
          args: ["-euc", line],
          cwd,
          env,
        })
          .outputSync();
        assert.ok(success, new TextDecoder().decode(stderr));
      };
      sh(`git init -q .; ${GIT} commit -q --allow-empty -m one; ${set_up}`, s.ws.path);
      const root = s.ws.path.replace(/\/ws$/, "");
      const [one, two] = [`${root}/${first}`, `${root}/${second}`];
      const planting = s.start(["run", "--json", "Do the first task."], { cwd: one });
      await there(`${one}/planted`);
      const other = s.start(["run", "--json", "Do another."], { cwd: two });
      await there(`${two}/started`);
      Deno.writeTextFileSync(`${one}/seen`, "");
      assert.match((await planting.done).stderr, /put back .*post-commit/);
      Deno.writeTextFileSync(`${two}/go`, "");
      const { result, stderr } = await other.done;
      assert.deepEqual(result.warnings.filter((line) => line.includes("put back")), [], stderr);
      sh(`git status; ${GIT} commit -q --allow-empty -m two`, `${one}/${repository}`);
      assert.ok(!exists(`${one}/${repository}/ran`));
    });
  });
}
