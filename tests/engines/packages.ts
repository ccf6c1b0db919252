/** The packages of a release, made by nfpm; the one for Debian is installed. */
import assert from "node:assert/strict";
import { man_page } from "../../scripts/release/man.ts";
import { packages, TARGETS } from "../../scripts/release/pack.ts";
import { npm_package, wheel } from "../../scripts/release/wrappers.ts";
import { debian, nfpm, run, skip } from "./tools.ts";

Deno.test("the .deb and the .rpm are installed below a root of their own, and removed again", async () => {
  const packer = await nfpm();
  if (packer === null || !await debian("dpkg", "dpkg")) return;
  const folder = Deno.makeTempDirSync({ prefix: "hamr_packages_" });
  try {
    const name = `hamr-1.2.3-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
    Deno.mkdirSync(`${folder}/${name}`);
    const program = "#!/bin/sh\necho hamr 1.2.3\n";
    Deno.writeTextFileSync(`${folder}/${name}/hamr`, program, { mode: 0o755 });
    Deno.writeTextFileSync(`${folder}/${name}/LICENSE`, "MIT\n");
    Deno.writeTextFileSync(`${folder}/${name}/hamr.1`, man_page());
    const made = await packages(folder, name, { version: "1.2.3", nfpm: packer });
    assert.deepEqual(made, [`${name}.deb`, `${name}.rpm`]);
    const root = `${folder}/root`;
    Deno.mkdirSync(`${root}/var/lib/dpkg/info`, { recursive: true });
    Deno.mkdirSync(`${root}/var/lib/dpkg/updates`);
    Deno.writeTextFileSync(`${root}/var/lib/dpkg/status`, "");
    const dpkg = ["dpkg", `--root=${root}`, "--force-depends", "--force-not-root"];
    const log = ["--log=/dev/null"];
    const installed = await run([...dpkg, ...log, "-i", `${folder}/${name}.deb`]);
    assert.equal(installed.code, 0, installed.err);
    assert.equal((await run([`${root}/usr/bin/hamr`])).out, "hamr 1.2.3\n");
    const about = await run(["dpkg", `--root=${root}`, "-s", "hamr"]);
    assert.match(about.out, /Version: 1\.2\.3\n[^]*Depends: libc6 \(>= 2\.27\)/);
    assert.equal((await run([...dpkg, ...log, "-r", "hamr"])).code, 0);
    assert.throws(() => Deno.statSync(`${root}/usr/bin/hamr`));
    if (!await debian("rpm", "rpm")) return;
    const rpm = ["rpm", "--root", `${folder}/red`, "--nodeps", "--ignorearch"];
    const red = await run([...rpm, "-i", `${folder}/${name}.rpm`]);
    assert.equal(red.code, 0, red.err);
    assert.equal((await run([`${folder}/red/usr/bin/hamr`])).out, "hamr 1.2.3\n");
    const needs = await run([...rpm.slice(0, 3), "-q", "--requires", "hamr"]);
    assert.match(needs.out, /^glibc >= 2\.27$/m);
    assert.equal((await run([...rpm.slice(0, 4), "-e", "hamr"])).code, 0);
    assert.throws(() => Deno.statSync(`${folder}/red/usr/bin/hamr`));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("the packages for npm and PyPI install the program itself, from files and without a network", async () => {
  const machine = Deno.build.arch === "aarch64" ? "linux-arm64" : "linux-x64";
  const target = TARGETS.find(({ name }) => name === machine)!;
  const folder = Deno.makeTempDirSync({ prefix: "hamr_wrappers_" });
  try {
    const name = `hamr-1.2.3-${machine}`;
    Deno.mkdirSync(`${folder}/${name}`);
    const program = "#!/bin/sh\necho hamr 1.2.3 $*; exit 3\n";
    Deno.writeTextFileSync(`${folder}/${name}/hamr`, program, { mode: 0o755 });
    for (const file of ["LICENSE", "README.md"]) {
      Deno.writeTextFileSync(`${folder}/${name}/${file}`, `# ${file}\n`);
    }
    const env = { HOME: `${folder}/home`, PATH: Deno.env.get("PATH") ?? "" };
    const bytes = (file: string) => Deno.readFileSync(`${folder}/${file}`).toHex();
    const made = await npm_package(folder, name, { target, version: "1.2.3" });
    const first = bytes(made);
    await npm_package(folder, name, { target, version: "1.2.3" });
    assert.equal(bytes(made), first, "the same files make the same package");
    const npm = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", folder];
    const by_npm = await run([...npm, `${folder}/${made}`], { env, clearEnv: true });
    if (by_npm.code === 127) skip("npm", by_npm.err);
    else {
      assert.equal(by_npm.code, 0, by_npm.err);
      const { code, out } = await run([`${folder}/node_modules/.bin/hamr`, "run", "x"]);
      assert.deepEqual([code, out], [3, "hamr 1.2.3 run x\n"]);
    }
    const venv = await run(["python3", "-m", "venv", `${folder}/venv`]);
    if (venv.code !== 0) return void skip("python3", venv.err);
    const whl = await wheel(folder, name, { target, version: "1.2.3" });
    const whole = bytes(whl);
    await wheel(folder, name, { target, version: "1.2.3" });
    assert.equal(bytes(whl), whole, "the same files make the same wheel");
    const pip = [`${folder}/venv/bin/pip`, "install", "--no-index", `${folder}/${whl}`];
    const by_pip = await run(pip, { env, clearEnv: true });
    assert.equal(by_pip.code, 0, by_pip.err);
    const { code, out } = await run([`${folder}/venv/bin/hamr`, "run", "x"]);
    assert.deepEqual([code, out], [3, "hamr 1.2.3 run x\n"]);
    const removed = await run([`${folder}/venv/bin/pip`, "uninstall", "-y", "hamr"], {
      env,
      clearEnv: true,
    });
    assert.equal(removed.code, 0, removed.err);
    assert.throws(() => Deno.statSync(`${folder}/venv/bin/hamr`));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
