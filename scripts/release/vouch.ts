/** What vouches for a release: a signature of its sums, and where its files come from. */

/** What signatures are for: one made for anything else does not count. `install.sh` says the same. */
export const NAMESPACE = "hamr-release";

/**
 * Signs a file with a key of OpenSSH: `FILE.sig` beside it. `ssh-keygen` is on every machine, and needs no network to check it.
 * @throws {Error} where ssh-keygen fails, with what it said.
 */
export async function sign(file: string, key: string): Promise<void> {
  try {
    Deno.removeSync(`${file}.sig`);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const args = ["-Y", "sign", "-q", "-n", NAMESPACE, "-f", key, file];
  const { success, stderr } = await new Deno.Command("ssh-keygen", { args, stdin: "null" })
    .output();
  if (!success) throw new Error(`ssh-keygen: ${new TextDecoder().decode(stderr).trim()}`);
}

/** What a release was made from. */
export interface Source {
  /** Null where it is no git repository. */
  readonly commit: string | null;
  /** Whether files differed from that commit. */
  readonly changed: boolean;
}

/** The commit that is checked out at `root`. */
export async function source_of(root: string): Promise<Source> {
  const git = async (...args: string[]) => {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", root, ...args],
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  };
  const status = await git("status", "--porcelain", "--untracked-files=no");
  return { commit: await git("rev-parse", "HEAD"), changed: status !== "" };
}

/** An in-toto statement with a SLSA provenance; `sums` is the text of `SHA256SUMS` for what it is about. */
export function provenance(
  sums: string,
  { source, version, deno, builder }: {
    readonly source: Source;
    readonly version: string;
    readonly deno: string;
    /** Where it was built, as the pipeline calls it. */
    readonly builder: string;
  },
): Record<string, unknown> {
  const subject = sums.trimEnd().split("\n").map((line) => {
    const [sha256 = "", name = ""] = line.split("  ");
    return { name, digest: { sha256 } };
  });
  const { commit, changed } = source;
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject,
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:hamr:deno-task-release",
        externalParameters: { version },
        internalParameters: { changed },
        resolvedDependencies: [
          ...(commit === null ? [] : [{ name: "source", digest: { gitCommit: commit } }]),
          { name: "deno", annotations: { version: deno } },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}
