/** .github/workflows/release.yml, run by act as far as the publishing; what it made is installed. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { deno_dir } from "../support/hamr.ts";
import { windows_installer } from "../../scripts/release/pack.ts";
import { act, debian, nfpm, npm_modules, run, skip } from "./tools.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MACHINE = Deno.build.arch === "aarch64" ? "linux-arm64" : "linux-x64";

Deno.test("act runs the release: binary, packages, sums and signature, and install.sh takes them", async () => {
  const engine = await act();
  const packer = await nfpm();
  if (engine === null || packer === null || !await debian("xz", "xz-utils")) return;
  const missing = ["DENORT_BIN", "DENO_2_6"].filter((name) => !Deno.env.has(name));
  if (missing.length > 0) return void skip("release.yml", `no runtime: set ${missing.join(", ")}`);
  const folder = Deno.makeTempDirSync({ prefix: "hamr_act_" });
  try {
    const tree = `${folder}/tree`;
    const git = async (...args: string[]) => {
      const { code, out, err } = await run(["git", ...args]);
      assert.equal(code, 0, err);
      return out.trim();
    };
    await git("clone", "-q", "--no-hardlinks", ROOT, tree);
    await git("-C", tree, "tag", "v0.1.0");
    await git("-C", tree, "remote", "set-url", "origin", "git@github.com:team/hamr.git");
    // The tests are what started this.
    const path = `${tree}/.github/workflows/release.yml`;
    const text = Deno.readTextFileSync(path);
    assert.match(text, /^ {4}needs: test$/m);
    const dist = `${folder}/dist`;
    // act clears up behind itself.
    const kept = text.replace("    needs: test\n", "").replaceAll(/(--to|cd) dist/g, `$1 ${dist}`);
    Deno.writeTextFileSync(path, kept);
    // The event, too, says which tag was pushed.
    Deno.writeTextFileSync(`${folder}/event.json`, JSON.stringify({ ref: "refs/tags/v0.1.0" }));
    const key = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", `${folder}/key`];
    assert.equal((await run(["ssh-keygen", ...key])).code, 0);
    // Not on the command line: everybody on the machine can read that.
    const secrets = { HAMR_RELEASE_KEY: Deno.readTextFileSync(`${folder}/key`).trim() };
    Deno.writeTextFileSync(`${folder}/secrets.yml`, JSON.stringify(secrets), { mode: 0o600 });
    const { code, out, err } = await run([
      ...[engine, "push", "-j", "release", "-P", "ubuntu-latest=-self-hosted"],
      ...["--eventpath", `${folder}/event.json`, "--var", `HAMR_RELEASE_TARGETS=${MACHINE}`],
      ...["--secret-file", `${folder}/secrets.yml`],
      ...["DENORT_BIN", "DENO_2_6", "PATH", "HOME"].flatMap((name) => {
        const value = Deno.env.get(name);
        return value === undefined ? [] : ["--env", `${name}=${value}`];
      }),
      ...["--env", `DENO_DIR=${deno_dir()}`],
    ], { cwd: tree, env: { XDG_CACHE_HOME: `${folder}/cache` } });
    assert.equal(code, 0, out + err);
    // A key that a log shows is lost.
    assert.doesNotMatch(out + err, /BEGIN OPENSSH|b3BlbnNzaC1rZXk/);
    const names = [...Deno.readDirSync(dist)].map(({ name }) => name).sort();
    const arch = MACHINE.endsWith("arm64") ? "aarch64" : "x86_64";
    assert.deepEqual(names, [
      ...["SHA256SUMS", "SHA256SUMS.sig"],
      `hamr-0.1.0-${MACHINE}.deb`,
      `hamr-0.1.0-${MACHINE}.npm.tgz`,
      `hamr-0.1.0-${MACHINE}.rpm`,
      `hamr-0.1.0-${MACHINE}.tar.gz`,
      `hamr-0.1.0-${MACHINE}.tar.xz`,
      `hamr-0.1.0-py3-none-manylinux_2_27_${arch}.whl`,
      ...["hamr.nix", "hamr.rb", "install.ps1", "install.sh"],
      ...["provenance.json", "sbom.cdx.json"],
    ]);
    const { subject, predicate } = JSON.parse(Deno.readTextFileSync(`${dist}/provenance.json`));
    assert.equal(subject.length, 6);
    const [source] = predicate.buildDefinition.resolvedDependencies;
    assert.equal(source.digest.gitCommit, await git("-C", tree, "rev-parse", "HEAD"));
    assert.match(predicate.runDetails.builder.id, /team\/hamr\/actions\/runs\/\d+$/);
    Deno.writeTextFileSync(
      `${folder}/signers`,
      `hamr ${Deno.readTextFileSync(`${folder}/key.pub`)}`,
    );
    const installed = await run([
      ...["sh", `${dist}/install.sh`, "--from", dist, "--to", `${folder}/bin`],
      ...["--signers", `${folder}/signers`],
    ]);
    assert.equal(installed.code, 0, installed.err);
    assert.equal((await run([`${folder}/bin/hamr`, "--version"])).out, "hamr 0.1.0\n");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

/** Prints the lines that are no PowerShell. */
const PARSE = `
  const [modules] = Deno.args;
  const { Language, Parser } = await import(\`file://\${modules}/web-tree-sitter/web-tree-sitter.js\`);
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(\`\${modules}/tree-sitter-powershell/tree-sitter-powershell.wasm\`));
  const look = (node) => {
    if (node.type === "ERROR" || node.isMissing) console.log(node.startPosition.row + 1, node.text);
    node.children.forEach(look);
  };
  look(parser.parse(await new Response(Deno.stdin.readable).text()).rootNode);
`;

Deno.test("install.ps1 is PowerShell, also with what a release writes into it", async () => {
  const grammar = ["web-tree-sitter@0.27.1", "tree-sitter-powershell@0.26.4"];
  const wasm = "tree-sitter-powershell/tree-sitter-powershell.wasm";
  const modules = await npm_modules(["--ignore-scripts", ...grammar], wasm);
  if (modules === null) return;
  const parsed = async (text: string) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-config", PARSE, "--", modules],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    await new Response(text).body?.pipeTo(child.stdin);
    const { code, stdout } = await child.output();
    return [code, new TextDecoder().decode(stdout)];
  };
  const text = Deno.readTextFileSync(`${ROOT}install.ps1`);
  const url = "https://example.org/it's/v{version}";
  const own = windows_installer(text, { version: "1.2.3", url });
  assert.match(own, /\$Version = '1\.2\.3',/);
  assert.match(own, /\$From = \$\(if .* else \{ 'https:\/\/example\.org\/its\/v\{version\}' \}\),/);
  assert.deepEqual(await parsed(text), [0, ""]);
  assert.deepEqual(await parsed(own), [0, ""]);
  const broken = await parsed(text.replace("$ErrorActionPreference =", "} ="));
  assert.notEqual(broken[1], "");
});
