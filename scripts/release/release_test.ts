import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../../src/cli/args/commands.ts";
import { FLAGS } from "../../src/cli/args/flags.ts";
import { formula } from "./formula.ts";
import { man_page } from "./man.ts";
import { nix_package } from "./nix.ts";
import { provenance, sign, source_of } from "./vouch.ts";
import { cause_of, installer, pack, sbom, sums, TARGETS } from "./pack.ts";
import { installed } from "../../tests/support/installed.ts";
import { skip } from "../../tests/support/skip.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = Deno.build.arch === "aarch64" ? "linux-arm64" : "linux-x64";
const supported = Deno.build.os === "linux";

async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = ".",
) {
  const { code, stdout, stderr } = await new Deno.Command(command, { args: [...args], env, cwd })
    .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

/** Whether a program is absent, which is said, with what that means. */
function lacks(program: string, lost: string): boolean {
  const is_there = installed(program);
  if (!is_there) skip(`there is no ${program} here; ${lost}`);
  return !is_there;
}

/** A release of a program that only knows its version, served on loopback. */
async function released(
  body: (at: { folder: string; url: string; cut: (now: boolean) => void }) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_release_" });
  let cut = false;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    try {
      const bytes = Deno.readFileSync(`${folder}/files/${new URL(request.url).pathname.slice(1)}`);
      const is_archive = request.url.includes(".tar.");
      // Half of what was promised, and then the end.
      const sent = cut && is_archive ? bytes.slice(0, bytes.length / 2) : bytes;
      return new Response(sent);
    } catch {
      return new Response("not here", { status: 404 });
    }
  });
  try {
    const name = `hamr-1.2.3-${HERE}`;
    Deno.mkdirSync(`${folder}/files/v1.2.3/${name}`, { recursive: true });
    const at = `${folder}/files/v1.2.3`;
    const program = '#!/bin/sh\n[ "$1" = --version ] && echo "hamr 1.2.3"\n';
    Deno.writeTextFileSync(`${at}/${name}/hamr`, program, { mode: 0o755 });
    Deno.writeTextFileSync(`${at}/SHA256SUMS`, await sums(at, await pack(at, name)));
    const url = `http://127.0.0.1:${server.addr.port}/v{version}`;
    const text = Deno.readTextFileSync(`${ROOT}install.sh`);
    Deno.writeTextFileSync(`${folder}/install.sh`, installer(text, { version: "1.2.3", url }));
    await body({ folder, url, cut: (now) => cut = now });
  } finally {
    await server.shutdown();
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test({
  name: "install.sh installs what the sums vouch for, and nothing else",
  ignore: !supported,
  async fn() {
    if (lacks("xz", "nothing was installed")) return;
    await released(async ({ folder, cut }) => {
      const home: Record<string, string> = { HOME: `${folder}/home`, SHELL: "/bin/sh" };
      const install = (...args: string[]) => run("sh", [`${folder}/install.sh`, ...args], home);
      const good = await install();
      assert.equal(good.code, 0, good.err);
      assert.match(
        good.out,
        /^hamr 1\.2\.3 is in .*\/home\/\.local\/bin\/hamr\n.*not in your PATH.* >> ~\/\.profile\nNext: /,
      );
      const advice = { zsh: / >> ~\/\.zprofile$/m, fish: /: fish_add_path '/ };
      for (const [shell, words] of Object.entries(advice)) {
        home["SHELL"] = `/usr/bin/${shell}`;
        assert.match((await install()).out, words);
      }
      assert.equal(
        (await run(`${folder}/home/.local/bin/hamr`, ["--version"])).out,
        "hamr 1.2.3\n",
      );
      // From a folder that was carried here, to another place.
      // By an administrator whose own files are nobody else's.
      const umask = Deno.umask(0o077);
      const carried = await install("--from", `${folder}/files/v1.2.3`, "--to", `${folder}/bin`)
        .finally(() => Deno.umask(umask));
      assert.equal(carried.code, 0, carried.err);
      assert.equal((Deno.statSync(`${folder}/bin/hamr`).mode ?? 0) & 0o777, 0o755);
      Deno.removeSync(`${folder}/bin/hamr`);
      const refused = async (message: RegExp, ...args: string[]) => {
        const { code, err } = await install("--to", `${folder}/bin`, ...args);
        assert.equal(code, 1, err);
        assert.match(err, message);
        assert.deepEqual([...Deno.readDirSync(`${folder}/bin`)], []);
      };
      cut(true);
      await refused(/is not what SHA256SUMS says/);
      cut(false);
      await refused(/could not be downloaded/, "--version", "9.9.9");
      await refused(/unknown argument --yes/, "--yes");
      await refused(/--version needs a value/, "--version");
      const list = `${folder}/files/v1.2.3/SHA256SUMS`;
      Deno.writeTextFileSync(list, Deno.readTextFileSync(list).replaceAll(/^\w{8}/gm, "0123abcd"));
      await refused(/is not what SHA256SUMS says/);
      // Machines that hamr is not for: one with musl, and one whose glibc is too old.
      Deno.mkdirSync(`${folder}/other`);
      Deno.writeTextFileSync(`${folder}/other/ldd`, "#!/bin/sh\necho musl libc >&2; exit 1\n", {
        mode: 0o755,
      });
      home["PATH"] = `${folder}/other:${Deno.env.get("PATH")}`;
      await refused(/needs glibc 2\.27 or newer; this machine has musl/);
      home["PATH"] = Deno.env.get("PATH") ?? "";
      const at = `${folder}/files/v1.2.3`;
      const old = "#!/bin/sh\necho \"hamr: version 'GLIBC_2.27' not found\" >&2; exit 1\n";
      Deno.writeTextFileSync(`${at}/hamr-1.2.3-${HERE}/hamr`, old, { mode: 0o755 });
      Deno.writeTextFileSync(list, await sums(at, await pack(at, `hamr-1.2.3-${HERE}`)));
      await refused(/it does not start here: hamr: version 'GLIBC_2\.27' not found/);
      Deno.writeTextFileSync(list, "");
      await refused(/has no hamr-1\.2\.3/);
    });
    if (lacks("shellcheck", "install.sh was not checked")) return;
    const check = await run("shellcheck", [`${ROOT}install.sh`]);
    assert.equal(check.code, 0, check.out);
  },
});

Deno.test({
  name: "a signature is checked: by whom, of what, and what for",
  ignore: !supported,
  async fn() {
    if (lacks("ssh-keygen", "no signature was checked")) return;
    await released(async ({ folder }) => {
      const at = `${folder}/files/v1.2.3`;
      const install = (signers = "signers") =>
        run("sh", [
          ...[`${folder}/install.sh`, "--from", at, "--to", `${folder}/bin`],
          ...["--signers", `${folder}/${signers}`],
        ]);
      const unsigned = await install();
      assert.equal(unsigned.code, 1);
      assert.match(unsigned.err, /has no SHA256SUMS\.sig/);
      for (const name of ["key", "other"]) {
        const key = ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", `${folder}/${name}`];
        assert.equal((await run("ssh-keygen", key)).code, 0);
        const open = Deno.readTextFileSync(`${folder}/${name}.pub`);
        const signers = name === "key" ? "signers" : "others";
        Deno.writeTextFileSync(`${folder}/${signers}`, `hamr ${open}`);
      }
      await sign(`${at}/SHA256SUMS`, `${folder}/key`);
      const good = await install();
      assert.equal(good.code, 0, good.err);
      const refused = async (signers?: string) => {
        const { code, err } = await install(signers);
        assert.equal(code, 1, err);
        assert.match(err, /SHA256SUMS is not signed by one of/);
      };
      await refused("others");
      const text = Deno.readTextFileSync(`${at}/SHA256SUMS`);
      Deno.writeTextFileSync(`${at}/SHA256SUMS`, `${text}\n`);
      await refused();
      Deno.writeTextFileSync(`${at}/SHA256SUMS`, text);
      // Signed by the same key, but as a commit.
      Deno.removeSync(`${at}/SHA256SUMS.sig`);
      await run("ssh-keygen", [
        ...["-Y", "sign", "-n", "git", "-f", `${folder}/key`, `${at}/SHA256SUMS`],
      ]);
      await refused();
      // And again as it should be.
      await sign(`${at}/SHA256SUMS`, `${folder}/key`);
      assert.equal((await install()).code, 0);
      await assert.rejects(sign(`${at}/SHA256SUMS`, `${folder}/none`), /ssh-keygen: /);
    });
  },
});

Deno.test("provenance() says of each file what it was made from", async () => {
  const source = await source_of(ROOT);
  assert.match(source.commit ?? "no repository", /^[0-9a-f]{40}$|^no repository$/);
  const about = { source, version: "1.2.3", deno: "2.9.6", builder: "urn:x" };
  const made = provenance(`${"0".repeat(64)}  a.tar.xz\n${"1".repeat(64)}  b.deb\n`, about);
  assert.deepEqual(made["subject"], [
    { name: "a.tar.xz", digest: { sha256: "0".repeat(64) } },
    { name: "b.deb", digest: { sha256: "1".repeat(64) } },
  ]);
  assert.match(JSON.stringify(made), /"predicateType":"https:\/\/slsa\.dev\/provenance\/v1"/);
});

Deno.test({
  name: "pack() makes the same bytes of the same files",
  ignore: !supported,
  async fn() {
    if (lacks("xz", "nothing was packed")) return;
    const folder = Deno.makeTempDirSync();
    try {
      Deno.mkdirSync(`${folder}/a`);
      Deno.writeTextFileSync(`${folder}/a/x`, "x");
      const first = await sums(folder, await pack(folder, "a"));
      Deno.utimeSync(`${folder}/a/x`, 1, 1);
      assert.equal(await sums(folder, await pack(folder, "a")), first);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test("cause_of() is the one line that says why there is no runtime", () => {
  // As deno 2.9.6 says it.
  const said =
    `error: Writing deno compile executable to temporary file '/w/x.exe.tmp-7e037da8e1557a83'

Caused by:
    0: Setting up base binary.
    1: client error (Connect)
    2: failed to lookup address information: Name or service not known

Stack backtrace:
   0: <unknown>
`;
  const cause = "failed to lookup address information: Name or service not known";
  assert.equal(cause_of(said), cause);
  assert.equal(cause_of(""), "no reason was given");
});

Deno.test("sbom() names every package of the lock once, with its hash", () => {
  const lock = JSON.parse(Deno.readTextFileSync(`${ROOT}deno.lock`));
  const { components } = sbom(lock, { version: "1.2.3", deno: "2.9.6" });
  const names = components as { name: string; hashes?: unknown; purl?: string }[];
  assert.equal(new Set(names.map(({ purl }) => purl)).size, names.length);
  for (const key of Object.keys(lock.npm)) {
    const name = /^(@?[^@]+)@/.exec(key)?.[1];
    assert.ok(names.some((one) => one.name === name && one.hashes !== undefined), key);
  }
  assert.equal(new Set(TARGETS.map(({ triple }) => triple)).size, 5);
});

Deno.test("formula() names the archive of each machine with its sum, in Ruby", async () => {
  const digest = (n: number) => String(n).repeat(64);
  const listed = [
    "linux-x64.tar.gz",
    "linux-x64.tar.xz",
    "macos-arm64.tar.gz",
    "windows-x64.tar.gz",
  ]
    .map((name, n) => `${digest(n)}  hamr-1.2.3-${name}\n`).join("");
  const about = { version: "1.2.3", url: "https://example.org/#{1}/v{version}/" };
  const text = formula(listed, about) ?? "";
  assert.equal(formula(`${digest(0)}  hamr-1.2.3-windows-x64.tar.gz\n`, about), null);
  if (lacks("ruby", "the formula was not read")) return;
  // What Homebrew's own class does with it, on a machine that is all of them at once.
  const homebrew = `
    class Formula
      class << self
        def method_missing(name, *args, &block)
          puts "#{name} #{args.join(" ")}" unless args.empty?
          block.call if block && name.start_with?("on_")
        end
        def respond_to_missing?(*) = true
        def test; end
      end
    end
  `;
  const { code, out, err } = await run("ruby", ["-e", homebrew + text]);
  assert.equal(code, 0, err);
  assert.deepEqual(out.split("\n").filter((line) => /^(?:url|sha256|version) /.test(line)), [
    "version 1.2.3",
    "url https://example.org/#{1}/v1.2.3/hamr-1.2.3-linux-x64.tar.gz",
    `sha256 ${digest(0)}`,
    "url https://example.org/#{1}/v1.2.3/hamr-1.2.3-macos-arm64.tar.gz",
    `sha256 ${digest(2)}`,
  ]);
});

/** What of nixpkgs the package uses, without the rest: the archive is unpacked, and what it says is run. */
const NIXPKGS = `
  let
    fetchurl = { url, sha256 }: builtins.fetchurl { inherit url sha256; };
    stdenv = {
      hostPlatform.system = builtins.currentSystem;
      mkDerivation = it: derivation {
        inherit (builtins) currentSystem;
        inherit (it) src installPhase;
        name = "\${it.pname}-\${it.version}";
        system = builtins.currentSystem;
        builder = "/bin/sh";
        PATH = "/usr/bin:/bin";
        args = [ "-euc" "tar -xf $src; cd hamr-*; eval \\"$installPhase\\"" ];
      } // { inherit (it) dontFixup meta; };
    };
    lib = { licenses.mit = "MIT"; sourceTypes.binaryNativeCode = "binary"; };
  in import ./hamr.nix { inherit lib stdenv fetchurl; }
`;

Deno.test({
  name: "nix_package() is one that Nix builds, unchanged; another machine gets a clear line",
  ignore: !supported,
  async fn() {
    const digest = "0".repeat(64);
    const about = { version: "1.2.3", url: "https://example.org/\${1}/v{version}/" };
    assert.equal(nix_package(`${digest}  hamr-1.2.3-windows-x64.tar.gz\n`, about), null);
    if (lacks("nix-build", "the package for it was not built")) return;
    await released(async ({ folder }) => {
      const at = `${folder}/files/v1.2.3`;
      Deno.writeTextFileSync(`${at}/hamr-1.2.3-${HERE}/hamr.1`, ".TH");
      const files = await pack(at, `hamr-1.2.3-${HERE}`);
      const alone = ["--option", "sandbox", "false", "--option", "build-users-group", ""];
      const build = () =>
        run("nix-build", ["--no-out-link", ...alone, "-E", NIXPKGS], {
          HOME: `${folder}/home`,
          NIX_STORE_DIR: `${folder}/store`,
          NIX_STATE_DIR: `${folder}/state`,
          NIX_LOG_DIR: `${folder}/log`,
          NIX_CONF_DIR: `${folder}/conf`,
          NIX_PATH: "",
          NIX_REMOTE: "",
        }, folder);
      const write = (listed: string, url: string) =>
        Deno.writeTextFileSync(`${folder}/hamr.nix`, nix_package(listed, { ...about, url })!);
      write(await sums(at, files), `file://${folder}/files/v{version}`);
      const { code, out, err } = await build();
      assert.equal(code, 0, err);
      assert.equal((await run(`${out.trim()}/bin/hamr`, ["--version"])).out, "hamr 1.2.3\n");
      assert.equal(Deno.readTextFileSync(`${out.trim()}/share/man/man1/hamr.1`), ".TH");
      write(`${digest}  ${files.at(-1)}\n`, `file://${folder}/files/v{version}`);
      assert.match((await build()).err, /hash mismatch/);
      write(`${digest}  hamr-1.2.3-macos-x64.tar.gz\n`, about.url);
      assert.match((await build()).err, /there is no hamr for \S+-linux/);
      // What is in a store can't be changed, nor removed.
      await run("chmod", ["-R", "u+w", `${folder}/store`]);
    });
  },
});

Deno.test("man_page() has every command and every flag, and man has nothing to object", async () => {
  const page = man_page();
  const plain = page.replaceAll("\\-", "-");
  for (const { name } of COMMANDS) assert.ok(plain.includes(`.B hamr ${name}`), name);
  for (const { name } of FLAGS) assert.match(plain, new RegExp(`^\\.B .*--${name}\\b`, "m"));
  const file = Deno.makeTempFileSync({ suffix: ".1" });
  try {
    Deno.writeTextFileSync(file, page);
    if (!lacks("man", "the manual page was not shown")) {
      const check = `man --warnings=all -l ${file} 2>&1 > /dev/null`;
      const { code, out } = await run("sh", ["-c", check], { LC_ALL: "C.UTF-8", MANWIDTH: "80" });
      assert.equal(code, 0, out);
      assert.doesNotMatch(out, /warning|error/, out);
    }
    if (lacks("mandoc", "the manual page was not linted")) return;
    const found = (await run("mandoc", ["-T", "lint", "-W", "warning", file])).out.split("\n");
    // The same source makes the same page, whenever that is.
    assert.deepEqual(found.filter((line) => /mandoc:(?!.*missing date)/.test(line)), []);
  } finally {
    Deno.removeSync(file);
  }
});
