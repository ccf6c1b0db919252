/**
 * Attacks on the file tools, through a tools client.
 *
 *     deno run -A src/tools/_attacks.ts paths|race auto|off FOLDER
 *
 * Prints one line of JSON, which attacks_test.ts judges. Beside the workspace is a folder `outside`, where nothing may change, and in
 * that a folder `keys`, where nothing may be read.
 */
import type { Policy } from "../sandbox/policy.ts";
import { staged_policy } from "../sandbox/_testing.ts";
import { MACHINE_TOOLS } from "./declared/machine_tools.ts";
import { ToolsClient } from "./worker/client.ts";
import type { CheckedCall } from "./protocol.ts";

/** What attempts came to: the tool, its path, whether it did what it was asked, and what it said. */
export type Attempts = readonly {
  readonly tool: string;
  readonly path: string;
  readonly ok: boolean;
  readonly text: string;
}[];

/** What the file outside says, and what the one inside that takes its place in a race. */
export const OUTSIDE = "kept";
export const INSIDE = "inside";
/** What the file says that may not be read. */
export const KEY = "the-key-that-is-denied";
/** For how long a race is run: longer where the machine is busy, until each has met the folder and the link so often. */
const RACE_MS = 2000, MOST_MS = 50_000;
export const MEETINGS = 20;
const LIMITS = { lines: 2000, bytes: 51_200, bash_bytes: 10_000, read_bytes: 16_000 };
const NEVER = new AbortController().signal;

/** Exchanges each folder with the link beside it, over and over; ends by itself should nobody end it. */
const SWAP = `import ctypes, os, time
libc = ctypes.CDLL(None)
end = time.time() + 60
while os.path.exists("go") and time.time() < end:
  for name in (b"out", b"proc", b"keys"):
    libc.renameat2(-100, name, -100, name + b".link", 2)`;

/** Ways to name a file in `outside`, where the workspace has a link `link` to that folder. */
function ways_out(root: string, name: string): string[] {
  const outside = `${root}/outside/${name}`;
  return [
    outside,
    `../outside/${name}`,
    `a/../../outside/${name}`,
    `link/${name}`,
    `link/../outside/${name}`,
    `~/../outside/${name}`,
    // The kernel's own doors.
    ...["self", "thread-self", `${Deno.pid}`, "1"].map((id) => `/proc/${id}/root${outside}`),
    `/proc/self/cwd/../outside/${name}`,
    `/proc/${Deno.pid}/cwd/../outside/${name}`,
    `/dev/fd/../../root${outside}`,
    // A path that is too long, or only looks as if it were; one that ends early.
    `${"a/../".repeat(5000)}../outside/${name}`,
    `${"../".repeat(5000)}${outside.slice(1)}`,
    `${"x/".repeat(5000)}../outside/${name}`,
    `../outside/${name}\0.txt`,
    // What another file system or language takes for the same, or for dots and slashes.
    `../OUTSIDE/${name}`,
    `${root.toUpperCase()}/outside/${name}`,
    `../o\u0075\u0308tside/${name}`,
    `../outside\u200b/${name}`,
    `..\u2215outside\u2215${name}`,
    `\uff0e\uff0e/outside/${name}`,
    `..\\outside\\${name}`,
    `%2e%2e/outside/${name}`,
    `file://${outside}`,
    `../outside/${name} `,
    `../outside/./${name}/.`,
  ];
}

/** Every tool that opens what a path names. */
const READERS = MACHINE_TOOLS.filter(({ read_only, parameters }) =>
  read_only && "path" in parameters.properties
).map(({ name }) => name);

const call = (tool: string, args: Record<string, string>): CheckedCall => ({ id: "1", tool, args });

async function run(tools_client: ToolsClient, calls: readonly CheckedCall[]): Promise<Attempts> {
  const results = await tools_client.run(calls, NEVER);
  return results.map(({ ok, text }, nth) => {
    const { tool = "", args } = calls[nth] ?? {};
    return { tool, path: (args as { path?: string }).path ?? "", ok, text };
  });
}

