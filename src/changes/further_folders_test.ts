import assert from "node:assert/strict";
import { further_folders } from "./further_folders.ts";

Deno.test("of folders that everybody may write only the system's are other programs'", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "further-" }));
  try {
    const [workspace, tmp, own, open, file] = ["ws", "tmp", "own", "open", "file"]
      .map((name) => `${root}/${name}`) as [string, string, string, string, string];
    for (const folder of [workspace, tmp, own, open]) Deno.mkdirSync(folder);
    Deno.writeTextFileSync(file, "");
    Deno.chmodSync(open, 0o1777);
    const write = [own, open, file, `${workspace}/sub`, `${root}/none`, "/tmp"];
    const shared = (Deno.statSync("/tmp").mode ?? 0) & 0o1002;
    assert.deepEqual(further_folders({ workspace, write, tmp }), [
      ...[own, open],
      ...(shared === 0o1002 ? [] : ["/tmp"]),
    ]);
    assert.deepEqual(further_folders({ workspace, write: "all", tmp }), []);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
