/** Names as file systems compare them that ignore case or spelling. */

/** Printable ASCII without capitals: as good as every name. */
const PLAIN = /^[\x20-\x40\x5b-\x7e]*$/;
const ASCII = /^[\x20-\x7e]*$/;
/** Left out by some (APFS, HFS+, ext4's casefold): joiners, marks of direction, soft hyphens. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** A name without case and unseen marks, in one Unicode form: equal for names that some file system takes for the same, and maybe others. */
export function folded(name: string): string {
  if (PLAIN.test(name)) return name;
  if (ASCII.test(name)) return name.toLowerCase();
  return name.normalize("NFKD").replace(UNSEEN, "").toUpperCase().toLowerCase().normalize("NFKD");
}
