/**
 * Packages for npm and PyPI that carry the binary of one machine: `hamr` is the program itself, nothing starts it, no script runs
 * when it is installed, and nothing is downloaded then.
 */
import { program_name, type Target } from "./pack.ts";

const ABOUT = "A coding agent in one binary, with permissions that the kernel enforces";

/** What machines are called by npm, and by wheels; one for Linux says which glibc it needs. */
const MACHINES: Readonly<
  Record<string, { readonly os: string; readonly cpu: string; readonly wheel: string }>
> = {
  "linux-x64": { os: "linux", cpu: "x64", wheel: "manylinux_2_27_x86_64" },
  "linux-arm64": { os: "linux", cpu: "arm64", wheel: "manylinux_2_27_aarch64" },
  "macos-x64": { os: "darwin", cpu: "x64", wheel: "macosx_11_0_x86_64" },
  "macos-arm64": { os: "darwin", cpu: "arm64", wheel: "macosx_11_0_arm64" },
  "windows-x64": { os: "win32", cpu: "x64", wheel: "win_amd64" },
};

/** What a package is made from. */
export interface Wrapped {
  readonly target: Target;
  readonly version: string;
}

/**
 * Makes `NAME.npm.tgz` of the folder `FOLDER/NAME` beside it. Gives its name.
 * @throws {Error} where tar fails.
 */
export async function npm_package(
  folder: string,
  name: string,
  { target, version }: Wrapped,
): Promise<string> {
  const { os, cpu } = machine(target);
  const program = program_name(target);
  const about = {
    ...{ name: `hamr-${target.name}`, version, description: ABOUT, license: "MIT" },
    ...{ os: [os], cpu: [cpu], bin: { hamr: program }, files: [program] },
    ...(os === "linux" ? { libc: ["glibc"] } : {}),
  };
  const file = `${name}.npm.tgz`;
  await in_scratch(async (scratch) => {
    Deno.mkdirSync(`${scratch}/package`);
    Deno.writeTextFileSync(
      `${scratch}/package/package.json`,
      `${JSON.stringify(about, null, 2)}\n`,
    );
    copy(`${folder}/${name}`, `${scratch}/package`, [program, "LICENSE", "README.md"]);
    const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    const by = "--use-compress-program=gzip -9 -n";
    await must("tar", [...same, by, "-cf", real(folder, file), "package"], scratch);
  });
  return file;
}

/**
 * Makes a wheel of the folder `FOLDER/NAME` beside it, by the `python3` of this machine. Gives its name.
 * @throws {Error} where python3 fails.
 */
export async function wheel(
  folder: string,
  name: string,
  { target, version }: Wrapped,
): Promise<string> {
  const tag = `py3-none-${machine(target).wheel}`;
  const file = `hamr-${version}-${tag}.whl`;
  const program = program_name(target);
  await in_scratch(async (scratch) => {
    const info = `hamr-${version}.dist-info`;
    const scripts = `hamr-${version}.data/scripts`;
    for (const path of [`${info}/licenses`, scripts]) {
      Deno.mkdirSync(`${scratch}/${path}`, { recursive: true });
    }
    copy(`${folder}/${name}`, `${scratch}/${scripts}`, [program]);
    copy(`${folder}/${name}`, `${scratch}/${info}/licenses`, ["LICENSE"]);
    const readme = Deno.readTextFileSync(`${folder}/${name}/README.md`);
    const texts = {
      METADATA: `Metadata-Version: 2.4\nName: hamr\nVersion: ${version}\nSummary: ${ABOUT}\n` +
        "License-Expression: MIT\nLicense-File: LICENSE\n" +
        `Description-Content-Type: text/markdown\n\n${readme}`,
      WHEEL: `Wheel-Version: 1.0\nGenerator: hamr\nRoot-Is-Purelib: false\nTag: ${tag}\n`,
    };
    for (const [one, text] of Object.entries(texts)) {
      Deno.writeTextFileSync(`${scratch}/${info}/${one}`, text);
    }
    const listed = [`${scripts}/${program}`];
    for (const one of [...Object.keys(texts), "licenses/LICENSE"]) listed.push(`${info}/${one}`);
    const record: string[] = [];
    for (const path of listed) {
      const bytes = Deno.readFileSync(`${scratch}/${path}`);
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
        .toBase64({ alphabet: "base64url", omitPadding: true });
      record.push(`${path},sha256=${digest},${bytes.length}\n`);
    }
    Deno.writeTextFileSync(`${scratch}/${info}/RECORD`, `${record.join("")}${info}/RECORD,,\n`);
    // The same files make the same wheel; zip knows no time before 1980.
    const year_2000 = 946_684_800;
    const folders = [info, `${info}/licenses`, `hamr-${version}.data`, scripts];
    for (const path of [...listed, `${info}/RECORD`, ...folders]) {
      Deno.utimeSync(`${scratch}/${path}`, year_2000, year_2000);
    }
    const both = [`hamr-${version}.data`, info];
    await must("python3", ["-m", "zipfile", "-c", real(folder, file), ...both], scratch);
  });
  return file;
}

function machine({ name }: Target) {
  const known = MACHINES[name];
  if (known === undefined) throw new TypeError(`no package knows ${name}`);
  return known;
}

function copy(from: string, to: string, names: readonly string[]): void {
  for (const name of names) Deno.copyFileSync(`${from}/${name}`, `${to}/${name}`);
}

function real(folder: string, file: string): string {
  return `${Deno.realPathSync(folder)}/${file}`;
}

async function in_scratch(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_wrapper_" });
  try {
    await body(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args: [...args], cwd }).output();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr).trim()}`);
}
