/**
 * Real work inside the sandbox: the tools of the trade on small projects, by the default policy, so without a network, and with a
 * home that cannot be written. What comes from a person's own cache was put there by the tool itself.
 */
import assert from "node:assert/strict";
import { filled_repository, MAVEN_PROJECT } from "./support/maven.ts";
import { missing, serving, sha, toolchain } from "./support/toolchains.ts";
import { thorough } from "./support/thorough.ts";

toolchain("npm test, with a package of the person's cache", {
  lacks: missing("node", "npm"),
  files: {
    "package.json": JSON.stringify({
      name: "small",
      private: true,
      scripts: { test: "node --test" },
      dependencies: { lent: "1.0.0" },
    }),
    "a.test.js":
      "const { test } = require('node:test'); const { equal } = require('node:assert');\n" +
      "test('lent', () => equal(require('lent'), 42));\n",
  },
}, async (p) => {
  p.outside.write("lent/package.json", '{"name":"lent","version":"1.0.0"}');
  p.outside.write("lent/index.js", "module.exports = 42;");
  await p.prepare(`npm pack ../outside/lent --pack-destination ${p.home.path}`);
  const tarball = Deno.readFileSync(p.home.at("lent-1.0.0.tgz"));
  const shasum = await sha("SHA-1", tarball);
  const page = (origin: string) =>
    JSON.stringify({
      name: "lent",
      "dist-tags": { latest: "1.0.0" },
      versions: {
        "1.0.0": { name: "lent", version: "1.0.0", dist: { tarball: `${origin}/t.tgz`, shasum } },
      },
    });
  await serving((origin) => ({ "/lent": page(origin), "/t.tgz": tarball }), (origin) => {
    p.ws.write(".npmrc", `registry=${origin}\nomit-lockfile-registry-resolved=false\n`);
    return p.prepare("npm install --no-audit --no-fund && rm -r node_modules ../outside/lent");
  });
  const text = await p.does("npm ci --offline --no-audit && npm test");
  assert.match(text, /^# pass 1$/m);
  assert.ok(Deno.lstatSync(`${p.cache()}/npm/_cacache`).isSymlink);
  assert.match(await p.tries("npm install nowhere"), /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EACCES/);
});

toolchain("deno test, with a package of the person's cache", {
  lacks: missing("deno"),
  files: {
    "deno.json": JSON.stringify({ imports: { diff: own_version("diff") } }),
    "a_test.ts": 'import { diffChars } from "diff";\n' +
      'Deno.test("lent", () => { if (diffChars("a", "b").length !== 2) throw new Error(); });\n',
  },
}, async (p) => {
  for (const round of ["first", "second"]) {
    assert.match(
      await p.does("NO_COLOR=1 deno test --no-lock"),
      /ok \| 1 passed \| 0 failed/,
      round,
    );
  }
  assert.ok(Deno.statSync(`${p.cache()}/deno/check_cache_v2`).isFile);
});

toolchain("pytest", {
  lacks: missing("python3", "pytest"),
  files: {
    "a_test.py":
      "import tempfile\n\ndef test_a(tmp_path):\n    (tmp_path / 'x').write_text('x')\n" +
      "    assert tempfile.mkdtemp()\n",
  },
}, async (p) => {
  assert.match(await p.does("pytest -q"), /^1 passed/m);
  assert.match(await p.does("python3 -m pytest -q"), /^1 passed/m);
});

/** Without optimization: it is a third of what compiling Go's own library takes. */
const GO_RUN = "go run '-gcflags=all=-N -l -dwarf=false'";

toolchain("go run, with a module of the person's cache; the second run has the first one's work", {
  // Without an import of its own library, of which it would compile all that `go test` needs: 20 s of a processor.
  lacks: thorough ? missing("go", "python3") : "deno task test:thorough",
  files: {
    "go.mod": "module example.com/small\n\ngo 1.21\n\nrequire example.com/lent v1.0.0\n",
    "a.go":
      'package main\n\nimport "example.com/lent"\n\nfunc main() { println("it is", lent.X) }\n',
  },
}, async (p) => {
  const lent = "zip/example.com/lent@v1.0.0";
  // Not `python3 -m zipfile`, which adds the folders themselves: go refuses these.
  const ZIP = "import sys, zipfile\n" +
    'with zipfile.ZipFile(sys.argv[1], "w") as z: [z.write(name) for name in sys.argv[2:]]';
  const mod = "module example.com/lent\n\ngo 1.21\n";
  const at = "proxy/example.com/lent/@v";
  p.home.write(`${lent}/go.mod`, mod);
  p.home.write(`${lent}/lent.go`, "package lent\n\nconst X = 42\n");
  p.home.write(`${at}/list`, "v1.0.0\n");
  p.home.write(`${at}/v1.0.0.mod`, mod);
  p.home.write(`${at}/v1.0.0.info`, '{"Version":"v1.0.0"}');
  await p.prepare(
    `cd ~/zip && python3 -c '${ZIP}' ~/${at}/v1.0.0.zip $(find . -type f) && cd - && ` +
      "go mod tidy && rm -r ~/zip ~/proxy",
    { GOPROXY: `file://${p.home.at("proxy")}`, GOSUMDB: "off", GOCACHE: p.home.at("none") },
  );
  try {
    assert.match(await p.does(`${GO_RUN} -v .`), /^example\.com\/small\nit is 42$/m);
    assert.equal(await p.does(`${GO_RUN} -v .`), "it is 42");
    assert.ok([...Deno.readDirSync(`${p.cache()}/go-build`)].length > 0);
    // A workspace that has had the network has modules of its own, and still all those of the user.
    Deno.mkdirSync(`${p.cache()}/go-mod`);
    assert.match(await p.does(`${GO_RUN} .`), /^it is 42$/m);
  } finally {
    // Where go unpacks, it takes away the right to write.
    await p.prepare(`chmod -R u+w ~/go ${p.cache()}`);
  }
});

const toolchains = Deno.env.get("RUSTUP_HOME") ?? `${Deno.env.get("HOME")}/.rustup`;

toolchain("cargo test --offline, with a crate of the person's registry", {
  lacks: missing("cargo"),
  env: { RUSTUP_HOME: toolchains },
  files: {
    "Cargo.toml": '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n\n' +
      '[dependencies]\nlent = { version = "1", registry = "near" }\n',
    "src/lib.rs": "#[test]\nfn lent() { assert_eq!(lent::X, 42); }\n",
  },
}, async (p) => {
  p.home.write(
    "lent/Cargo.toml",
    '[package]\nname = "lent"\nversion = "1.0.0"\nedition = "2021"\n',
  );
  p.home.write("lent/src/lib.rs", "pub const X: u8 = 42;\n");
  await p.prepare("cd ~/lent && cargo package --offline --allow-dirty --no-verify -q");
  const crate = Deno.readFileSync(p.home.at("lent/target/package/lent-1.0.0.crate"));
  const cksum = await sha("SHA-256", crate);
  const entry = { name: "lent", vers: "1.0.0", deps: [], cksum, features: {}, yanked: false };
  const pages = (origin: string) => ({
    "/config.json": JSON.stringify({ dl: `${origin}/dl/{crate}` }),
    "/le/nt/lent": `${JSON.stringify(entry)}\n`,
    "/dl/lent": crate,
  });
  await serving(pages, (origin) => {
    p.home.write(".cargo/config.toml", `[registries.near]\nindex = "sparse+${origin}/"\n`);
    return p.prepare("cargo fetch -q && cargo test --offline -q && rm -r ~/lent");
  });
  const passed = /^test lent \.\.\. ok$/m;
  const near = await p.does("cargo test --offline");
  assert.match(near, passed);
  assert.doesNotMatch(near, /Compiling/, "what the person has built is used");
  await p.prepare("rm -r ~/.cargo/registry/src");
  const unpacked = await p.does("cargo test --offline");
  assert.match(unpacked, /Compiling lent/);
  assert.match(unpacked, passed);
  assert.doesNotMatch(await p.does("cargo test --offline"), /Compiling/);
});

toolchain("make with gcc", {
  lacks: missing("make", "gcc"),
  files: {
    "Makefile": "test: a\n\t./a\na: a.o b.o\n\t$(CC) -o $@ $^\n",
    "a.c":
      '#include <stdio.h>\nint b(void);\nint main(void) { printf("%d\\n", b()); return b() != 42; }\n',
    "b.c": "int b(void) { return 42; }\n",
  },
}, async (p) => {
  assert.match(await p.does("make -j4 test"), /^42$/m);
});

toolchain("git commit", { lacks: missing("git"), files: { "a.txt": "one\n" } }, async (p) => {
  p.home.write(".gitconfig", "[user]\n\tname = A Person\n\temail = a@example.com\n");
  await p.prepare("git init -q && git add -A && git commit -qm first");
  const text = await p.does(
    "echo two >> a.txt && git switch -qc other && git commit -qam second && git log --format='%an %s'",
  );
  assert.equal(text, "A Person second\nA Person first");
});

toolchain("a pipeline with process substitution and here-documents", {
  lacks: missing("bash"),
  files: { "a.txt": "b\na\n", "b.txt": "a\nb\nc\n" },
}, async (p) => {
  const text = await p.does(
    'diff <(sort a.txt) b.txt | tee >(wc -l) | cat; cat <<END | tr a-z A-Z; read -r x <<< "$HOME"\n' +
      'here $((1 + 1))\nEND\nwhile read -r line; do echo "<$line>"; done < <(head -1 a.txt)\n' +
      'mkfifo pipe; echo through > pipe & cat pipe; wait; [ "$x" = "$HOME" ] && echo home',
  );
  // bash waits for a pipeline, not for what >(...) started: cat ends when that has ended, too.
  assert.equal(text, "2a3\n> c\n2\nHERE 2\n<b>\nthrough\nhome");
});

const repository = await filled_repository();

toolchain("mvn -o test, with the person's repository", {
  lacks: repository === null
    ? missing("mvn", "java") ?? "Maven's own plugins are not available"
    : missing("mvn", "java"),
  files: MAVEN_PROJECT,
}, async (p) => {
  await p.prepare(`mkdir ~/.m2 && cp -r ${repository} ~/.m2/repository`);
  const text = await p.does("mvn -B -o test");
  assert.match(text, /^Tests run: 1, Failures: 0, Errors: 0, Skipped: 0$/m);
  assert.match(text, /BUILD SUCCESS/);
});

toolchain("what a command plants in the cache folder leads nobody out of it", {
  lacks: missing("bash"),
  files: {},
}, async (p) => {
  p.home.write(".npm/_cacache/index-v5/x", "");
  await p.does(`rm -r "$npm_config_cache" && ln -s ${p.outside.path} "$npm_config_cache"`);
  // The outside is looked at after each run.
  await p.does("true");
  assert.equal(Deno.readLinkSync(`${p.cache()}/npm`), p.outside.path);
});

/** Of the same dependency as `hamr` itself has, which is in the cache wherever these tests run. */
function own_version(name: string): string {
  const config = Deno.readTextFileSync(new URL("../deno.json", import.meta.url));
  return JSON.parse(config).imports[name];
}
