import assert from "node:assert/strict";
import type { Policy } from "../sandbox/policy.ts";
import { test_policy } from "../sandbox/_testing.ts";
import { type Home, with_home } from "./_home.ts";
import { ROWS } from "./cache_table.ts";
import type { Caches } from "./caches.ts";
import { lend } from "./lend_caches.ts";

/** What is linked, by its name in the cache folder. */
function links({ lent }: Caches, { cache, home }: Home): Record<string, string> {
  return Object.fromEntries(
    lent.map((
      { at, from, as },
    ) => [at.slice(cache.length + 1), `${as} ${from.slice(home.length + 1)}`]),
  );
}

Deno.test("in a fresh home every tool has a folder of its own, and nothing is made", () => {
  with_home((h) => {
    const { env, lent } = h.of();
    assert.deepEqual(lent, []);
    for (const { variable, own } of ROWS) assert.equal(env[variable], `${h.cache}/${own}`);
    const { CARGO_HOME, GOMODCACHE, MAVEN_ARGS, MAVEN_OPTS, JAVA_TOOL_OPTIONS } = env;
    assert.equal(CARGO_HOME, `${h.cache}/cargo`);
    assert.equal(GOMODCACHE, `${h.cache}/go-mod`);
    assert.equal(MAVEN_ARGS, `-Dmaven.repo.local=${h.cache}/maven`);
    assert.equal(MAVEN_OPTS, `-Dmaven.repo.local=${h.cache}/maven-3.8`);
    assert.equal(JAVA_TOOL_OPTIONS, "-Djava.io.tmpdir=/tmp/run");
    for (const name of ["TMUX_TMPDIR", "ANSIBLE_LOCAL_TEMP", "ANSIBLE_REMOTE_TEMP"]) {
      assert.equal(env[name], "/tmp/run");
    }
    assert.equal(env["NX_SOCKET_DIR"], "/tmp/run/nx");
    assert.equal(env["PM2_HOME"], "/tmp/run/pm2");
    const [sccache, epmd] = [env["SCCACHE_SERVER_PORT"], env["ERL_EPMD_PORT"]].map(Number);
    assert.ok(sccache! >= 24_000 && epmd! < 32_000 && sccache !== epmd);
    for (const net of ["none", "loopback", "all"] as const) {
      assert.ok(!("ERL_EPMD_PORT" in h.of({ net }).env), net);
    }
    // A remote folder of another host is none of this machine's.
    assert.ok(!("ANSIBLE_REMOTE_TEMP" in h.of({ net: "all" }).env));
    for (const name of ["GOPROXY", "RUSTUP_HOME", "PNPM_HOME"]) assert.ok(!(name in env), name);
    assert.deepEqual([...Deno.readDirSync(h.cache)], []);
    const homeless = h.of({ env: {} });
    assert.equal(homeless.env["GOCACHE"], `${h.cache}/go-build`);
    assert.deepEqual(homeless.lent, []);
  });
});

