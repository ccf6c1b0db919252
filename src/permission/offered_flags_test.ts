import { deepStrictEqual } from "node:assert/strict";
import { offered_flags } from "./offered_flags.ts";

Deno.test("of what was refused, writing and the network can be offered; keys and the sandbox itself are not", () => {
  const lines = [
    "the sandbox does not allow writing /etc/x; use $TMPDIR, or the user can allow it with --allow-write=/etc",
    "the sandbox allows no network; the user can allow it with --allow-net",
    "…as no process of this run serves it; the user can allow it with --allow-net=loopback",
    "the user can allow all networks with --allow-net",
    "the sandbox does not allow reading /root/.ssh; the user can allow it with --allow-read=/root/.ssh",
    "git push sends commits; the user can allow it with --yolo, or be asked",
    "the user can allow it with --allow-write=/a folder",
    "the user can allow more with --allow-write=FOLDER or --allow-net",
    "only --sandbox off allows it",
  ];
  deepStrictEqual(offered_flags(lines), [
    "--allow-write=/etc",
    "--allow-net",
    "--allow-net=loopback",
  ]);
});
