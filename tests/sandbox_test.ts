import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, bash, call, say } from "./support/model_server.ts";
import { inside_stage, type Stage, type StageOptions, tools } from "./support/stage.ts";
import type { Results } from "./support/stage.ts";

/** Plays calls that are made once the stage is known. */
async function play(
  calls: (s: Stage) => readonly (readonly [string, Record<string, unknown>])[],
  judge: (results: Results, s: Stage) => void,
  options: StageOptions = {},
  flags: (s: Stage) => readonly string[] = () => [],
): Promise<void> {
  let made: readonly (readonly [string, Record<string, unknown>])[] = [];
  const script: StageOptions["script"] = (_, n) => {
    const next = made[n];
    return next === undefined ? say(ANSWER) : call(...next);
  };
  await inside_stage({ ...options, script }, async (s) => {
    made = calls(s);
    const results = await tools(s, ...flags(s));
    assert.equal(results.run.code, 0, results.run.stderr);
    judge(results, s);
  });
}

/** A TCP server that counts who comes. */
function listener(): { port: number; readonly count: number; close(): Promise<void> } {
  const socket = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let count = 0;
  const loop = (async () => {
    for await (const connection of socket) {
      count++;
      await connection.write(new TextEncoder().encode("hello\n")).catch(() => 0);
      connection.close();
    }
  })();
  return {
    port: (socket.addr as Deno.NetAddr).port,
    get count() {
      return count;
    },
    async close() {
      socket.close();
      await loop;
    },
  };
}

const sh = (command: string) => ["bash", { command }] as const;

Deno.test("no way to write leads out of the workspace", async () => {
  type Way = (s: Stage, target: string) => readonly (readonly [string, Record<string, unknown>])[];
  /** What each writes outside is called after it. */
  const by_tools: Record<string, Way> = {
    absolute: (_, path) => [["write", { path, content: "x" }]],
    above: () => [["write", { path: "../outside/above", content: "x" }]],
    inner: () => [["write", { path: "a/../../outside/inner", content: "x" }]],
    linked: (s) => [sh(`ln -s ${s.outside.path} link`), ["write", {
      path: "link/linked",
      content: "x",
    }]],
    deep: () => [["write", { path: "link/deep/new", content: "x" }]],
    dangling: (_, path) => [sh(`ln -s ${path} to`), ["write", { path: "to", content: "x" }]],
    old_edit: (s) => [
      ["read", { path: s.outside.at("old") }],
      ["edit", { path: s.outside.at("old"), old: "kept", new: "x" }],
    ],
    old_link: (s) => [
      sh(`ln -s ${s.outside.at("old")} old`),
      ["edit", { path: "old", old: "kept", new: "x" }],
    ],
  };
  const by_bash: Record<string, Way> = {
    old_hard: (s) => [sh(`ln ${s.outside.at("old")} hard`), sh("echo x > hard")],
    absolute: (_, path) => [sh(`echo x > ${path}`)],
    above: () => [sh("echo x > ../outside/above")],
    linked: (s) => [sh(`ln -s ${s.outside.path} l; echo x > l/linked`)],
    rename: (_, path) => [sh(`echo x > n; mv n ${path}`)],
    old_delete: (s) => [sh(`rm -f ${s.outside.at("old")}`)],
    old_truncate: (s) => [sh(`truncate -s 0 ${s.outside.at("old")}`)],
    mkdir: (_, path) => [sh(`mkdir ${path}`)],
    link: (_, path) => [sh(`ln -s /etc/passwd ${path}`)],
    background: (_, path) => [sh(`(setsid sh -c 'echo x > ${path}' &) ; sleep 0.3`)],
    home: (s) => [sh(`echo x > ${s.home.at("new")}; echo x >> ${s.home.at(".bashrc")}`)],
    folder_above: (s) => [sh(`cd ..; echo x > new; mv ${s.ws.path} ${s.ws.path}2`)],
  };
  await each([by_tools, by_bash], async (ways) => {
    const prepared = (s: Stage) => {
      s.outside.write("old", "kept\n");
      return Object.entries(ways).flatMap(([name, way]) => way(s, s.outside.at(name)));
    };
    await play(prepared, ({ texts, events }, s) => {
      assert.deepEqual([...Deno.readDirSync(s.outside.path)].map(({ name }) => name), ["old"]);
      assert.equal(s.outside.read("old"), "kept\n");
      assert.ok(!s.home.exists("new") && !s.home.exists(".bashrc"), "HOME was written to");
      assert.ok(s.ws.exists("."), "the workspace was moved");
      for (const [n, { name, ok }] of events.entries()) {
        if (name === "write" || name === "edit") assert.equal(ok, false, texts[n]);
      }
    });
  });
});

