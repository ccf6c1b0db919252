import assert from "node:assert/strict";
import { profile, wrapper } from "./seatbelt.ts";
import { test_policy } from "../_testing.ts";

const lines = (change: Parameters<typeof test_policy>[0] = {}) =>
  profile(test_policy(change)).split("\n");

Deno.test("everything is denied but what is allowed, and the workspace may be written", () => {
  const text = lines();
  assert.deepEqual(text.slice(0, 2), ["(version 1)", "(deny default)"]);
  const write = text.find((line) => line.startsWith("(allow file-write*"));
  assert.match(write ?? "", /\(subpath "\/w"\) \(subpath "\/t"\)/);
  assert.ok(!text.some((line) => line.includes("system-socket")));
});

Deno.test("what is denied comes after what is allowed, and the run's own folders after that", () => {
  const text = lines({ deny_read: ["/h/.ssh"], spill: "/h/.ssh/spill" });
  const at = (start: string) => text.findIndex((line) => line.startsWith(start));
  assert.ok(at("(allow file-read*)") < at('(deny file-read* (subpath "/h/.ssh")'));
  assert.ok(at("(deny file-read*") < at('(allow file-read* (subpath "/w")'));
});

Deno.test("a list of readable paths, of programs, and of networks", () => {
  const listed = lines({ read: ["/notes"], run: ["/bin/bash", "/opt/tools"] });
  assert.ok(!listed.includes("(allow file-read*)"));
  assert.ok(
    listed.some((line) => line.startsWith("(allow file-read*") && line.includes('"/notes"')),
  );
  assert.ok(listed.includes('(allow process-exec (subpath "/bin/bash") (subpath "/opt/tools"))'));
  assert.ok(lines({ net: "all" }).includes("(allow network*)"));
  const near = lines({ net: "loopback" });
  assert.ok(near.includes('(allow network-outbound (remote ip "localhost:*"))'));
  assert.ok(!lines({ net: "own" }).some((line) => line.includes("remote ip")));
});

Deno.test("a path can't break out of its string", () => {
  const text = profile(test_policy({ workspace: `/a") (allow default) ("\\` }));
  assert.ok(text.includes(`(subpath "/a\\") (allow default) (\\"\\\\")`));
});

Deno.test("commands are wrapped on a Mac, unless the sandbox is off", () => {
  const policy = test_policy();
  assert.deepEqual(wrapper(policy, "darwin").slice(0, 2), ["/usr/bin/sandbox-exec", "-p"]);
  assert.deepEqual(wrapper({ ...policy, sandbox: "off" }, "darwin"), []);
  assert.deepEqual(wrapper(policy, "linux"), []);
});
