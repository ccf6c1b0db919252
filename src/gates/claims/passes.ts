/** Whether a test, a build or the like can have passed. */
import type { View } from "../../guards/rule.ts";
import { changed_paths, type CommandRow, type LedgerRow } from "../../tools/ledger.ts";
import {
  begins_beside,
  could_test,
  git_verb,
  installs,
  is_test,
  parts_of,
  reads_report,
} from "../facts/commands.ts";
import { asks } from "../answer/answer.ts";
import { plain } from "../answer/text.ts";
import { claims_pass } from "../phrases/triggers.ts";
import { table } from "../phrases/words.ts";
import {
  commands,
  ended_well,
  going_on,
  lacks_program,
  taken_apart,
  worked_parts,
} from "../facts/outcomes.ts";

/** Tests do not read these. */
const PROSE = /\.(?:md|rst|txt|adoc)$|(?:^|\/)(?:LICENSE|CHANGELOG|README|AUTHORS)[^/]*$/i;
/** Builds or checks, and runs no test. */
const BUILDS =
  /^(?:cargo (?:build|check|clippy)|go (?:build|vet)|tsc|eslint|mypy|pyright|flake8|pylint|ruff|prettier|black|shellcheck|golangci-lint|gcc|g\+\+|cc|clang|javac|rustc|(?:ba)?sh -n|python\d? -m (?:py_compile|compileall|mypy)|(?:npm|pnpm|yarn|bun)(?: run)?(?: -\S+)* (?:build|lint|typecheck|type-check|tsc|compile))\b/;
/** Shows nothing of the files that it names. */
const MOVES = /^(?:rm|mv|cp|ln|touch|tee|mkdir|p?kill)\b/;
/** Lists, builds or imports, and runs no test. */
const RUNS_NONE =
  /^(?!git\b).* (?:--(?:collect-only|co|no-run|list|list-?[tT]ests|show-only|dry-run|just-print)|-N)(?: |$)|^make (?:-\w+ )*-[a-zB]*n(?: |$)|^go test(?: .*)? -(?:c|list)(?:[ =]|$)|^python[\d.]* -c (?:(?:import|from) [\w., ]+;? ?)+$/;
/** What an answer tells beside the tests. */
interface Told {
  readonly taken_back?: boolean;
  readonly history?: boolean;
  readonly tests?: boolean;
  readonly short?: boolean;
  readonly whole?: boolean;
  readonly claim?: string;
}

/** Whether a claim is about what a command does: "the linter passes", `npm run lint`. */
function is_told_of({ command }: CommandRow, claim = ""): boolean {
  return (claim.match(/lint|build|typ|compil|format/g) ?? []).some((word) =>
    command.includes(word)
  );
}

/** Whether a test could have passed since the last change. `taken_back`: a restored state counts as unchanged. `history`: any time. `tests`: only tests. `short`: something is said not to be, which a test's program may be. `whole`: not those of one file or package. */
export function could_pass(view: View, told: Told = {}): boolean {
  const ledger = view.ledger.flatMap(taken_apart);
  const in_parts = commands(ledger).filter(({ command }) => is_partial(command)).length > 1;
  // A report that nothing can have written since the last change.
  const is_old = (at: number) => {
    const last = ledger.slice(0, at).findLastIndex((row) =>
      row.kind === "file" && !PROSE.test(row.path)
    );
    return last >= 0 && !view.actions.some(begins_beside) &&
      commands(ledger.slice(last + 1, at)).every(({ command }) =>
        !parts_of(command).some(could_test)
      );
  };
  if (told.tests && has_only_failed(ledger)) return false;
  return ledger.some((row, at) => {
    if (row.kind === "planned") return true;
    if (!has_passed(row, in_parts ? { ...told, whole: false } : told)) return false;
    if (row.kind === "command" && !parts_of(row.command).some(could_test) && is_old(at)) {
      return false;
    }
    const after = ledger.slice(at + 1);
    const committed = after.findLastIndex(may_have_run_hooks);
    return changed_paths(after.slice(committed + 1)).every((path) =>
      PROSE.test(path) || came_and_went(ledger, path) ||
      told.taken_back === true && !changed_paths(ledger).includes(path)
    ) &&
      !after.some((later) =>
        later.kind === "command" && !ended_well(later) &&
        !(told.short && lacks_program(later)) &&
        (contradicts(later, row) || is_told_of(later, told.claim))
      );
  }) || !is_old(ledger.length) &&
      view.actions.some(({ name, args, ok }) => name === "read" && ok && reads_report(args));
}

