import assert from "node:assert/strict";
import { describe } from "./describe.ts";
import type { Support } from "../kernel/probe.ts";
import { test_policy } from "../_testing.ts";

const policy = test_policy({ write: ["/extra"], env: { PATH: "/bin", HOME: "/h" } });
const linux = (abi: number): Support => ({
  kind: "linux",
  arch: "x86_64",
  abi,
  no_supervisor: null,
  takes_sockets: true,
});
const enforcer = (lines: ReturnType<typeof describe>, start: string) =>
  lines.find(({ line }) => line.startsWith(start))?.enforced_by;

Deno.test("every promise names its layer, and what nothing enforces says so", () => {
  const lines = describe(policy, linux(7));
  assert.equal(enforcer(lines, "may write: /w /t /s /c /extra,"), "Landlock ABI 7");
  assert.equal(enforcer(lines, "network: none"), "seccomp, Landlock (TCP)");
  assert.equal(
    enforcer(lines, "variables passed to commands: HOME PATH"),
    "a new environment for each command",
  );
  assert.equal(enforcer(lines, "other programs of yours can't be sig"), "Landlock (signal scope)");
  assert.equal(enforcer(lines, "may read: everything that you may"), null);
  assert.equal(enforcer(lines, "may run: every program"), null);
  assert.match(enforcer(lines, "mode and owner of your files") ?? "", /^supervisor/);
  const alone = describe(policy, { ...linux(7), no_supervisor: "x" } as Support);
  assert.equal(enforcer(alone, "mode and times of your files"), null);
});

Deno.test("an older kernel promises less", () => {
  const lines = describe(policy, linux(1));
  assert.equal(enforcer(lines, "may write: /w"), "Landlock ABI 1, seccomp (truncation)");
  assert.equal(enforcer(lines, "network: none"), "seccomp");
  assert.equal(enforcer(lines, "other programs of yours can be signaled"), null);
});

Deno.test("wide permissions are not shown as enforced", () => {
  const lines = describe({ ...policy, write: "all", net: "all" }, linux(7));
  assert.equal(enforcer(lines, "may write: everywhere"), null);
  assert.equal(enforcer(lines, "network: every address"), null);
  assert.match(enforcer(lines, "unix sockets: only those in") ?? "", /^supervisor/);
  const alone = { ...linux(7), no_supervisor: "x" } as Support;
  const unasked = describe({ ...policy, write: "all", net: "all" }, alone);
  assert.equal(enforcer(unasked, "unix sockets: none"), "seccomp");
});

Deno.test("without a sandbox there is one line and no enforcer", () => {
  const off = describe({ ...policy, sandbox: "off" }, linux(7));
  const none = describe(policy, { kind: "none", reason: "no Landlock" });
  assert.deepEqual([off, none].map((lines) => lines.map((l) => l.enforced_by)), [[null], [null]]);
  assert.match(none[0]?.line ?? "", /no Landlock/);
});

Deno.test("limits on reading, running and reaching are shown with who keeps them", () => {
  const limited = { deny_read: ["/h/.ssh"], run: ["/usr/bin/git"], net: "own" } as const;
  const lines = describe({ ...policy, ...limited }, linux(7));
  assert.equal(
    enforcer(lines, "may read: everything that you may, but not /h/.ssh"),
    "Landlock ABI 7",
  );
  assert.equal(enforcer(lines, ".env files in the workspace: commands can"), null);
  assert.equal(enforcer(lines, "may run: /usr/bin/git (a program can still"), "Landlock ABI 7");
  assert.match(
    enforcer(lines, "network: TCP to servers on this machine that") ?? "",
    /^supervisor/,
  );
  assert.match(enforcer(lines, "unix sockets: only those in") ?? "", /^supervisor/);
});

Deno.test("without a supervisor the network is closed, and why is said", () => {
  const alone: Support = { ...linux(7), no_supervisor: "forbidden here" } as Support;
  const lines = describe({ ...policy, net: "own" }, alone);
  assert.equal(enforcer(lines, "network: none"), "seccomp, Landlock (TCP)");
  assert.equal(enforcer(lines, "unix sockets: may be opened, not"), "seccomp");
  assert.ok(lines.some(({ line }) => line === "no supervisor here: forbidden here"));
});

Deno.test("on a Mac each line names its enforcer, and that it is untested", () => {
  const lines = describe(policy, { kind: "macos", no_supervisor: "x" });
  assert.match(enforcer(lines, "may write: /w /t /s /c /extra,") ?? "", /^sandbox-exec \(untested/);
  assert.match(enforcer(lines, "network: none") ?? "", /^sandbox-exec/);
  assert.equal(enforcer(lines, "what commands leave running"), null);
});
