/** What a release is made of: archives, their sums, and what went into them. */

/** A machine that there is a binary for. */
export interface Target {
  /** As archives call it, and `install.sh`. */
  readonly name: string;
  /** As `deno compile --target` does. */
  readonly triple: string;
}

/** Every one. */
export const TARGETS: readonly Target[] = [
  { name: "linux-x64", triple: "x86_64-unknown-linux-gnu" },
  { name: "linux-arm64", triple: "aarch64-unknown-linux-gnu" },
  { name: "macos-x64", triple: "x86_64-apple-darwin" },
  { name: "macos-arm64", triple: "aarch64-apple-darwin" },
  { name: "windows-x64", triple: "x86_64-pc-windows-msvc" },
];

/** Why `deno compile` failed, as it said in the end, without a number and what a backtrace adds. */
export function cause_of(said: string): string {
  const [words = ""] = said.split(/^Stack backtrace:/m);
  const last = words.split("\n").findLast((line) => line.trim() !== "") ?? "no reason was given";
  return last.trim().replace(/^\d+: /, "");
}

/** The name of the program in an archive. */
export function program_name({ name }: Target): string {
  return name.startsWith("windows") ? "hamr.exe" : "hamr";
}

/**
 * Packs the folder `FOLDER/NAME` into `NAME.tar.xz` and `NAME.tar.gz` beside it: the same bytes from the same files, whoever packs
 * them. Windows unpacks both, too.
 * @throws {Error} where tar fails; it has said why.
 */
export async function pack(folder: string, name: string): Promise<readonly string[]> {
  const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
  const files: string[] = [];
  for (const [kind, by] of [["tar.xz", "xz -6 -T0"], ["tar.gz", "gzip -9 -n"]] as const) {
    const file = `${name}.${kind}`;
    const args = [...same, `--use-compress-program=${by}`, "-cf", file, name];
    const { success } = await new Deno.Command("tar", { args, cwd: folder }).spawn().status;
    if (!success) throw new Error(`tar can't make ${file}`);
    files.push(file);
  }
  return files;
}

/**
 * Makes `.deb` and `.rpm` of the folder `FOLDER/NAME` beside it, by the program `nfpm`. Gives their names.
 * @throws {Error} where nfpm fails, with what it said.
 */
export async function packages(
  folder: string,
  name: string,
  { version, nfpm }: { readonly version: string; readonly nfpm: string },
): Promise<readonly string[]> {
  const at = `${folder}/${name}`;
  const config = {
    ...{ name: "hamr", version, platform: "linux", section: "utils", license: "MIT" },
    arch: name.endsWith("arm64") ? "arm64" : "amd64",
    maintainer: "The hamr maintainers",
    description: "A coding agent in one binary, with permissions that the kernel enforces",
    recommends: ["bash", "git"],
    overrides: { deb: { depends: ["libc6 (>= 2.27)"] }, rpm: { depends: ["glibc >= 2.27"] } },
    contents: [
      { src: `${at}/hamr`, dst: "/usr/bin/hamr", file_info: { mode: 0o755 } },
      { src: `${at}/LICENSE`, dst: "/usr/share/doc/hamr/copyright", file_info: { mode: 0o644 } },
      { src: `${at}/hamr.1`, dst: "/usr/share/man/man1/hamr.1", file_info: { mode: 0o644 } },
    ],
  };
  // JSON is YAML.
  const file = `${folder}/${name}.nfpm.yaml`;
  Deno.writeTextFileSync(file, JSON.stringify(config));
  const made: string[] = [];
  try {
    for (const kind of ["deb", "rpm"]) {
      const args = ["package", "--config", file, "--packager", kind, "--target", `${at}.${kind}`];
      const { success, stderr } = await new Deno.Command(nfpm, { args }).output();
      if (!success) throw new Error(`nfpm: ${new TextDecoder().decode(stderr).trim()}`);
      made.push(`${name}.${kind}`);
    }
  } finally {
    Deno.removeSync(file);
  }
  return made;
}

/** The lines of `SHA256SUMS` for files of a folder, as `sha256sum -c` reads them. */
export async function sums(folder: string, files: readonly string[]): Promise<string> {
  const lines = files.toSorted().map(async (file) => {
    const digest = await crypto.subtle.digest("SHA-256", Deno.readFileSync(`${folder}/${file}`));
    return `${new Uint8Array(digest).toHex()}  ${file}\n`;
  });
  return (await Promise.all(lines)).join("");
}

/** An archive of a release, as other managers of packages name it. */
export interface Archive {
  /** One of `TARGETS`. */
  readonly target: string;
  readonly file: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Those that every system unpacks by itself; `listed`: lines of SHA256SUMS. */
export function archives_of(listed: string, version: string): readonly Archive[] {
  const lines = listed.split("\n");
  return TARGETS.flatMap(({ name }) => {
    const file = `hamr-${version}-${name}.tar.gz`;
    const sha256 = lines.find((line) => line.endsWith(`  ${file}`))?.slice(0, 64);
    return sha256 === undefined ? [] : [{ target: name, file, sha256 }];
  });
}

/** `install.sh` for one release: it knows its version, and where its files are. */
export function installer(text: string, about: Installed): string {
  const own = text.replace(/^version=.*$/m, `version=${about.version}`);
  const { url } = about;
  return url === undefined
    ? own
    : own.replace(/^from=.*$/m, () => `from=\${HAMR_RELEASES:-'${url.replaceAll("'", "")}'}`);
}

/** `install.ps1`, likewise. */
export function windows_installer(text: string, { version, url }: Installed): string {
  const own = text.replace(/(?<=\$Version = )'.*'/, `'${version}'`);
  return url === undefined ? own : own.replace(
    "$env:HAMR_RELEASES,",
    () =>
      `$(if ($env:HAMR_RELEASES) { $env:HAMR_RELEASES } else { '${url.replaceAll("'", "")}' }),`,
  );
}

/** What an installer knows of its release. */
interface Installed {
  readonly version: string;
  /** Where the files are; {version} stands for the version. */
  readonly url: string | undefined;
}

/** A part of `deno.lock`. */
interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity?: string }>>;
}

/**
 * A CycloneDX list of the packages in `deno.lock`, and of Deno. No tool makes a true one of it: cdxgen 12.8.4 takes what a
 * package was resolved with for a part of its version, and makes up where it is from.
 */
export function sbom(
  lock: Lock,
  { version, deno }: { readonly version: string; readonly deno: string },
): Record<string, unknown> {
  const packages = Object.entries(lock.npm).map(([key, { integrity }]) => {
    // Behind the version stands what it was resolved with: `a@1.0.0_b@2.0.0`.
    const [, name = "", resolved = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
    const purl = `pkg:npm/${name.replace("@", "%40")}@${resolved}`;
    const [algorithm, digest] = (integrity ?? "").split("-");
    const hashes = algorithm === "sha512" && digest !== undefined
      ? { hashes: [{ alg: "SHA-512", content: Uint8Array.fromBase64(digest).toHex() }] }
      : {};
    return { type: "library", "bom-ref": purl, name, version: resolved, purl, ...hashes };
  });
  const unique = new Map(packages.map((one) => [one.purl, one]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": "hamr", name: "hamr", version },
    },
    components: [
      { type: "platform", "bom-ref": "deno", name: "deno", version: deno },
      ...unique.values(),
    ],
  };
}
