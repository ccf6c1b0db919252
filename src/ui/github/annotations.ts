/** Where compilers, linters and test runners report a fault: a table, like problem matchers. */

export interface Annotation {
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
  readonly level: "error" | "warning";
  readonly message: string;
}

/** One line that tells a whole fault. Groups: file, line, and where they are known column, level and message. */
const LINES: readonly RegExp[] = [
  // tsc, MSBuild: src/a.ts(3,5): error TS2322: …
  /^\s*(?<file>[^\s(][^(]*)\((?<line>\d+),(?<column>\d+)\):\s+(?<level>error|warning)\s+(?<message>.+)$/,
  // tsc --pretty: src/a.ts:3:5 - error TS2322: …
  /^(?<file>[^\s:][^:]*):(?<line>\d+):(?<column>\d+) - (?<level>error|warning) (?<message>.+)$/,
  // gcc, clang, javac, rustc --error-format=short, ruff, mypy, flake8, shellcheck -f gcc: a.c:3:5: error: …
  /^(?<file>[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)?\s+(?:fatal )?(?<level>error|warning)\b:?\s*(?<message>.+)$/i,
  // pytest: tests/test_a.py:3: AssertionError
  /^(?<file>[^\s:][^:]*\.py):(?<line>\d+): (?<message>\w*(?:Error|Exception|Failed|Warning)\b.*)$/,
  // ruff, flake8, pylint: a.py:3:5: E501 Line too long
  /^(?<file>[^\s:][^:]*\.py):(?<line>\d+):(?<column>\d+): (?<message>[A-Z]+\d+:? .+)$/,
  // go build, go vet: ./a.go:3:5: undefined: x
  /^(?:vet: )?(?<file>[^\s:][^:]*\.go):(?<line>\d+):(?<column>\d+): (?<message>.+)$/,
  // go test: "    a_test.go:12: got 1"
  /^\s+(?<file>[^\s:]+_test\.go):(?<line>\d+): (?<message>.+)$/,
  // bash -n, bash: a.sh: line 3: syntax error
  /^(?<file>[^\s:]+): line (?<line>\d+): (?<message>.+)$/,
];

/** A line with the message, followed within a few lines by one with the place. */
const PAIRS: readonly { readonly what: RegExp; readonly where: RegExp; readonly within: number }[] =
  [
    // rustc: error[E0308]: mismatched types / --> src/main.rs:3:5
    {
      what: /^(?<level>error|warning)(?:\[\w+\])?: (?<message>.+)$/,
      where: /^\s*--> (?<file>[^:]+):(?<line>\d+):(?<column>\d+)$/,
      within: 2,
    },
    // ruff: F401 [*] `os` imported but unused / --> a.py:3:5
    {
      what: /^(?<message>[A-Z]+\d+ .+)$/,
      where: /^\s*--> (?<file>[^:]+):(?<line>\d+):(?<column>\d+)$/,
      within: 2,
    },
    // jest, vitest: "● sum › adds" or "FAIL a.test.ts > adds" / at Object.<anonymous> (src/a.test.js:3:5)
    {
      what: /^\s*(?:●|✗|×|FAIL )\s*(?<message>\S.+)$/,
      where:
        /^\s*(?:at .*\((?<file>[^():]+):(?<line>\d+):(?<column>\d+)\)|❯ (?<file2>[^:]+):(?<line2>\d+):(?<column2>\d+))$/,
      within: 40,
    },
    // mocha, deno test, node, bun: AssertionError: … / at Context.<anonymous> (a.js:3:5), or file:///w/a_test.ts:3:5
    {
      what: /^\s*(?:error: )?(?:Uncaught )?(?<message>\w*Error\b.*)$/,
      where: /^\s*at (?:.*\()?(?:file:\/\/)?(?<file>[^():]+):(?<line>\d+):(?<column>\d+)\)?$/,
      within: 30,
    },
    // go test: panic: assignment to entry in nil map / 	/w/a_test.go:13 +0x28
    {
      what: /^panic: (?<message>.+?)(?: \[recovered.*)?$/,
      where: /^\s+(?<file>\/[^:]+\.go):(?<line>\d+)(?: \+0x\w+)?$/,
      within: 40,
    },
  ];

/** A line with the place, followed by one with the message; of several places before it the last one counts. */
const PLACES: readonly { readonly where: RegExp; readonly what: RegExp }[] = [
  // Python's traceback.
  {
    where: /^\s*File "(?<file>[^"]+)", line (?<line>\d+)/,
    what: /^(?<message>\w[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*)$/,
  },
  // pytest --tb=short, and what can't be imported: tests/test_a.py:6: in test_a / E   assert -1 == 3
  { where: /^(?<file>[^\s:][^:]*\.py):(?<line>\d+): in /, what: /^E\s+(?<message>.+)$/ },
  // cargo test: thread 'tests::adds' panicked at src/lib.rs:6:9:
  {
    where: /^thread .* panicked at (?<file>[^:]+):(?<line>\d+):(?<column>\d+):$/,
    what: /^(?<message>\S.*)$/,
  },
  // node --test, to a file: location: '/w/a.test.js:3:1' / error: '-1 == 3'
  {
    where: /^\s+location: ['"](?<file>[^'"]+):(?<line>\d+):(?<column>\d+)['"]$/,
    what: /^\s+error: ['"](?<message>.+)['"]$/,
  },
  // node: /w/a.js:2 / SyntaxError: …
  {
    where: /^(?<file>\/[^:\s]+\.[cm]?[jt]sx?):(?<line>\d+)$/,
    what: /^(?<message>\w*Error\b.*)$/,
  },
];

/** pytest says what was wrong before it says where. */
const SAID = /^E\s{3,}(?<message>.+)$/;

/** Not the workspace's own code: what it calls, and what calls it. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages)\/|\/lib\/python3|^node:|^\/rustc\/|\/src\/(?:runtime|testing)\//;

/** eslint's stylish: the file on a line of its own, then "  3:5  error  message  rule". */
const HEADING = /^(?<file>\/?[^\s:][^:]*\.\w+)$/;
const BELOW = /^\s+(?<line>\d+):(?<column>\d+)\s+(?<level>error|warning)\s+(?<message>.+)$/;

/** Terminal colors say nothing of a fault. */
const COLORS = /\x1b\[[\d;]*m/g;

/** The faults that an output tells of, each once, in their order. */
export function annotations(output: string): readonly Annotation[] {
  const lines = output.replace(COLORS, "").split(/\r?\n/);
  const found = new Map<string, Annotation>();
  let heading: string | null = null;
  let place = null as Placed | null;
  let said: string | null = null;
  for (const [at, line] of lines.entries()) {
    heading = HEADING.exec(line)?.groups?.["file"] ?? (line.trim() === "" ? null : heading);
    const below = heading === null ? null : BELOW.exec(line);
    const next = placed(line);
    const told = next === null ? place?.what.exec(line) ?? null : null;
    let one = below !== null
      ? annotation({ ...below.groups, file: heading ?? "" })
      : told !== null
      ? annotation({ ...place?.at, ...told.groups })
      : of_line(line) ?? of_pair(lines, at);
    place = told === null ? next ?? place : null;
    if (one === null) {
      said ??= SAID.exec(line)?.groups?.["message"] ?? null;
      continue;
    }
    if (told === null && said !== null && one.file.endsWith(".py")) one = { ...one, message: said };
    said = null;
    found.set(`${one.file}:${one.line}:${one.message}`, one);
  }
  return [...found.values()];
}

interface Placed {
  readonly at: Groups;
  readonly what: RegExp;
}

function placed(line: string): Placed | null {
  for (const { where, what } of PLACES) {
    const at = where.exec(line)?.groups;
    if (at !== undefined && !FOREIGN.test(at["file"] ?? "")) return { at, what };
  }
  return null;
}

type Groups = Readonly<Record<string, string | undefined>>;

function of_line(line: string): Annotation | null {
  for (const pattern of LINES) {
    const match = pattern.exec(line);
    if (match !== null) return annotation(match.groups ?? {});
  }
  return null;
}

function of_pair(lines: readonly string[], at: number): Annotation | null {
  for (const { what, where, within } of PAIRS) {
    const said = what.exec(lines[at] ?? "");
    if (said === null) continue;
    for (const next of lines.slice(at + 1, at + 1 + within)) {
      if (what.test(next)) break;
      const place = where.exec(next)?.groups;
      if (place === undefined || FOREIGN.test(place["file"] ?? "")) continue;
      return annotation({ ...said.groups, ...place });
    }
  }
  return null;
}

function annotation(groups: Groups): Annotation | null {
  const file = groups["file"] ?? groups["file2"] ?? "";
  const column = groups["column"] ?? groups["column2"];
  const message = groups["message"]?.trim() ?? "";
  if (file === "" || message === "") return null;
  return {
    file: file.trim().replace(/^\.\//, ""),
    line: Number(groups["line"] ?? groups["line2"]),
    column: column === undefined ? null : Number(column),
    level: groups["level"]?.toLowerCase() === "warning" ? "warning" : "error",
    message,
  };
}
