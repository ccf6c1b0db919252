import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

Deno.test("a partial clone of another machine stays one where commands may reach it themselves", () =>
  with_place("git init -q .", async ({ watch, sh }) => {
    const make = "git init -q new; cd new; git remote add origin https://example.com/new; " +
      "git config remote.origin.promisor true; git config extensions.partialclone origin";
    const of_it = () => sh("git -C new config --get-regexp 'promisor|partial' || :");
    assert.match(
      (await watch().step(make)).join("\n"),
      /\(remote\.origin\.promisor, extensions\.partialclone\)/,
    );
    assert.equal(of_it(), "");
    sh("rm -rf new");
    assert.deepEqual(await watch({ net: "all" }).step(make), []);
    assert.equal(of_it(), "remote.origin.promisor true\nextensions.partialclone origin");
  }));