Deno.test("what is in the user's caches is lent as long as the network is closed", () => {
  with_home((h) => {
    h.put(".npm/_cacache/x", ".npm/_logs/x", ".cache/deno/npm/", ".cache/deno/gen/");
    h.put(".cache/uv/archive-v0/", ".cache/uv/sdists-v9/", ".cache/pre-commit/db.db");
    h.put(".cargo/registry/index/one/", ".cargo/registry/cache/one/", ".cargo/config.toml");
    h.put(".ipython/profile_default/history.sqlite", ".ipython/profile_default/startup/a.py");
    h.put(".ipython/profile_default/ipython_config.py");
    h.put(".cargo/credentials.toml", ".cargo/bin/", ".cargo/git/db/repo-1/");
    h.put(".cache/ms-playwright/chromium/", ".cache/huggingface/hub/", ".cache/huggingface/token");
    h.put(".gradle/wrapper/dists/gradle-8-bin/abc/gradle-8/", ".gradle/caches/modules-2/");
    h.put(".gradle/wrapper/dists/gradle-8-bin/abc/gradle-8-bin.zip.lck", ".nuget/packages/x");
    h.put(
      ".gradle/wrapper/dists/gradle-8-bin/abc/gradle-8-bin.zip.ok",
      ".gradle/gradle.properties",
    );
    const always = {
      "xdg/ms-playwright": "link .cache/ms-playwright",
      "xdg/huggingface/hub": "link .cache/huggingface/hub",
      "cargo/config.toml": "link .cargo/config.toml",
      "cargo/bin": "link .cargo/bin",
      "ipython/profile_default/startup/a.py": "link .ipython/profile_default/startup/a.py",
      "ipython/profile_default/ipython_config.py":
        "link .ipython/profile_default/ipython_config.py",
    };
    const gradle = "wrapper/dists/gradle-8-bin/abc";
    const closed = {
      "npm/_cacache": ".npm/_cacache",
      "deno/npm": ".cache/deno/npm",
      "uv/archive-v0": ".cache/uv/archive-v0",
      "cargo/registry/index/one": ".cargo/registry/index/one",
      "cargo/registry/cache/one": ".cargo/registry/cache/one",
      "cargo/git/db/repo-1": ".cargo/git/db/repo-1",
      [`gradle/${gradle}/gradle-8`]: `.gradle/${gradle}/gradle-8`,
      [`gradle/${gradle}/gradle-8-bin.zip.ok`]: `.gradle/${gradle}/gradle-8-bin.zip.ok`,
    };
    const as = (word: string) =>
      Object.fromEntries(Object.entries(closed).map(([at, from]) => [at, `${word} ${from}`]));
    const own = h.of();
    const copy = { "pre-commit/db.db": "copy .cache/pre-commit/db.db" };
    assert.deepEqual(links(own, h), { ...always, ...as("link"), ...copy });
    assert.equal(own.env["UV_LINK_MODE"], "copy");
    assert.equal(own.env["GRADLE_RO_DEP_CACHE"], `${h.home}/.gradle/caches`);
    assert.equal(own.env["NUGET_FALLBACK_PACKAGES"], `${h.home}/.nuget/packages`);
    assert.equal(own.env["npm_config_fetch_retries"], "0");
    assert.equal(own.env["npm_config_update_notifier"], "false");
    const { SCCACHE_SERVER_PORT: _, ERL_EPMD_PORT: __, ...without } = own.env;
    assert.deepEqual(h.of({ net: "none" }), { ...own, env: without });
    // There may be an index of packages on this machine.
    const { UV_OFFLINE, ...env } = without;
    assert.equal(UV_OFFLINE, "1");
    assert.deepEqual(h.of({ net: "loopback" }), { ...own, env });
    const open = h.of({ net: "all" });
    const none = { "pre-commit/db.db": "nothing .cache/pre-commit/db.db" };
    assert.deepEqual(links(open, h), { ...always, ...as("nothing"), ...none });
    for (const name of ["UV_LINK_MODE", "npm_config_fetch_retries", "npm_config_update_notifier"]) {
      assert.ok(!(name in open.env), name);
    }
  });
});

Deno.test("what may not be read is not lent", () => {
  with_home((h) => {
    h.put(".npm/_cacache/x", ".cache/deno/npm/", "go/pkg/mod/", ".m2/repository/");
    const { home } = h;
    const denied = h.of({ deny_read: [`${home}/.npm`, `${home}/go`, `${home}/.m2`] });
    assert.deepEqual(links(denied, h), { "deno/npm": "link .cache/deno/npm" });
    assert.equal(denied.env["GOMODCACHE"], `${h.cache}/go-mod`);
    assert.equal(denied.env["MAVEN_ARGS"], `-Dmaven.repo.local=${h.cache}/maven`);
    const listed = h.of({ read: [`${home}/.npm`] });
    assert.deepEqual(links(listed, h), { "npm/_cacache": "link .npm/_cacache" });
  });
});

