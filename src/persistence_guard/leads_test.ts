import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type Place, with_place } from "./_testing.ts";
import { Named } from "./named.ts";

/** What is said to run later after a command. */
async function said(
  { policy, watch }: Place,
  command: string,
  change: Partial<Policy>,
): Promise<string | null> {
  const { step, guarded, sights } = await watch(change);
  const own = { ...policy, ...change };
  const named = new Named(own, { raw: open_folders(), sights, saved: guarded.saved });
  named.see();
  await step(command);
  return named.changed();
}

const LINE = "changed files that run later outside the sandbox: ";

for (
  const [search, names] of [
    ["/opt/lib:", "glibc-hwcaps/x86-64-v3/libz.so.1, libselinux.so.1"],
    ["env/lib", "env/lib/libc.so.6"],
    ["/opt/lib", null],
    ["", null],
    [undefined, null],
  ] as const
) {
  Deno.test(`a library that everyday programs load from here is named: LD_LIBRARY_PATH=${search}`, () =>
    with_place("mkdir -p env/lib", async (place) => {
      const make =
        "mkdir -p glibc-hwcaps/x86-64-v3; for f in libselinux.so.1 libmine.so.1 env/lib/libc.so.6 " +
        "env/lib/libmine.so glibc-hwcaps/x86-64-v3/libz.so.1; do echo x > $f; done";
      const env = {
        ...place.policy.env,
        ...(search === undefined ? {} : { LD_LIBRARY_PATH: search }),
      };
      assert.equal(await said(place, make, { env }), names === null ? null : LINE + names);
    }));
}

for (
  const [at, is_named] of [["mono/packages/a", true], ["plain/a", false], [
    "home/cache",
    false,
  ]] as const
) {
  Deno.test(`what runs later in a folder besides is named where it is a part of a repository: ${at}`, () =>
    with_place(
      "git init -q ../mono; git init -q ../home; mkdir -p ../mono/packages/a ../plain/a ../home/cache",
      async (place) => {
        const folder = `${place.root}/${at}`;
        const made = await said(place, `echo a > ${folder}/.envrc`, { write: [folder] });
        assert.equal(made, is_named ? `${LINE}${folder}/.envrc` : null);
      },
    ));
}

for (
  const [command, names] of [
    [
      "mkdir -p mise/conf.d .config; for f in mise/conf.d/e.toml .miserc.toml .miserc.local.toml .config/miserc.toml mise.local.lock ☣.py; do echo x > $f; done; " +
      "echo ./x > .python-versions; echo LD_PRELOAD=./x.so > dev.env",
      ".config/miserc.toml, .miserc.local.toml, .miserc.toml, .python-versions, dev.env, mise.local.lock, mise/conf.d/e.toml, ☣.py",
    ],
    ["echo 3.12 > .python-versions; echo PORT=80 > dev.env; echo LD_PRELOAD=x > example.env", null],
  ] as const
) {
  Deno.test(`of what mise, uv and tox read is named: ${names}`, () =>
    with_place("git init -q .", async (place) => {
      assert.equal(await said(place, command, {}), names === null ? null : LINE + names);
    }));
}
