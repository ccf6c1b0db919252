import assert from "node:assert/strict";
import { SECRET_PLACES } from "../config/secret_places.ts";
import { type AskedToDeny, denied_paths, unmatched } from "./denied_paths.ts";

const USUAL = SECRET_PLACES.flatMap(({ paths }) => paths);
const ASKED: AskedToDeny = { read: [], write: [], deny_read: USUAL, more_denied: [] };

function denied(asked: Partial<AskedToDeny>, environ: Record<string, string> = {}): string[] {
  return denied_paths({ ...ASKED, ...asked }, {
    workspace: "/home/u/project",
    environ,
    data_dir: null,
    config_file: null,
    home: "/home/u",
  });
}

Deno.test("the table names at least sixty programs, each with a place and a source, none twice", () => {
  assert.ok(SECRET_PLACES.length >= 60);
  for (const { tool, paths, moved, source } of SECRET_PLACES) {
    assert.ok(tool !== "" && source !== "" && paths.length > 0, tool);
    for (const path of paths) assert.match(path, /^(~|\/[^/]+)\/[^/]/, `${tool}: ${path}`);
    for (const { variable } of moved) {
      assert.match(variable, /^(?:[A-Z][A-Z0-9_]+|npm_config_userconfig)$/, tool);
    }
  }
  assert.deepEqual(USUAL.filter((path, at) => USUAL.indexOf(path) !== at), []);
  // SECURITY.md says so: without them Yarn and git do not start.
  for (const path of ["~/.yarnrc.yml", "~/.gitconfig"]) assert.ok(!USUAL.includes(path));
});

Deno.test("a variable that leads a program elsewhere is followed", () => {
  const found = denied({}, {
    DOCKER_CONFIG: "/srv/docker/",
    GNUPGHOME: "~/keys",
    KUBECONFIG: "/srv/kube/a:/srv/kube/b",
    KRB5CCNAME: "FILE:/run/cc",
    XDG_CONFIG_HOME: "/srv/config",
    XDG_DATA_HOME: "/srv/data",
    XDG_STATE_HOME: "/srv/state/",
    XDG_CACHE_HOME: "/srv/cache",
    CARGO_HOME: "/srv/cargo",
    XDG_RUNTIME_DIR: "/run/user/1000",
  });
  for (
    const path of [
      ...["/srv/docker/config.json", "/home/u/keys", "/srv/kube/a", "/srv/kube/b", "/run/cc"],
      ...["/srv/config/gh", "/srv/data/keyrings", "/srv/cargo/credentials.toml"],
      ...["/srv/state/nvim/shada", "/srv/cache/huggingface/token"],
      "/run/user/1000/containers/auth.json",
      // The usual place is not forgotten for that.
      ...["/home/u/.docker/config.json", "/home/u/.config/gh"],
    ]
  ) assert.ok(found.includes(path), path);
});

Deno.test("secret files of a job's are closed on GitLab, Jenkins and in a codespace, and what is beside them is not", () => {
  const plain = denied({}), top = "/builds/g/p.tmp";
  const found = denied({}, {
    CI_PROJECT_DIR: "/builds/g/p",
    GCP_KEY: `${top}/GCP_KEY`,
    CI_SERVER_TLS_CA_FILE: `${top}/CI_SERVER_TLS_CA_FILE`,
    MY_TMP: `${top}/build`,
    WORKSPACE_TMP: "/j/ws@tmp",
  });
  assert.deepEqual(
    found.filter((path) => !plain.includes(path)).sort(),
    [`${top}/GCP_KEY`, "/j/ws@tmp/secretFiles"],
  );
  assert.ok(plain.includes("/workspaces/.codespaces/shared"));
});

Deno.test("a variable never closes the workspace, the home folder, or what is above them", () => {
  const plain = denied({});
  const odd = denied({}, {
    KUBECONFIG: "/home/u/project/kubeconfig:relative/one:",
    GNUPGHOME: "/",
    BOTO_CONFIG: "/dev/null",
    HISTFILE: "",
    AZURE_CONFIG_DIR: "/home/u",
    CLOUDSDK_CONFIG: "/home/u/project",
    CODEX_HOME: "/home",
  });
  assert.deepEqual(odd, plain);
});

Deno.test("what the user takes off the list is not brought back by its variable", () => {
  const found = denied({ deny_read: ["~/.ssh"] }, { GNUPGHOME: "/srv/keys" });
  assert.ok(found.includes("/home/u/.ssh") && !found.includes("/srv/keys"));
  assert.ok(!denied({ read: ["~/.kube"] }).includes("/home/u/.kube"));
});