Deno.test("what the user passes, or lets be written, is left alone", () => {
  with_home((h) => {
    const { home } = h;
    h.put(".npm/_cacache/", ".cargo/registry/index/one/", ".cache/deno/npm/");
    const env = {
      HOME: home,
      NPM_CONFIG_CACHE: "/n",
      CARGO_HOME: "/c",
      GOMODCACHE: "/m",
      DENO_DIR: "/d",
    };
    const passed = h.of({ env });
    for (const name of ["npm_config_cache", "CARGO_HOME", "GOMODCACHE", "DENO_DIR"]) {
      assert.ok(!(name in passed.env), name);
    }
    assert.deepEqual(passed.lent, []);
    assert.deepEqual(h.of({ write: "all" }), { env: {}, lent: [], files: [] });
    assert.deepEqual(h.of({ sandbox: "off" }), { env: {}, lent: [], files: [] });
    const write = [
      `${home}/.cargo`,
      `${home}/.cache/go-build`,
      `${home}/.m2`,
      `${home}/go`,
    ];
    const written = h.of({ write }).env;
    assert.equal(written["CARGO_HOME"], `${home}/.cargo`);
    assert.equal(written["GOCACHE"], `${home}/.cache/go-build`);
    assert.equal(written["GOMODCACHE"], `${home}/go/pkg/mod`);
    assert.equal(written["XDG_CACHE_HOME"], `${h.cache}/xdg`);
    for (const name of ["MAVEN_ARGS", "MAVEN_OPTS"]) assert.ok(!(name in written), name);
    assert.ok(!("JAVA_TOOL_OPTIONS" in h.of({ write: ["/tmp"] }).env));
  });
});

Deno.test("the user's caches are looked for where their environment says", () => {
  with_home((h) => {
    const { home } = h;
    h.put("c/deno/npm/", "n/_cacache/", "cargo/registry/cache/one/", "gopath/pkg/mod/");
    const environ = {
      XDG_CACHE_HOME: `${home}/c`,
      npm_config_cache: `${home}/n`,
      CARGO_HOME: `${home}/cargo`,
      RUSTUP_HOME: "/usr/local/rustup",
      GOPATH: `${home}/gopath:/else`,
    };
    const found = h.of({}, environ);
    assert.deepEqual(links(found, h), {
      "npm/_cacache": "link n/_cacache",
      "deno/npm": "link c/deno/npm",
      "cargo/registry/cache/one": "link cargo/registry/cache/one",
    });
    assert.equal(found.env["RUSTUP_HOME"], "/usr/local/rustup");
    assert.equal(found.env["GOMODCACHE"], `${home}/gopath/pkg/mod`);
  });
});

Deno.test("a cache that is used in place gives way to the workspace's own once there is one", () => {
  with_home((h) => {
    const { home, cache } = h;
    h.put(".bun/install/cache/", ".cache/node/corepack/", "go/pkg/mod/", ".m2/repository/");
    const places = (change: Partial<Policy> = {}) => {
      const { env } = h.of(change);
      return [
        env["BUN_INSTALL_CACHE_DIR"],
        env["COREPACK_HOME"],
        env["GOMODCACHE"],
        env["MAVEN_OPTS"],
      ];
    };
    const theirs = [
      `${home}/.bun/install/cache`,
      `${home}/.cache/node/corepack`,
      `${home}/go/pkg/mod`,
      `-Dmaven.repo.local=${home}/.m2/repository`,
    ];
    const own = [
      `${cache}/bun`,
      `${cache}/xdg/node/corepack`,
      `${cache}/go-mod`,
      `-Dmaven.repo.local=${cache}/maven-3.8`,
    ];
    assert.deepEqual(places(), theirs);
    assert.deepEqual(places({ net: "all" }), own);
    const usual = "https://proxy.golang.org,direct";
    const proxy = `file://${home}/go/pkg/mod/cache/download`;
    assert.ok(!("GOPROXY" in h.of().env));
    assert.equal(h.of({ net: "all" }).env["GOPROXY"], `${proxy},${usual}`);
    h.put("data/cache/bun/", "data/cache/xdg/node/corepack/", "data/cache/go-mod/");
    h.put("data/cache/maven-3.8/");
    assert.deepEqual(places(), own);
    assert.equal(h.of().env["GOPROXY"], `${proxy},${usual}`);
    h.write(`${home}/.config/go/env`, `GOPROXY=https://own.example\nGOPATH=${home}/go\n`);
    assert.equal(h.of().env["GOPROXY"], `${proxy},https://own.example`);
  });
});

