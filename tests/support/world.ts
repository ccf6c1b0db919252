/** A workspace in which a run, the user and another program change files, and a plain account of who did what. For tests. */
import fc from "fast-check";

/** A file: what it holds and whether it can be run; null: there is none. */
export type Content = string | null;

/** One thing that someone does to a file. */
export interface Deed {
  readonly path: string;
  readonly to: Content;
}

/** What happens, in its order. */
export type Event =
  /** A tool of the run writes a file that it knows. */
  | { readonly kind: "write"; readonly deed: Deed }
  /** A command of the run, and what others do while it lasts. */
  | { readonly kind: "command"; readonly deeds: readonly Deed[] }
  /** Someone else, between two calls. */
  | { readonly kind: "foreign"; readonly deeds: readonly Deed[] };

/** All of one size, so that only times and inodes tell two of them apart. `!`: it can be run. */
const CONTENTS = ["1\n", "2\n", "3\n", "1!", null] as const;
/** A folder cannot be where a file does: those are other tests'. */
const PATHS = ["a", "b", "d/a", "d/e/a", "log/x"] as const;

/** How the workspace is at the start. */
export const START: Readonly<Record<string, string>> = { a: "1\n", b: "2\n", "d/a": "3\n" };

const deed = fc.record({ path: fc.constantFrom(...PATHS), to: fc.constantFrom(...CONTENTS) });
const deeds = fc.array(deed, { maxLength: 3 });

/** Some events. */
export const EVENTS: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    deed.filter(({ to }) => to !== null && !to.endsWith("!"))
      .map((deed): Event => ({ kind: "write", deed })),
    deeds.map((deeds): Event => ({ kind: "command", deeds })),
    deeds.map((deeds): Event => ({ kind: "foreign", deeds })),
  ),
  { minLength: 1, maxLength: 8 },
).map((all) => all.filter((event) => event.kind !== "write" || !is_run(all, event.deed.path)));

/** Whether a file is ever one that can be run: a tool that writes it would leave it so. */
function is_run(all: readonly Event[], path: string): boolean {
  return all.some((event) =>
    event.kind !== "write" && event.deeds.some((deed) => deed.path === path && deed.to === "1!")
  );
}

/** What is to be said of a file that calls have changed. */
interface Own {
  readonly first: Content;
  last: Content;
  /** Someone else changed it between two of the run's changes. */
  mixed: boolean;
}

/** Who did what, without looking. */
export class Account {
  readonly files = new Map<string, Content>(Object.entries(START));
  readonly #own = new Map<string, Own>();
  /** Each change by a call, as `PATH BEFORE AFTER`. */
  readonly facts: string[] = [];

  /** Takes an event. */
  take(event: Event): void {
    const all = event.kind === "write" ? [event.deed] : event.deeds;
    const before = new Map(this.files);
    for (const { path, to } of all) this.files.set(path, to);
    if (event.kind === "foreign") return;
    const paths = [...new Set(all.map(({ path }) => path))].sort();
    for (const path of paths) {
      const [was, is] = [before.get(path) ?? null, this.files.get(path) ?? null];
      if (was !== is) this.#changed(path, was, is);
    }
  }

  #changed(path: string, was: Content, is: Content): void {
    this.facts.push(`${path} ${was} ${is}`);
    const own = this.#own.get(path);
    // Who puts a file back as it was before the run makes an end of what the run did.
    if (own === undefined || (own.first === was && !own.mixed)) {
      this.#own.set(path, { first: was, last: is, mixed: false });
    } else {
      own.mixed ||= own.last !== was;
      own.last = is;
    }
    if (this.#own.get(path)?.first === is) this.#own.delete(path);
  }

  /** The files that calls have changed, and that are not as before. */
  get net(): readonly string[] {
    return [...this.#own].filter(([path, { first }]) => (this.files.get(path) ?? null) !== first)
      .map(([path]) => path).sort();
  }

  /** The files that are not as before the first change by a call, as far as calls know. */
  get left(): readonly string[] {
    return [...this.#own.keys()].sort();
  }

  /** The files as they are to be once the run is undone, without force. */
  get undone(): ReadonlyMap<string, Content> {
    const files = new Map(this.files);
    for (const [path, { first, last, mixed }] of this.#own) {
      if (!mixed && (files.get(path) ?? null) === last) files.set(path, first);
    }
    return files;
  }
}

/** Brings a deed about. */
export function act(workspace: string, { path, to }: Deed): void {
  const full = `${workspace}/${path}`;
  if (to === null) {
    try {
      Deno.removeSync(full);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return;
  }
  Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(full, to);
  Deno.chmodSync(full, to.endsWith("!") ? 0o755 : 0o644);
}

/** The same for a shell. */
export function command_of({ path, to }: Deed): string {
  if (to === null) return `rm -f ${path}`;
  const folder = path.includes("/") ? `mkdir -p ${path.slice(0, path.lastIndexOf("/"))}; ` : "";
  const mode = to.endsWith("!") ? "755" : "644";
  return `${folder}printf '${to.replace("\n", "\\n")}' > ${path}; chmod ${mode} ${path}`;
}

/** All files of a workspace but git's. */
export function files_in(workspace: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, isDirectory } of Deno.readDirSync(`${workspace}/${below}`)) {
    const path = below + name;
    if (name === ".git") continue;
    if (isDirectory) {
      for (const [at, text] of files_in(workspace, `${path}/`)) found.set(at, text);
    } else found.set(path, Deno.readTextFileSync(`${workspace}/${path}`));
  }
  return found;
}

/** Only those that there are. */
export function present(files: ReadonlyMap<string, Content>): ReadonlyMap<string, string> {
  return new Map(
    [...files].flatMap(([path, to]) => to === null ? [] : [[path, to] as const])
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}
