/** Which parts of a line failed, by lines as models write them. */
import assert from "node:assert/strict";
import { bench } from "../../_testing.ts";
import { FailedParts } from "./failed_parts.ts";
import { undone_in } from "./line_trace.ts";

Deno.test("the parts of a line that failed are known though it went on, and it prints and ends as without that", async () => {
  // Printed: null where bash says what it does not understand.
  const table: [string, readonly string[], string | null][] = [
    ["false; echo $?", ["false"], "1\n"],
    ["cd /no.such 2>/dev/null; sh -c 'exit 7'\nls /no.such >&/dev/null; echo", [
      "cd /no.such 2>/dev/null",
      "sh -c 'exit 7'",
      "ls /no.such >&/dev/null",
    ], "\n"],
    ["cat <<A; grep -c x <<B; echo\na\nA\nb\nB", ["grep -c x <<B"], "a\n0\n\n"],
    [
      "false | true; echo ${PIPESTATUS[@]}; true | false; echo ${PIPESTATUS[@]} $?",
      ["false"],
      "1 0\n0 1 1\n",
    ],
    // What is not a part is told by the exit code.
    ["if false; then :; fi; false || true; false && true; ! true; echo", [
      "false",
      "false",
      "false",
    ], "\n"],
    ["cd /no.such 2>&- && make; grep -c x /no.such/x 2>&1 | tail -1", [
      "cd /no.such 2>&-",
      "grep -c x /no.such/x 2>&1",
    ], "grep: /no.such/x: No such file or directory\n"],
    ["if true; then sh -c 'exit 2' | cat; elif false; then :; else false; fi || echo no; echo", [
      "sh -c 'exit 2'",
    ], "\n"],
    ["if ! false; then echo a; { false; } >/dev/null; fi && echo no", ["false", "false"], "a\n"],
    // Who has stopped to listen may have ended what it heard; of 141 all know.
    // What says nothing before all is heard can't have ended it.
    ["sh -c 'exit 1' | tail -4 | head -2; sh -c 'exit 1' | tail -n +2 | head -2; echo", [
      "sh -c 'exit 1'",
    ], "\n"],
    ["sh -c 'exit 1' | head -1; sh -c 'kill -PIPE $$' | cat; yes | head -1", [], "y\n"],
    ["sh -c 'exit 1' | grep -q a; sh -c 'exit 1' | sed 2q; false | sh -c :", [
      "grep -q a",
    ], ""],
    ["set -o pipefail; false | cat && echo no || echo; ! (( 0 )) && sh -c 'exit 1'; echo", [
      "false",
    ], "\n\n"],
    ["true\ntrue || (false); true && { false; } | (false)\necho a ; | b", [], null],
    // Of two shells in a row nobody knows which one failed.
    ["true; (false); (false); echo", ["(false)"], "\n"],
    ["true && (false); if true; then (false); fi; echo", [], "\n"],
    ["false | cat; (cd /; true); false; echo", ["false"], "\n"],
    ["echo a b; echo $_; false $_; echo $_; : c | cat; echo $_", ["false $_"], "a b\nb\nb\nb\n"],
    ["case a in a) false;; esac; false; echo", [], "\n"],
    // Read from a file, so that it does not find itself.
    [": pgrep; sh -c 'exit 3'; true | false; echo", ["sh -c 'exit 3'", "false"], "\n"],
    ["false", [], ""],
    ["true && false", ["false"], ""],
    ["cd / && false", [], ""],
    ["cd / && true && sh -c 'exit 3' && echo no", ["sh -c 'exit 3'"], ""],
    ["i=0; ((i++)); [[ -f /no.such ]]; [ -f /no.such ]; let i=0; echo $i", [
      "((i++))",
      "[[ -f /no.such ]]",
      "[ -f /no.such ]",
      "let i=0",
    ], "0\n"],
    // Bash names the command before where a block can't open its file, and the last one of a pipe whose first has failed.
    ["echo a; { echo; } 2>/dev/null </no.such/x; if :; then :; fi </dev/null; echo", [], "a\n\n"],
    ["set -o pipefail; false | cat; (exit 7) | cat; echo ${PIPESTATUS[@]}", [
      "false",
      "(exit 7)",
    ], "7 0\n"],
    ["echo a | grep b; (cd / && false); x=$(false); echo $?", [
      "(cd / && false)",
      "x=$(false)",
    ], "1\n"],
    ["IFS=0123; false; IFS=/; sh -c 'exit 10'; echo $?", ["false", "sh -c 'exit 10'"], "10\n"],
    // What a function or a script does by the way is no part of the line.
    ["f() { ls /no.such 2>&-; echo f; }; f; echo", [], "f\n\n"],
    [
      'echo "false; echo s" > "$TMPDIR/s.sh"; . "$TMPDIR/s.sh"; rm "$TMPDIR/s.sh"; false',
      ["false"],
      "s\n",
    ],
    ["set -e; f() { false; echo no; }; f; echo", [], ""],
    ["set -euo pipefail; x=$(false | cat); echo", [], ""],
    ["set -ET; (false; true); f() { false; :; }; f; echo", [], "\n"],
    ["false & wait $!; kill -0 99999999 2>&-; read x < /dev/null; timeout 9 false; echo", [
      "wait $!",
      "kill -0 99999999 2>&-",
      "read x < /dev/null",
      "timeout 9 false",
    ], "\n"],
    ["eval false; false; echo", [], "\n"],
    ["command false; builtin false; ! true; printf() { :; }; false; echo", [
      "command false",
      "builtin false",
      "false",
    ], "\n"],
    ["false\nprintf '\\377\\n' | od -An -c; grep -c é <<< è; echo \"*\"", [
      "false",
      "grep -c é <<< è",
    ], " 377  \\n\n0\n*\n"],
    ["false; exec 2>&-; false; exec echo", ["false", "false"], "\n"],
    ["trap 'echo $BASH_COMMAND' DEBUG; false; echo", [], "false\necho\n\n"],
    ["ulimit -f 0; false; echo", [], "\n"],
    ["trap -p DEBUG ERR EXIT RETURN; false; trap 'echo bye' EXIT; exit 3", [], "bye\n"],
    ["set -x; false; echo", ["false"], "+ false\n+ echo\n\n"],
    ["set -u; set -C; false; echo $-", ["false"], "huBCc\n"],
    ["set -e; false; echo", [], ""],
    ["trap 'echo mine' ERR; false; echo", [], "mine\n\n"],
    ["sh -c 'false; echo'; (false; echo)", [], "\n\n"],
    ['false; rm -f "${SPILL:?}"/.failed-*; echo', [], "\n"],
    ['ls -A "$TMPDIR"; false; ls -A "$TMPDIR"; echo', ["false"], "\n"],
  ];
  await bench({}, async (b) => {
    const { tmp, spill } = b.machine.policy;
    const env = { TMPDIR: tmp, SPILL: spill };
    const asked = { env, timeout_s: 60, signal: new AbortController().signal };
    for (const [command, failed, printed] of table) {
      const result = await b.machine.shell.run(command, { ...asked, parts: true });
      assert.deepEqual([command, undone_in(command, result.passed ?? []).failed ?? []], [
        command,
        failed,
      ]);
      assert.ok(printed === null || result.output === printed, `${command}: ${result.output}`);
      const bare = await b.machine.shell.run(command, asked);
      assert.equal(bare.passed, undefined);
      assert.deepEqual([bare.output, bare.exit_code], [result.output, result.exit_code], command);
    }
    for (
      const [command, not_found] of [
        ["hamr-nope src | tail -3", true],
        ["cd /; hamr-nope; echo", true],
        ["hamr-nope; false | cat", undefined],
        ["sh -c 'exit 127' | head -1; echo", undefined],
      ] as const
    ) {
      const { passed = [] } = await b.machine.shell.run(command, { ...asked, parts: true });
      assert.deepEqual([command, undone_in(command, passed).not_found], [command, not_found]);
    }
    const skips: [string, readonly string[] | undefined][] = [
      ["cd /no.such 2>&- && make -j2 | tail -1; echo", ["make -j2 | tail -1"]],
      ["true || make; false || echo", ["make"]],
      ["false && make && make test || echo", ["make", "make test"]],
      ["if false; then make a; elif true; then echo; else make b; fi | cat", undefined],
      ["if false; then make a; elif true; then echo; else make b; fi; false; echo", [
        "make a",
        "make b",
      ]],
    ];
    for (const [command, skipped] of skips) {
      const result = await b.machine.shell.run(command, { ...asked, parts: true });
      assert.deepEqual([
        command,
        undone_in(command, result.passed ?? []).skipped?.map((one) => one.replace(/;$/, "").trim()),
      ], [
        command,
        skipped,
      ]);
    }
    // Lines that no person writes take no time, and no stack.
    const deep = `${"{ ".repeat(20_000)}false; ${"}; ".repeat(20_000)}`;
    assert.deepEqual(undone_in(deep, [{ to: "false", came_from: [0] }]), {});
    const long = `false | sed ${"1".repeat(200_000)}`;
    const notes = [{ to: "false", came_from: [0] }, { to: long.slice(8), came_from: [0] }];
    assert.deepEqual(undone_in(long, [...notes, { to: "", came_from: [1, 0] }]).failed, ["false"]);
    assert.equal(FailedParts.of(`echo ${">&>".repeat(50_000)}`, spill), null);
    // Neither a pipe nor a link in its place is read, nor too long a list.
    const end = [
      'f=$(echo "${SPILL:?}"/.failed-*); rm $f; mkfifo $f',
      'f=$(echo "${SPILL:?}"/.failed-*); mv $f $f-x; ln -s $f-x $f',
      "for i in {1..2000}; do false 123456; done",
    ];
    for (const after of end) {
      const line = `rm -f "\${SPILL:?}"/.failed-*; false; ${after}; echo`;
      const { passed = [], exit_code } = await b.machine.shell.run(line, { ...asked, parts: true });
      assert.deepEqual([after, undone_in(line, passed).failed, exit_code], [after, undefined, 0]);
      assert.ok(![...Deno.readDirSync(spill)].some(({ name }) => /^\.failed-[^x]*$/.test(name)));
    }
  });
});
