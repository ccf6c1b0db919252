import assert from "node:assert/strict";
import type { Policy } from "../sandbox/policy.ts";
import { missing_program } from "./missing_program.ts";

const POLICY: Policy = {
  ...{ workspace: "/work/one", tmp: "/tmp/hamr-1", spill: "/data/out", cache: "/data/cache" },
  ...{ git: null, read: "all", deny_read: [], write: ["/opt/tools"], run: "all", net: "own" },
  env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  sandbox: "auto",
};

Deno.test("a program that is nowhere, and that no command may put there, is named", async () => {
  const missing = (script: string) => missing_program(script, POLICY);
  for (
    const script of [
      ...["no-such-program", "no-such-program --all 'a b' > log 2>&1", "CI=1 no-such-program $X"],
      ...["no-such-program && make test", "cd sub && no-such-program"],
      "cd a && cd b && no-such-program && echo ok",
      ...[
        "env no-such-program",
        "env CI=1 A=b no-such-program --all",
        "timeout 60 no-such-program",
      ],
      ...[
        "sh -c no-such-program",
        "bash -c 'no-such-program && true'",
        'sh -ec "no-such-program a"',
      ],
      ...["cd x && env A=1 timeout 5m sh -c 'cd y && no-such-program'", "nohup no-such-program"],
      "/bin/sh -c 'no-such-program'",
    ]
  ) assert.equal(await missing(script), "no-such-program", script);
  assert.equal(await missing("/no/such/program"), "/no/such/program");
});

Deno.test("what may pass is not refused: files of the workspace, what the shell knows itself, what goes on without it", async () => {
  const honest = [
    ...["true", "sh -c 'exit 0'", "test -f a.txt", "cd x && sh test.sh", "ls && echo", "[ -e a ]"],
    ...["./test.sh", "bin/check", "../x/check", "/work/one/test.sh", "/opt/tools/check"],
    ...["/tmp/hamr-1/check", "source venv/bin/activate && pytest-x", ". ./env && no-such-program"],
    ...["no-such-program || true", "no-such-program; true", "! no-such-program"],
    ...["no-such-program | cat", "no-such-program & wait", "if no-such-program; then :; fi"],
    ...["npx_() { :; }; npx_", "$RUNNER test", "${RUNNER:-make} test", "~/bin/check", "$(which x)"],
    ...["PATH=$PWD/bin:$PATH check", "export PATH=x && check", "pushd x && no-such-program"],
    ...[
      "eval no-such-program",
      "time no-such-program",
      "(no-such-program)",
      "{ no-such-program; }",
    ],
    ...["env PATH=x no-such-program", "env -i no-such-program", "env -S 'no-such-program'", "env"],
    ...[
      "env $X no-such-program",
      "env A=$B ./run.sh",
      "env A=1 true",
      "env sh test.sh",
      "env -- x",
    ],
    ...[
      "timeout -k 5 60 no-such-program",
      "timeout $T no-such-program",
      "timeout 5 ./a",
      "timeout 5",
    ],
    ...["sh -c 'no-such-program || true'", "sh -c 'no-such-program; true'", 'sh -c "$CMD"'],
    ...["bash -lc no-such-program", "sh -xc no-such-program", "bash --rcfile x -c no-such-program"],
    ...["sh -c 'f() { :; }; f'", "sh -c '. ./env && no-such-program'", "sh -c", "sh run.sh", "sh"],
    ...["env A='no such' make -f x", "sh -c 'exit 0'", "PATH=x sh -c y"],
    ...["[[ -e a ]]", "((1))", "a=1", "> out", "", "# nothing", "'no such'", "no*"],
    ...["command -v no-such-program", "exec no-such-program", "cat <<E && (", "no-such-program )"],
  ];
  for (const script of honest) assert.equal(await missing_program(script, POLICY), null, script);
  const script = "no-such-program";
  const others: Partial<Policy>[] = [
    { write: "all" },
    { sandbox: "off" },
    ...[
      "/work/one/node_modules/.bin:/bin",
      "node_modules/.bin:/bin",
      ":/bin",
      "/opt/tools/bin:/bin",
    ]
      .map((PATH) => ({ env: { PATH } })),
    { env: { PATH: "/bin", BASH_ENV: "/etc/env" } },
    { env: { PATH: "/bin", "BASH_FUNC_no-such-program%%": "() { :; }" } },
  ];
  for (const other of others) {
    assert.equal(
      await missing_program(script, { ...POLICY, ...other }),
      null,
      JSON.stringify(other),
    );
  }
});
