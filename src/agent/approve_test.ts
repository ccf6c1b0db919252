import assert from "node:assert/strict";
import { Approval } from "../permission/approval.ts";
import { approver } from "./approve.ts";
import { fresh_state } from "./state.ts";

Deno.test("what nobody knows is asked about, and what only reads is not", async () => {
  const asked: string[] = [];
  const approval = new Approval({
    ...{ confirm: "all", dry_run: false, workspace: "/w", home: "/h", granted: new Set() },
    ask({ tool }) {
      asked.push(tool);
      return Promise.resolve("yes");
    },
  });
  const approve = approver(approval);
  const { signal } = new AbortController();
  for (const tool of ["read", "no_such_tool", "edit"]) {
    const args = { path: "a", old: "x", new: "y" };
    await approve({ id: "1", tool, args }, { state: fresh_state("auto"), emit: () => {}, signal });
  }
  assert.deepEqual(asked, ["no_such_tool", "edit"]);
});
