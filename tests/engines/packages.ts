/** The packages of a release, made by nfpm; the one for Debian is installed. */
import assert from "node:assert/strict";
import { man_page } from "../../scripts/release/man.ts";
import { packages } from "../../scripts/release/pack.ts";
import { debian, go_program, run } from "./tools.ts";

Deno.test("the .deb is one that dpkg installs, below a root of its own, and removes again", async () => {
  const nfpm = await go_program("github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.1");
  if (nfpm === null || !await debian("dpkg", "dpkg")) return;
  const folder = Deno.makeTempDirSync({ prefix: "hamr_packages_" });
  try {
    const name = `hamr-1.2.3-linux-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
    Deno.mkdirSync(`${folder}/${name}`);
    const program = "#!/bin/sh\necho hamr 1.2.3\n";
    Deno.writeTextFileSync(`${folder}/${name}/hamr`, program, { mode: 0o755 });
    Deno.writeTextFileSync(`${folder}/${name}/LICENSE`, "MIT\n");
    Deno.writeTextFileSync(`${folder}/${name}/hamr.1`, man_page());
    const made = await packages(folder, name, { version: "1.2.3", nfpm });
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
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
