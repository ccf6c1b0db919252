/** Node's modules, loaded when first needed: `node:fs` takes 28 ms of CPU, `node:path` 9, `node:crypto` 12 more, `node:zlib` 25 (Deno 2.9.6). */

/** Node's way to its own modules, without an import. */
function builtin<M>(name: string): M {
  const { process } = globalThis as unknown as {
    readonly process: { getBuiltinModule(name: string): M };
  };
  return process.getBuiltinModule(name);
}

/** For what Deno's own calls can't do: open without following a link or waiting for a pipe, read at a place, change what is open. */
export function node_fs(): typeof import("node:fs") {
  return builtin("node:fs");
}

/** For hashes that are made without waiting: those of Deno itself are promises. */
export function node_crypto(): typeof import("node:crypto") {
  return builtin("node:crypto");
}

/** To unpack without waiting. */
export function node_zlib(): typeof import("node:zlib") {
  return builtin("node:zlib");
}

/** For a system with other paths than ours. */
export function node_path(): typeof import("node:path") {
  return builtin("node:path");
}