Deno.test("a refused write names the flag that would allow it, and is counted", async () => {
  const calls = (s: Stage) => [
    sh(`echo x > ${s.outside.at("new")}`),
    ["write", { path: s.outside.at("new"), content: "x" }] as const,
  ];
  await play(calls, ({ texts, events, run }) => {
    for (const text of texts) assert.match(text, /--allow-write/);
    assert.notEqual(events[1]?.["refused"], null);
    assert.ok(run.result.evidence.refused > 0);
  });
});

Deno.test("--allow-write lets just that folder be written", async () => {
  const calls = (s: Stage) => [
    sh(`echo x > ${s.outside.at("ok/new")}; echo y > ${s.outside.at("new")}`),
    ["write", { path: s.outside.at("ok/two"), content: "z" }] as const,
  ];
  const prepared = (s: Stage) => {
    s.outside.write("ok/", "");
    return calls(s);
  };
  await play(
    prepared,
    (_, s) => {
      assert.equal(s.outside.read("ok/new"), "x\n");
      assert.equal(s.outside.read("ok/two"), "z");
      assert.ok(!s.outside.exists("new"));
    },
    {},
    (s) => [`--allow-write=${s.outside.at("ok")}`],
  );
});

Deno.test("--sandbox off lets everything be written, and is said", async () => {
  const flags = () => ["--sandbox", "off"];
  await play(
    (s) => [sh(`echo x > ${s.outside.at("new")}`)],
    ({ run }, s) => {
      assert.equal(s.outside.read("new"), "x\n");
      assert.match(run.stderr + run.result.warnings.join(), /sandbox/i);
    },
    {},
    flags,
  );
});

Deno.test("the run's own TMPDIR and the usual devices can be written, and TMPDIR is gone afterwards", async () => {
  const calls = () => [
    sh(
      'f=$(mktemp) && echo in > "$f" && cat "$f" && echo "tmp=$TMPDIR" && case "$f" in "$TMPDIR"/*) echo inside;; esac',
    ),
    sh("echo a > /dev/null 2>&1 && echo b >&2 2>/dev/null && cat <(echo c) && echo fine"),
  ];
  await play(calls, ({ texts }) => {
    assert.match(texts[0]!, /^in$/m);
    assert.match(texts[0]!, /^inside$/m);
    const path = /^tmp=(.+)$/m.exec(texts[0]!)?.[1] ?? "";
    assert.throws(() => Deno.statSync(path), Deno.errors.NotFound);
    assert.match(texts[1]!, /c\nfine/);
  });
});

Deno.test("the network is closed, and says which flag opens it", async () => {
  const server = listener();
  const connect = sh(`exec 3<>/dev/tcp/127.0.0.1/${server.port} && cat <&3`);
  try {
    await play(() => [connect], ({ texts }) => {
      assert.equal(server.count, 0);
      assert.doesNotMatch(texts[0]!, /^hello$/m);
      assert.match(texts[0]!, /--allow-net/);
    });
    await play(
      () => [connect],
      ({ texts }) => {
        assert.equal(server.count, 1);
        assert.match(texts[0]!, /^hello$/m);
      },
      {},
      () => ["--allow-net"],
    );
  } finally {
    await server.close();
  }
});

