import type { BlockPlace, BlockProgress, BlockReader, Dialect, ParsedCall } from "./dialect.ts";

/** A block as the dialect that can read it has read it. */
type BlockOutcome = Exclude<BlockProgress, { kind: "block" }> | {
  readonly kind: "block";
  readonly found: readonly (ParsedCall & { readonly dialect: string })[];
  readonly rest: string;
  readonly dropped?: true;
};

interface Candidate {
  readonly name: string;
  readonly reader: BlockReader;
  progress: BlockProgress;
}

/** The dialects that share an opening, all reading. The first of them that can make something of the block has it. */
export class Candidates {
  #all: Candidate[];

  constructor(
    readonly opening: string,
    { dialects, place }: { dialects: readonly Dialect[]; place: BlockPlace },
  ) {
    this.#all = dialects.map((dialect) => ({
      name: dialect.name,
      reader: dialect.begin(opening, place),
      progress: { kind: "open" },
    }));
  }

  push(text: string): BlockOutcome {
    for (const one of this.#all) one.progress = pushed(one, text);
    return this.#outcome();
  }

  end(cut: boolean): BlockOutcome {
    for (const one of this.#all) {
      if (one.progress.kind === "open") one.progress = one.reader.end(cut);
    }
    return this.#outcome();
  }

  #outcome(): BlockOutcome {
    const first = this.#all.find(({ progress }) => progress.kind !== "text") ??
      this.#all.find(({ progress }) => progress.kind === "text" && progress.shown !== undefined) ??
      this.#all[0];
    if (first === undefined || first.progress.kind !== "block") {
      return first?.progress as BlockOutcome;
    }
    const { found, ...rest } = first.progress;
    return { ...rest, found: found.map((one) => ({ ...one, dialect: first.name })) };
  }
}

/** What follows a block that one has read waits for those before it. */
function pushed({ progress, reader }: Candidate, text: string): BlockProgress {
  switch (progress.kind) {
    case "open":
      return reader.push(text);
    case "text":
      return { ...progress, body: progress.body + text };
    case "block":
      return { ...progress, rest: progress.rest + text };
    case "cut":
      return progress;
  }
}
