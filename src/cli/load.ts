/**
 * Modules that most runs do not need, or not yet, relative to this one. A literal `import("./x.ts")` would be read and
 * analysed with all that it imports at every start (5 ms of 60 until the first request, measured); a computed one is
 * not. `deno compile` does not see these either: `scripts/compile.ts` includes what is named here.
 */
export const LAZY = [
  "../agent/late.ts",
  "./completions.ts",
  "./config.ts",
  "./demo.ts",
  "./doctor.ts",
  "./help.ts",
  "./subscribers.ts",
] as const;

/** Loads one of them; `M` is its `typeof import("…")`. */
export async function lazy<M>(path: (typeof LAZY)[number]): Promise<M> {
  const address: string = new URL(path, import.meta.url).href;
  return await import(address);
}