Deno.test("a command can't talk to the model's server", async () => {
  await play(
    (
      s,
    ) => [
      sh(`exec 3<>/dev/tcp/127.0.0.1/${s.server.port}; printf 'GET /x HTTP/1.0\\r\\n\\r\\n' >&3`),
    ],
    (_, s) => {
      assert.ok(!s.server.paths.includes("GET /x"));
    },
  );
});

Deno.test("no key reaches a child, the screen, the history or a file", async () => {
  const key = "sk-hush-0123456789-not-to-be-seen";
  const env = {
    HAMR_API_KEY: key,
    OPENAI_API_KEY: `${key}-2`,
    ANTHROPIC_API_KEY: `${key}-3`,
    AWS_SECRET_ACCESS_KEY: `${key}-4`,
    MY_OWN_TOKEN: `${key}-5`,
  };
  const calls = () => [
    sh("env; set; export -p"),
    sh("cat /proc/$PPID/environ /proc/self/environ | tr '\\0' '\\n'"),
    sh("cat /proc/[0-9]*/environ /proc/[0-9]*/task/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"),
    sh("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'"),
  ];
  const judge = (results: Results, s: Stage) => {
    for (const [i, text] of results.texts.entries()) {
      assert.ok(!text.includes("sk-hush"), `a key is in the result of command ${i}`);
    }
    assert.equal(s.server.requests[0]!.headers.get("authorization"), `Bearer ${key}`);
    const { stdout, stderr } = results.run;
    assert.ok(!(stdout + stderr).includes("sk-hush"), "a key is in the output");
    for (const request of s.server.requests) assert.ok(!request.raw.includes("sk-hush"));
    assert.deepEqual(files_with("sk-hush", [s.home.path, s.ws.path]), []);
  };
  const flags = (s: Stage) => ["-v", "--log-file", s.home.at("run.log")];
  await play(calls, judge, { env }, flags);
});

/** Files below folders that contain a text. */
function files_with(text: string, folders: readonly string[]): string[] {
  return folders.flatMap((path) =>
    [...Deno.readDirSync(path)].flatMap((entry) => {
      const full = `${path}/${entry.name}`;
      if (entry.isDirectory) return files_with(text, [full]);
      if (!entry.isFile) return [];
      return new TextDecoder().decode(Deno.readFileSync(full)).includes(text) ? [full] : [];
    })
  );
}

Deno.test("children get the environment that programs need", async () => {
  const env = { LANG: "C.UTF-8", TERM: "dumb" };
  await play(() => [sh('echo "$PATH|$HOME|$LANG|$PWD"; type ls')], ({ texts }, s) => {
    assert.ok(texts[0]!.includes(`${Deno.env.get("PATH")}|`));
    assert.ok(texts[0]!.includes(`|C.UTF-8|${s.ws.path}`), texts[0]);
  }, { env });
});

Deno.test("--allow-env gives a variable to commands, and no other", async () => {
  const env = { MY_SETTING: "mine-1", MY_TOKEN: "token-1" };
  const show = sh('echo "[$MY_SETTING][$MY_TOKEN]"');
  await play(() => [show], ({ texts }) => assert.match(texts[0]!, /\[\]\[\]/), { env });
  await play(
    () => [show],
    ({ texts }) => assert.match(texts[0]!, /\[mine-1\]\[\]/),
    { env },
    () => ["--allow-env=MY_SETTING"],
  );
});

Deno.test("what a repository's own settings would start is not started", async () => {
  if (!has("git")) return;
  const files = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/": "",
    ".git/objects/": "",
    "a.txt": "one\n",
  };
  await inside_stage(
    { files, script: [bash("echo two > a.txt"), say("The file says two now.")] },
    async (s) => {
      const trap = `sh -c 'echo pwned > ${s.outside.at("pwned")}'`;
      s.ws.write(".git/config", `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${trap}"\n`);
      const { code } = await s.run("Change it.", "--mode", "patch");
      assert.equal(code, 0);
      assert.ok(!s.outside.exists("pwned"));
    },
  );
});

function has(program: string): boolean {
  try {
    return new Deno.Command(program, { args: ["--version"] }).outputSync().code === 0;
  } catch {
    return false;
  }
}
