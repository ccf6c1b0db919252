/**
 * Loads a module that most runs do not need, or not before the first request:
 *
 *     await lazy<typeof import("./help.ts")>("./help.ts", import.meta.url)
 *
 * A literal `import("./help.ts")` would be read and analyzed with all that it imports at every start: 0.15 ms a
 * module, measured. `deno compile` does not see a computed one; `scripts/compile.ts` looks for calls in this form.
 */
export async function lazy<M>(path: string, from: string): Promise<M> {
  const address: string = new URL(path, from).href;
  return await import(address);
}