function attempts(tools_client: ToolsClient, root: string): Promise<Attempts> {
  const edit = (path: string) => call("edit", { path, old: OUTSIDE, new: "pwned" });
  return run(tools_client, [
    ...ways_out(root, "new").map((path) => call("write", { path, content: "x" })),
    ...ways_out(root, "new/deep").map((path) => call("write", { path, content: "x" })),
    ...["dangling", "/dev/fd/1", "/dev/stdout", "/proc/self/fd/1", "/proc/self/comm"].map((path) =>
      call("write", { path, content: "x" })
    ),
    ...[...ways_out(root, "old"), "linked", "hard"].map(edit),
    ...READERS.flatMap((name) => ways_out(root, "keys/key").map((path) => call(name, { path }))),
    ...ways_out(root, "keys").map((path) => call("read", { path, search: "key" })),
    ...READERS.flatMap((name) =>
      ["/proc/self/environ", "/proc/self/task", "/dev/fd/0", "door", "door/environ"].map((path) =>
        call(name, { path })
      )
    ),
  ]);
}

/** How often writes and reads got through in a race, and were refused. */
export function meetings(made: Attempts): readonly number[] {
  const count = (tool: string, test: (one: Attempts[number]) => boolean) =>
    made.filter((one) => one.tool === tool && test(one)).length;
  return [
    count("write", ({ ok }) => ok),
    count("write", ({ ok }) => !ok),
    count("read", ({ text }) => text.includes(INSIDE)),
    count("read", ({ ok }) => !ok),
  ];
}

async function race(tools_client: ToolsClient, workspace: string): Promise<Attempts> {
  for (const name of ["out", "proc", "keys"]) Deno.mkdirSync(`${workspace}/${name}`);
  const start = `for f in out/old proc/environ keys/key; do echo ${INSIDE} > $f; done; touch go
    ln -s ../outside out.link; ln -s /proc/self proc.link; ln -s ../outside/keys keys.link
    setsid python3 -c '${SWAP}' > /dev/null 2>&1 &`;
  await run(tools_client, [call("bash", { command: start })]);
  const all: Attempts[number][] = [];
  const began = performance.now();
  const goes_on = () => {
    const ms = performance.now() - began;
    return ms < RACE_MS || (ms < MOST_MS && Math.min(...meetings(all)) <= MEETINGS);
  };
  for (let n = 0; goes_on(); n++) {
    all.push(
      ...await run(tools_client, [
        call("write", { path: `out/new${n}`, content: "x" }),
        call("write", { path: `out/folder${n}/new`, content: "x" }),
        call("edit", { path: "out/old", old: INSIDE, new: `${INSIDE} ` }),
        call("edit", { path: "out/old", old: OUTSIDE, new: "pwned" }),
        call("read", { path: "proc/environ" }),
        call("read", { path: "keys/key" }),
        call("read", { path: "keys", search: "key" }),
        call("read", { path: "proc", search: "HAMR_API_KEY" }),
        call("edit", { path: "proc/environ", old: "HAMR_API_KEY=", new: "x" }),
      ]),
    );
  }
  return all;
}

/** What is on the disk before anything is tried. */
function prepare(root: string, change: Partial<Policy>): Policy {
  for (const name of ["home", "outside/keys"]) {
    Deno.mkdirSync(`${root}/${name}`, { recursive: true });
  }
  const policy = staged_policy(root, {
    home: `${root}/home`,
    change: { deny_read: [`${root}/outside/keys`], ...change },
  });
  Deno.writeTextFileSync(`${root}/outside/old`, OUTSIDE);
  Deno.writeTextFileSync(`${root}/outside/keys/key`, KEY);
  Deno.linkSync(`${root}/outside/old`, `${policy.workspace}/hard`);
  const links = { link: "outside", linked: "outside/old", dangling: "outside/new" };
  for (const [name, to] of Object.entries(links)) {
    Deno.symlinkSync(`../${to}`, `${policy.workspace}/${name}`);
  }
  Deno.symlinkSync("/proc/self", `${policy.workspace}/door`);
  return policy;
}

if (import.meta.main) {
  const [name = "", sandbox = "", root = ""] = Deno.args;
  const policy = prepare(root, { sandbox: sandbox === "off" ? "off" : "auto" });
  const tools_client = new ToolsClient(policy, { limits: LIMITS, bash_timeout_s: 60 });
  const made = name === "race"
    ? await race(tools_client, policy.workspace)
    : await attempts(tools_client, root);
  await tools_client.close();
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(made)}\n`));
}
