/** Flags from our hints that may be offered to a person: for writing and the network, but not for keys or leaving the sandbox. */
const OFFERED =
  /the user can allow (?:it|TCP|all networks) with (--allow-(?:write=\S+?|net(?:=\S+?)?))(?=[,;]|$)/g;

export function offered_flags(lines: readonly string[]): readonly string[] {
  const found = lines.flatMap((line) => [...line.matchAll(OFFERED)].map(([, flag = ""]) => flag));
  return [...new Set(found)];
}
