/**
 * Makes a release: a binary for each machine in an archive, SHA256SUMS, an SBOM, and the installer that knows them.
 *
 *     deno task release [--to DIR] [--targets linux-x64,...] [--url URL] [--nfpm FILE] [--wrappers] [--sign KEY] [--builder URI]
 *
 * `--url` is where the files will be ({version} stands for the version): the installers take them from there, and so do the formula
 * for Homebrew, `hamr.rb`, and the package for Nix, `hamr.nix`. With `--nfpm`, the
 * program of that name, there is a .deb and an .rpm for Linux, too; with `--wrappers` a package for npm and a wheel (by tar and
 * python3); with `--sign`, a key of OpenSSH, a signature of SHA256SUMS. `--builder` is who builds, for the provenance. A target whose
 * runtime is not available is named in a line, and the exit code is 1.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formula } from "./formula.ts";
import { man_page } from "./man.ts";
import {
  cause_of,
  installer,
  pack,
  packages,
  program_name,
  sbom,
  sums,
  type Target,
  TARGETS,
  windows_installer,
} from "./pack.ts";
import { provenance, sign, source_of } from "./vouch.ts";
import { nix_package } from "./nix.ts";
import { npm_package, wheel } from "./wrappers.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

/** Compiles for one machine; null, or why not. */
async function compiled(target: Target, output: string): Promise<string | null> {
  const native = target.triple === Deno.build.target;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", `${ROOT}scripts/compile.ts`, "--output", output],
      ...(native ? [] : ["--target", target.triple]),
    ],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success) return null;
  return `not made here: ${cause_of(new TextDecoder().decode(stderr))}`;
}

/** The version of Deno in them, which may not be the one that runs this. */
async function deno_of_binaries(): Promise<string> {
  const other = Deno.env.get("DENO_2_6");
  if (other === undefined) return Deno.version.deno;
  const { stdout } = await new Deno.Command(other, { args: ["--version"] }).output();
  return /^deno (\S+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? Deno.version.deno;
}

async function release(): Promise<number> {
  const { values } = parseArgs({
    options: {
      to: { type: "string", default: "dist" },
      targets: { type: "string", default: TARGETS.map(({ name }) => name).join(",") },
      url: { type: "string" },
      nfpm: { type: "string" },
      wrappers: { type: "boolean", default: false },
      sign: { type: "string" },
      builder: { type: "string", default: "urn:hamr:by-hand" },
    },
  });
  const { to, url, nfpm, builder } = values;
  const { version } = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.json`));
  const wanted = values.targets.split(",");
  const unknown = wanted.find((name) => TARGETS.every((target) => target.name !== name));
  if (unknown !== undefined) {
    print(
      `--targets: there is no ${unknown}; known: ${TARGETS.map(({ name }) => name).join(", ")}`,
    );
    return 3;
  }
  Deno.mkdirSync(to, { recursive: true });
  const files: string[] = [];
  let missing = 0;
  for (const target of TARGETS.filter(({ name }) => wanted.includes(name))) {
    const name = `hamr-${version}-${target.name}`;
    Deno.mkdirSync(`${to}/${name}`, { recursive: true });
    const why = await compiled(target, `${to}/${name}/${program_name(target)}`);
    if (why === null) {
      for (const file of ["LICENSE", "README.md"]) {
        Deno.copyFileSync(`${ROOT}${file}`, `${to}/${name}/${file}`);
      }
      Deno.writeTextFileSync(`${to}/${name}/hamr.1`, man_page());
      files.push(...await pack(to, name));
      if (nfpm !== undefined && target.name.startsWith("linux")) {
        files.push(...await packages(to, name, { version, nfpm }));
      }
      if (values.wrappers) {
        files.push(await npm_package(to, name, { target, version }));
        files.push(await wheel(to, name, { target, version }));
      }
    } else {
      missing++;
    }
    print(why === null ? `✓ ${target.name}` : `✗ ${target.name}: ${why}`);
    Deno.removeSync(`${to}/${name}`, { recursive: true });
  }
  const lock = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.lock`));
  const deno = await deno_of_binaries();
  const bom = sbom(lock, { version, deno });
  Deno.writeTextFileSync(`${to}/sbom.cdx.json`, `${JSON.stringify(bom, null, 2)}\n`);
  for (
    const [file, own] of [["install.sh", installer], ["install.ps1", windows_installer]] as const
  ) {
    const text = own(Deno.readTextFileSync(`${ROOT}${file}`), { version, url });
    Deno.writeTextFileSync(`${to}/${file}`, text, { mode: 0o755 });
  }
  const source = await source_of(ROOT);
  const from = provenance(await sums(to, files), { source, version, deno, builder });
  Deno.writeTextFileSync(`${to}/provenance.json`, `${JSON.stringify(from, null, 2)}\n`);
  const listed = [...files, "sbom.cdx.json", "provenance.json", "install.sh", "install.ps1"];
  if (url !== undefined) {
    const archives = await sums(to, files);
    for (const [file, text_of] of [["hamr.rb", formula], ["hamr.nix", nix_package]] as const) {
      const text = text_of(archives, { version, url });
      if (text === null) continue;
      Deno.writeTextFileSync(`${to}/${file}`, text);
      listed.push(file);
    }
  }
  Deno.writeTextFileSync(`${to}/SHA256SUMS`, await sums(to, listed));
  if (values.sign !== undefined) await sign(`${to}/SHA256SUMS`, values.sign);
  const signature = values.sign === undefined ? [] : ["SHA256SUMS.sig"];
  print(`${to}: ${[...listed, "SHA256SUMS", ...signature].join(", ")}`);
  return missing === 0 ? 0 : 1;
}

Deno.exitCode = await release();