Deno.test("cargo uses the user's folder while all that the workspace names is unpacked there", () => {
  with_home((h) => {
    const { home, workspace } = h;
    const registry = "registry+https://github.com/rust-lang/crates.io-index";
    const of = (name: string, source: string) =>
      `[[package]]\nname = "${name}"\nversion = "1.0.0"\nsource = "${source}"\nchecksum = "00"\n\n`;
    const lock =
      `version = 4\n\n[[package]]\nname = "own"\nversion = "0.1.0"\n\n${of("a", registry)}` +
      of("b", "git+https://example.org/b?branch=x#0123456789abcdef0123456789abcdef01234567");
    const place = (change: Partial<Policy> = {}) => h.of(change).env["CARGO_HOME"];
    const [theirs, own] = [`${home}/.cargo`, `${h.cache}/cargo`];
    h.put(".cargo/registry/src/one/a-1.0.0/.cargo-ok");
    assert.equal(place(), own, "nothing is known of what it needs");
    h.write(`${workspace}/Cargo.lock`, lock);
    assert.equal(place(), own, "b is missing");
    h.put(".cargo/git/checkouts/b-77/0123456/.cargo-ok");
    assert.equal(place(), theirs);
    assert.deepEqual(h.of().lent, []);
    assert.equal(place({ net: "all" }), own, "more may be loaded");
    assert.equal(place({ deny_read: [theirs] }), own);
    Deno.removeSync(`${home}/.cargo/registry/src/one/a-1.0.0/.cargo-ok`);
    assert.equal(place(), own, "a was being unpacked");
  });
});

Deno.test("pnpm has a store of its own where the network is open, unless node_modules hangs on another", () => {
  with_home((h) => {
    const place = (net: Policy["net"]) => h.of({ net }).env["PNPM_HOME"];
    const own = `${h.cache}/pnpm`;
    assert.deepEqual([place("own"), place("all")], [undefined, own]);
    const made = `${h.workspace}/node_modules/.modules.yaml`;
    h.write(made, `storeDir: ${h.home}/.local/share/pnpm/store/v3\n`);
    assert.equal(place("all"), undefined);
    h.write(made, `storeDir: ${own}/store/v3\n`);
    assert.equal(place("all"), own);
  });
});

Deno.test("what is lent is put in place, taken away, and never over what a tool made itself", () => {
  with_home((h) => {
    const { home, cache } = h;
    h.put(".npm/_cacache/x", ".cache/deno/npm/", ".cache/deno/remote/", ".cache/pre-commit/");
    h.write(`${home}/.cache/pre-commit/db.db`, "one");
    h.put("data/cache/deno/npm/own", "data/cache/npm/");
    Deno.symlinkSync("/gone", `${cache}/npm/_cacache`);
    const policy = test_policy({ cache, workspace: h.workspace, env: { HOME: home } });
    const put = (change: Partial<Policy>) => lend({ ...policy, lent: h.of(change).lent });
    put({});
    put({});
    assert.equal(Deno.readLinkSync(`${cache}/npm/_cacache`), `${home}/.npm/_cacache`);
    assert.equal(Deno.readLinkSync(`${cache}/deno/remote`), `${home}/.cache/deno/remote`);
    assert.ok(Deno.lstatSync(`${cache}/deno/npm`).isDirectory);
    const copied = `${cache}/pre-commit/db.db`;
    assert.equal(Deno.readTextFileSync(copied), "one");
    Deno.writeTextFileSync(copied, "newer");
    put({});
    assert.equal(Deno.readTextFileSync(copied), "newer");
    h.write(`${home}/.cache/pre-commit/db.db`, "newest");
    Deno.utimeSync(copied, 1, 1);
    put({});
    assert.equal(Deno.readTextFileSync(copied), "newest");
    // A command of an earlier run has left it, and would be waited for; here somebody reads from it.
    Deno.removeSync(copied);
    new Deno.Command("mkfifo", { args: [copied] }).outputSync();
    using _reader = Deno.openSync(copied, { read: true, write: true });
    Deno.utimeSync(copied, 1, 1);
    put({});
    assert.ok(Deno.lstatSync(copied).isFile);
    put({ net: "all" });
    assert.throws(() => Deno.lstatSync(`${cache}/npm/_cacache`), Deno.errors.NotFound);
    assert.throws(() => Deno.lstatSync(`${cache}/deno/remote`), Deno.errors.NotFound);
    assert.ok(Deno.lstatSync(`${cache}/deno/npm/own`).isFile);
  });
});