/** Whether tests have run since the last change, and none of them ended well: then no other program was the test. */
function has_only_failed(ledger: readonly LedgerRow[]): boolean {
  const last = ledger.findLastIndex((row) => row.kind === "file" && !PROSE.test(row.path));
  const tests = commands(ledger.slice(last + 1)).filter((row) =>
    (is_test(row.command) || CHECKS.test(row.command)) && !lacks_program(row)
  );
  return tests.length > 0 && !tests.some(ended_well) &&
    !ledger.some(({ kind }) => kind === "verification");
}

/** `make check` runs tests, too. */
const CHECKS = /\b(?:check|verify|ci)\b/;

/** Hooks of a commit may run what passed before: what was changed only for them is tried by them. */
function may_have_run_hooks(row: LedgerRow): boolean {
  return row.kind === "command" && ended_well(row) && !SKIPS_HOOKS.test(row.command) &&
    parts_of(row.command).some((part) => git_verb(part) === "commit");
}

const SKIPS_HOOKS = / (?:--no-verify|-\w*n\w*)(?: |$)/;

/** Says of what is named before it, with its arguments, that it passes. */
const PASSES =
  /^((?: \S*[./*-]\S*){0,4}|(?: (?!not\b|never\b|no\b|\w+n't\b)\w+){1,2}) (?:now |also |still )*(?:(?:(?:pass|succeed)(?:es|s|ed)|(?:both|all) (?:now )?(?:pass|succeed)(?:ed)?|(?:is|was|ran|runs) (?:now )?(?:clean(?:ly)?|happy|green))(?: (?:without|with (?:no|zero|0)|for|on|in|now|again)\b|\W*$|[,;:]| \()|(?:ran [^.;,]{0,40} and )?(?:reports?|reported|finds?|found|shows?|(?:finish|exit|end|complet)(?:e?[sd]) with(?:out)?) (?:no|zero|0|nothing|any)\b|(?:reports?|says) that [^;,]{0,60} (?:is|are) (?:fine|ok|valid|correct|clean)\b|(?:prints?|reports?|says) (?:ok|pass(?:ed)?)\b|(?:runs?|ran) (?:to the end|through)\b|doesn't (?:report|find|print|show) (?:anything|any)\b|(?:runs?|ran|works?|prints?|completes?) [^.;,]{0,40}\bwithout (?:any )?(?:errors?|problems?|failures?)\b)/;

/** The same anywhere: few sentences have it, and the commands of a run may be thousands. */
const SAYS_PASSES = new RegExp(PASSES.source.slice(1));

/** "`pip install .` still works": no test has to have passed for it, but it must not have failed. */
const WORKS =
  /^((?: \S*[./*-]\S*){0,4}) (?:now |also |still )*works\b(?: (?:again|now|as before)\b|\W*$|[,;:])/;

/** Commands of the run of which a sentence says that they pass. */
function said_to_pass(
  sentence: string,
  names: readonly string[],
  passes = PASSES,
): readonly { readonly name: string; readonly args: string }[] {
  return names.flatMap((name) =>
    behind_name(sentence, name).flatMap((rest) => {
      const args = passes.exec(rest)?.[1];
      return args === undefined ? [] : [{ name, args: args.trim().replace(/^\.\/$/, ".") }];
    })
  );
}

/** Whether a sentence says of a command, named in it in `plain` text, that it passes. */
export function says_that_it_passes(sentence: string, name: string): boolean {
  return behind_name(sentence, name).some((rest) => PASSES.test(rest));
}

/** What stands behind each mention of a command, and the colon there may be. */
function behind_name(sentence: string, name: string): readonly string[] {
  const found: string[] = [];
  for (let at = -1; (at = sentence.indexOf(name, at + 1)) >= 0;) {
    const rest = sentence.slice(at + name.length);
    if (!/[\w.-]/.test(sentence[at - 1] ?? "") && !/^(?:[\w/-]|\.\w)/.test(rest)) {
      found.push(rest.replace(/^:/, " prints"));
    }
  }
  return found;
}

/** Whether a sentence says that a test, a linter or a command of the run passes. */
export function tells_of_pass(sentence: string, view: View): boolean {
  return claims_pass(sentence) ||
    SAYS_PASSES.test(sentence) && said_to_pass(sentence, called_commands(view)).length > 0;
}

/** Whether a sentence says that a command passes, which is known to have failed when it ran last, whatever else has passed. */
export function names_failed(sentence: string, view: View): boolean {
  const told = [
    ...SAYS_PASSES.test(sentence) ? said_to_pass(sentence, called_commands(view)) : [],
    ...sentence.includes("works")
      ? said_to_pass(sentence, called_commands(view, installs), WORKS)
      : [],
  ];
  return told.some(({ name, args }) => has_failed_last(name, view, args));
}

function has_failed_last(name: string, { ledger }: View, args = ""): boolean {
  const is_it = (part: string) =>
    names_of(part).includes(name) && plain(part).includes(args) ||
    TEST_FILE.test(name) && is_test(part) && test_files(part).length === 0;
  const last = commands(ledger).findLast(({ command }) => parts_of(command).some(is_it));
  return last !== undefined && (last.exit_code === null || !worked_parts(last).some(is_it));
}

/** What one calls a command by: `go vet ./...` is "go vet". */
const CALLED = /^[\w-][\w.-]*(?: (?!-)[\w:-]+(?= |$)){0,2}/;
/** The script that a command runs: `sh tests/run.sh` is "run.sh". */
const SCRIPT =
  /^(?:(?:python[\d.]*|node|(?:ba|da|z)?sh|ruby|perl|php) (?:-\S+ )*)?(?:[\w.-]*\/)*([\w-]+\.\w+)(?= |$)/;

/** Between a program and what it is to do: `make -C lib test`. */
const OPTIONS = /^(make|npm|pnpm|yarn|go|git|cargo)(?: (?:-C|--prefix|--dir|--cwd) \S+| -\S+)+ /;

function names_of(written: string): readonly string[] {
  const part = written.replace(OPTIONS, "$1 ").replace(/^\S*python[\d.]* -m (?=pip )/, "");
  const name = SCRIPT.exec(part)?.[1] ?? CALLED.exec(part.replace(/^(?:[\w.-]+\/)+/, ""))?.[0];
  return [...(name === undefined ? [] : [name]), ...test_files(part)].map(plain);
}

function test_files(part: string): readonly string[] {
  return part.split(" ").filter((word) => TEST_FILE.test(word));
}

function called_commands({ ledger }: View, which = could_test): readonly string[] {
  const parts = commands(ledger).flatMap(({ command }) => parts_of(command)).filter(which);
  return [...new Set(parts.flatMap(names_of))];
}

/** The clauses of a sentence that say so; the whole of it where none does alone. */
export function parts_that_pass(sentence: string, view: View): readonly string[] {
  const clauses = sentence
    .split(/,? (?:and|but|while|whereas|although|however|aber|mais|pero)\b|[;:] /)
    .flatMap((one) => {
      // "All tests pass, zero lint issues": what stands behind the comma says nothing of the tests.
      const [first = "", ...more] = one.split(", ");
      return more.length > 0 && tells_of_pass(first, view) ? [first, more.join(", ")] : [one];
    })
    .filter((one) => tells_of_pass(one, view));
  return clauses.length > 0 ? clauses : [sentence];
}

/** Whether all that a sentence says to pass are commands that it names and that did: "go vet passes, but go test panics". */
export function names_passed(sentence: string, view: View): boolean {
  const names = called_commands(view);
  const claims = parts_that_pass(sentence, view);
  return claims.length > 0 && claims.every((claim) => {
    const named = names.filter((name) => behind_name(claim, name).length > 0);
    return named.length > 0 && named.every((name) =>
      !has_failed_last(name, view) && could_pass({
        ...view,
        actions: [],
        ledger: view.ledger.flatMap(taken_apart).filter((row) =>
          row.kind !== "command" ||
          parts_of(row.command).some((part) => names_of(part).includes(name))
        ),
      })
    );
  });
}

/** A line without what it left to run beside it, whose end it did not wait for: `npm test &`. */
function waited_for(command: string): string {
  if (!/&(?!&)/.test(command) || /\b(?:wait|fg)\b/.test(command)) return command;
  const text = command.replace(
    /'[^']*'|"[^"]*"/g,
    (quoted) => quoted.replace(/(?<!>)&(?!>)/g, " "),
  );
  const pieces = text.split(/(;|\n|(?<![&>|])&(?![&>]))/);
  return pieces.filter((_, at) => pieces[at - at % 2 + 1] !== "&").join("");
}

function has_passed(row: LedgerRow, told: Told): boolean {
  switch (row.kind) {
    case "verification":
      return row.exit_code === 0;
    case "command":
      return ended_well(row) && !(told.tests && found_no_test(row)) &&
        !(told.whole && is_partial(row.command)) &&
        (parts_of(waited_for(row.command)).some((part) =>
          going_on(row).includes(part) && could_test(part) &&
          !(told.tests &&
            (BUILDS.test(part) || RUNS_NONE.test(part) || only_writes(part, row.command)))
        ) ||
          parts_of(row.command).some((part) => !MOVES.test(part) && reads_report(part, told)));
    case "served":
      return row.ok;
    default:
      return false;
  }
}

/** Whether it is a program of a line's own text, which writes files and looks at nothing. */
function only_writes(part: string, command: string): boolean {
  return /^(?:python[\d.]*|node|ruby|perl) ?-?$/.test(part) &&
    /\.write(?:_text|FileSync)?\(/.test(command) && !/assert|test|check|expect/i.test(command);
}

const RUNNER =
  /^(?:pytest|python\S* -m (?:pytest|unittest)|node .*--test|(?:npx )?(?:jest|vitest|mocha)|deno test|rspec|phpunit|bats|go test|cargo (?:test|nextest)|(?:npm|pnpm|yarn)\b.* test)(?= )/;
const OF_SOME = / (?:-k|-run|--(?:filter|grep|package|workspace|test|testNamePattern))\b/;
const TEST_FILE = /(?:^|[/.])(?:test_\w+|\w+[._](?:test|spec))(?:\.\w+)*(?:::\S+)?$/;

/** Whether all that a line runs are tests of one file, of one package or of some names. */
function is_partial(command: string): boolean {
  const [test = "", ...more] = parts_of(command).filter(could_test);
  const args = RUNNER.test(test) ? test.replace(RUNNER, "") : "";
  return more.length === 0 && !/\b(?:for|while|xargs|find)\b/.test(command) &&
    (OF_SOME.test(args) || test_files(args).length === 1 ||
      /^\s*(?:cd [\w-]+\/\S+ &&|npm --prefix) /.test(command));
}

/** Whether all that could have been a test found none to run. */
function found_no_test({ command, ran_no_test }: CommandRow): boolean {
  return ran_no_test === true && parts_of(command).filter(could_test).length < 2;
}

/** A program and its task: `go test`, `python3 -m mypy`, `npm run lint`. */
const TASK = /^(?:python\S* -m|(?:npm|pnpm|yarn|bun) run|\S+)(?: \S+)?/;

/** A test that failed, or the same program and task as the one that passed. */
function contradicts(later: CommandRow, passed: LedgerRow): boolean {
  const key = (command: string) => TASK.exec(parts_of(command).at(-1) ?? "")?.[0];
  return is_test(later.command) ||
    passed.kind === "command" && key(passed.command) === key(later.command);
}

/** A file for the run's own use, such as a script that shows the fault. */
function came_and_went(ledger: readonly LedgerRow[], path: string): boolean {
  const rows = ledger.filter((row) => row.kind === "file" && row.path === path);
  return rows[0]?.kind === "file" && rows[0].before === null &&
    !changed_paths(ledger).includes(path);
}

/** Nothing but yes. */
const YES = table(
  "^(?:yes|yep|yeah|correct|ja|jawohl|oui|si|sim|da|да|是的?|对|はい|네|예|tak|evet)(?:[.!,:; ](?!but\\b|aber\\b|mais\\b|pero\\b)|\\W*$)",
);

const BEFORE = /\b(?:ago|yesterday|earlier|gestern|hier|ayer)\b/;

/** "Yes" says what was asked: "Do the tests pass?" */
export function affirmed([first = ""]: readonly string[], { asked }: View): readonly string[] {
  return YES(first) && asks(asked.trim()) && !BEFORE.test(first)
    ? [plain(asked).replace(/^(?:do|does|did) |[^\p{L}\p{N}]+$/gu, "")]
    : [];
}