Deno.test("a pattern stands for what is there; one that fits nothing is said", () => {
  const root = Deno.makeTempDirSync();
  try {
    for (const name of ["a.pem", "b.pem", "c.txt", "odd*"]) {
      Deno.writeTextFileSync(`${root}/${name}`, "");
    }
    const more = (path: string) =>
      denied({ deny_read: [], more_denied: [path] })
        .filter((one) => one.startsWith(root)).sort();
    assert.deepEqual(more(`${root}/*.pem`), [`${root}/a.pem`, `${root}/b.pem`]);
    assert.deepEqual(more(`${root}/?.txt`), [`${root}/c.txt`]);
    assert.deepEqual(more(`${root}/odd*`), [`${root}/odd*`]);
    Deno.mkdirSync(`${root}/d/e`, { recursive: true });
    Deno.writeTextFileSync(`${root}/d/key`, "");
    assert.deepEqual(more(`${root}/*/key`), [`${root}/d/key`]);
    assert.deepEqual(more(`${root}/?/[e]`), []);
    const said = (path: string) => unmatched([path], "/home/u").length;
    assert.deepEqual([`${root}/*.pem`, `${root}/*.key`, `${root}/a.pem`, "/no/such"].map(said), [
      ...[0, 1, 0, 1],
    ]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("what is called as secrets are is denied in the folder of any program, but not where the user works", () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const put = (...paths: readonly string[]) => {
    for (const path of paths) {
      Deno.mkdirSync(`${home}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      Deno.writeTextFileSync(`${home}/${path}`, "");
    }
  };
  const secrets = [
    ...[".unknown/auth.json", ".unknown/gcp-credentials.json", ".config/app/Cookies"],
    ...[".local/share/tool/access_token", ".config/other/secrets.yaml", ".agent/oauth_creds.json"],
    // In the home itself, and where folders of programs are.
    ...[".env", ".openai_api_key", ".some_cookies", ".node.cookie", ".tool-token", "Mine.kdbx"],
    ...[".config/github_token", ".local/share/passwords.db", ".config/sound/cookie", ".agent/.env"],
    ...[".config/App/Local Storage/leveldb/1.log", ".config/App/Login Data For Account", "my.jks"],
    ...[".config/zsh/.zsh_history", ".local/state/x/history", ".bash_eternal_history", ".keystore"],
    ...[
      ".gemini/mcp-oauth-tokens.json",
      ".factory/auth.encrypted",
      ".cosign/cosign.key",
      ".env.keys",
    ],
    ...[
      ".openhands/.jwt_secret",
      ".config/net.imput.helium/Default/Cookies",
      ".happy/access.token",
    ],
    ...[
      ".tccli/default.credential",
      ".claude/projects/x/y.jsonl",
      ".config/code-server/config.yaml",
    ],
    ...[".var/app/x.y.Z/config/App/Cookies", ".var/app/x.y.Z/data/tool/token"],
    ...["snap/tool/common/auth.json", "snap/tool/current/.config/tool/secrets.yaml"],
    ...["snap/docker/current/.docker/config.json", ".var/app/x.C/config/Code/User/History/1/a"],
    ...[".claude.json.backup.1", ".netrc~", ".ssh.bak/id_rsa", ".aws-old/x", "ec2.pem", "me.ovpn"],
  ];
  const harmless = [
    ...[".streamlit/credentials.toml", ".unknown/tokenizer.json", ".unknown/config.json"],
    ...[
      ".android/debug.keystore",
      ".dotnet/tools/git-credential-manager",
      ".config/mise/config.toml",
    ],
    ...[".config/composer/config.json", ".volta/tools/user/platform.json", ".cargo/config.toml"],
    ...[".unknown/ca.pem", ".local/share/jupyter/notebook_secret", ".config/app/keys.toml"],
    ...[".unknown/deeper/auth.json", "project/auth.json", "notes/token"],
    ...[".cookiecutterrc", ".cookiecutters/x", ".secretlintrc", ".tokeignore", ".config/app.conf"],
    ...[".venvs/.env/pyvenv.cfg", ".keyboard", "token", "secrets/x", ".envrc", ".env.example"],
    ...["snap/flutter/common/flutter/bin/flutter", "snap/docker/current/x", "snap/tool/common/x"],
    ...[".var/app/x.C/data/python/bin/ruff", ".var/app/x.C/config/Code/User/settings.json"],
    ...["corp-ca.pem", ".bashrc.d/x", ".oldies", "notes.bak", "old.key/x"],
    ...[".zsh-history-search/x", ".config/App/Local", ".local/state/x/log", "history/x"],
  ];
  const own = [".config/mine/secrets.json", ".dotfiles/token", ".lent/auth.json"];
  try {
    put(...secrets, ...harmless, ...own);
    for (const name of ["ec2.pem", ".cosign/cosign.key"]) Deno.chmodSync(`${home}/${name}`, 0o600);
    for (const name of ["corp-ca.pem", ".unknown/ca.pem"]) Deno.chmodSync(`${home}/${name}`, 0o644);
    const found = denied_paths({
      ...ASKED,
      read: [`${home}/.lent`, `${home}/.unknown/auth.json`],
      write: ["~/.dotfiles"],
    }, {
      workspace: `${home}/.config/mine`,
      environ: {},
      data_dir: null,
      config_file: null,
      home,
    });
    const is_denied = (path: string) =>
      found.some((one) => `${home}/${path}/`.startsWith(`${one}/`));
    assert.deepEqual(secrets.filter((path) => !is_denied(path)), [".unknown/auth.json"]);
    assert.deepEqual([...harmless, ...own].filter(is_denied), []);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});

Deno.test("settings of any program are denied where a key stands in them, and no others", () => {
  const home = Deno.realPathSync(Deno.makeTempDirSync());
  const hex = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
  const keys: readonly [string, string][] = [
    [".config/a/config.toml", `[default]\nendpoint = "https://x.dev"\napi_key = "${hex}"\n`],
    [".config/a.yaml", `contexts:\n  - name: prod\n    token: ${hex}\n`],
    [".config/a/cli.json", `{"user":"me","accessToken":"${hex}","v":1}`],
    [".local/share/a/config", `PASSWORD=${hex}\r\n`],
    [".agent/settings.json", `{ "env": { "FOO": "sk-proj-${hex}" } }`],
    [".config/b/.brc", `password ${hex}\n`],
    [".config/b/hosts.yml", `gh.example:\n  oauth: gho_${hex}\n`],
    [".config/b/db.ini", `[main]\nurl = postgres://me:pa55-${hex}@db.example/x\n`],
    [".config/c/x.conf", "-----BEGIN OPENSSH PRIVATE KEY-----\n"],
  ];
  const plain: readonly [string, string][] = [
    [".config/a/plain.toml", `max_tokens = 4096\ntokenizer = "gpt2-large-2048-v1"\n`],
    [".config/a/env.toml", 'api_key = "$OPENAI_API_KEY_2"\ntoken_env = "MY_TOKEN_2026"\n'],
    [".config/a/cmd.ini", "password_command = pass show mail/imap2\npassword = !pass show x1\n"],
    [
      ".config/a/where.yaml",
      "key: /etc/ssl/private/host2.key\ntoken_url: https://a1.example/oauth\n",
    ],
    [".config/a/bindings.json", '{ "key": "ctrl+shift+f12", "command": "workbench.action2" }'],
    [".config/a/theme.json", '{ "tokenColors": [{ "foreground": "#0a1b2c3d" }], "secret": "" }'],
    [".config/a/words.yaml", "secret: keyring-backend-of-the-desktop\npassword: correcthorse\n"],
    [".config/a/notes.md", `token: ${hex}\n`],
    [".config/a/id.toml", `machine_id = "${hex}"\nchecksum = "sha256:${hex}"\n`],
    // Their programs would not start without them.
    [".cargo/config.toml", `[registries.own]\ntoken = "${hex}"\n`],
    [".config/git/config", `[github]\n\ttoken = ${hex}\n`],
    ["project/config.toml", `api_key = "${hex}"\n`],
    [".gitconfig", `[github]\n\ttoken = ${hex}\n`],
  ];
  try {
    for (const [path, text] of [...keys, ...plain]) {
      Deno.mkdirSync(`${home}/${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      Deno.writeTextFileSync(`${home}/${path}`, text);
    }
    const at = { environ: {}, data_dir: null, config_file: null, home };
    const found = denied_paths(ASKED, { ...at, workspace: `${home}/project` });
    const is_denied = ([path]: readonly [string, string]) => found.includes(`${home}/${path}`);
    assert.deepEqual(keys.filter((one) => !is_denied(one)), []);
    assert.deepEqual(plain.filter(is_denied), []);
    const none = denied_paths({ ...ASKED, deny_read: [] }, { ...at, workspace: `${home}/project` });
    assert.deepEqual(none, []);
  } finally {
    Deno.removeSync(home, { recursive: true });
  }
});
