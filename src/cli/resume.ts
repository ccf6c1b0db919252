/** Which session `hamr resume` means. */

/** A word that can only be an id, the beginning of one, or one that was mistyped. */
const ID = /^(?:(?=.*\d)[0-9a-f][0-9a-f-]{3,35}|(?=(?:\D*\d){3})[0-9a-z]{8}(?:-[0-9a-z-]*)?)$/i;

/** Which session the operands of `resume` mean, null for the newest, and what they say more; `-` is standard input. */
export function wanted_of(
  operands: readonly string[],
): { readonly id: string | null; readonly words: readonly string[] } {
  const [first, second = "-"] = operands;
  if (first === undefined) return { id: null, words: [] };
  // An empty word is a variable that holds no id: the newest session was not meant.
  return ID.test(first) || second !== "-" || first.trim() === ""
    ? { id: first, words: operands.slice(1) }
    : { id: null, words: operands };
}
