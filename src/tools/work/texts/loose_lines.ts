/** Matches lines that differ only in whitespace. */

interface Fit {
  /** Places, as numbers of their first lines, from 0. */
  readonly at: readonly number[];
  /** They are the same except for whitespace. */
  readonly loose: boolean;
}

/** How lines are compared, the strictest first (as codex-rs/apply-patch/src/seek_sequence.rs, and one more). The first that finds any place decides. */
const COMPARED: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => line.replace(/\s+/g, ""),
];

/** Finds where lines stand among `lines`, from the line `from` on. Blank lines alone fit nowhere but to the letter. */
export function fitter(
  lines: readonly string[],
): (wanted: readonly string[], from?: number) => Fit {
  const compared: (readonly string[])[] = [];
  return (wanted, from = 0) => {
    const blank = wanted.every((line) => line.trim() === "");
    for (const [level, as] of COMPARED.entries()) {
      if (level > 0 && blank) break;
      const at = find_all(compared[level] ??= lines.map(as), wanted.map(as), from);
      if (at.length > 0) return { at, loose: level > 0 };
    }
    return { at: [], loose: false };
  };
}

/** Where `wanted` stands in `all`, overlapping too, each part looked at about twice however alike they are (Knuth, Morris, Pratt). */
export function find_all(
  all: string | readonly string[],
  wanted: string | readonly string[],
  from = 0,
): number[] {
  /** How many lines at the beginning of `wanted` are also those before the nth. */
  const again = [0, 0];
  const longer = (part: string | undefined, fit: number) => {
    while (fit > 0 && (fit === wanted.length || wanted[fit] !== part)) fit = again[fit] ?? 0;
    return wanted[fit] === part ? fit + 1 : 0;
  };
  for (let n = 1; n < wanted.length; n++) again.push(longer(wanted[n], again[n] ?? 0));
  const at: number[] = [];
  let fit = 0;
  for (let n = from; n < all.length; n++) {
    if (fit === 0 && (n = all.indexOf(wanted[0]!, n)) < 0) break;
    fit = longer(all[n], fit);
    if (fit === wanted.length) at.push(n + 1 - fit);
  }
  return at;
}

/** `fresh` with the indentation of the file's lines instead of that of `wanted`. Null if the right one can't be told. */
export function reindented(
  fresh: readonly string[],
  { wanted, found }: { wanted: readonly string[]; found: readonly string[] },
): readonly string[] | null {
  const known = new Map<string, string>();
  for (const [n, line] of wanted.entries()) {
    if (line.trim() === "") continue;
    const [theirs, ours] = [indent(line), indent(found[n] ?? "")];
    if ((known.get(theirs) ?? ours) !== ours) return null;
    known.set(theirs, ours);
  }
  const out: string[] = [];
  for (const line of fresh) {
    const ours = line.trim() === "" ? indent(line) : indentation_of(indent(line), known);
    if (ours === null) return null;
    out.push(ours + line.slice(indent(line).length));
  }
  return out;
}

function indent(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** By the deepest known indentation that this one begins with: what is more is kept, unless the file uses other characters. */
function indentation_of(theirs: string, known: ReadonlyMap<string, string>): string | null {
  const exact = known.get(theirs);
  if (exact !== undefined) return exact;
  const base = [...known.keys()].filter((one) => theirs.startsWith(one))
    .reduce<string | null>((a, b) => a === null || b.length > a.length ? b : a, null);
  if (base === null) {
    // Shallower than any: by as much as the shallowest is moved.
    const [one, ours] = [...known][0] ?? ["", ""];
    const cut = one.length - theirs.length;
    return one.startsWith(theirs) && ours.length >= cut && ours.endsWith(one.slice(theirs.length))
      ? ours.slice(0, ours.length - cut)
      : null;
  }
  const more = theirs.slice(base.length);
  const ours = known.get(base) ?? "";
  const mixed = /\t/.test(more) ? / /.test(ours) : /\t/.test(ours);
  return mixed ? null : ours + more;
}
