import assert from "node:assert/strict";
import { exists } from "../permission/paths.ts";
import { end_written, staged_policy } from "../sandbox/_testing.ts";
import { git_blobs } from "./git_blobs.ts";

Deno.test({
  name: "a git that something has stopped is not waited for without end",
  ignore: Deno.build.os === "windows",
  async fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      // In its place one that stops itself, as a program in the background could stop it; what it has started keeps its pipes.
      Deno.writeTextFileSync(
        `${root}/git`,
        `#!/bin/sh\nsleep 600 &\necho $! > ${root}/asked\nkill -STOP $$\n`,
        {
          mode: 0o755,
        },
      );
      const policy = staged_policy(root, { home: root });
      const env = { ...policy.env, PATH: `${root}:${policy.env["PATH"]}` };
      assert.deepEqual(await git_blobs({ ...policy, env }, ["1234"], 50), [null]);
      // A slow machine ends it before it has written anything.
      const asked = exists(`${root}/asked`) ? Deno.readTextFileSync(`${root}/asked`) : "";
      if (asked !== "") end_written(asked);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});
