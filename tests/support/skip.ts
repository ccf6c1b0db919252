/** Says, loudly, what was not tested here and why. */
export function skip(why: string): null {
  const line = "#".repeat(78);
  Deno.stderr.writeSync(new TextEncoder().encode(`\n${line}\n# SKIP: ${why}\n${line}\n`));
  return null;
}
