/**
 * Of lines of ours about what was refused, the flags that would allow it and may be offered to a person: those for writing and for
 * the network. Keys are read, and the sandbox is left, only where somebody asks for that by themselves.
 */
const OFFERED =
  /the user can allow (?:it|TCP|all networks) with (--allow-(?:write=\S+?|net(?:=\S+?)?))(?=[,;]|$)/g;

export function offered_flags(lines: readonly string[]): readonly string[] {
  const found = lines.flatMap((line) => [...line.matchAll(OFFERED)].map(([, flag = ""]) => flag));
  return [...new Set(found)];
}
