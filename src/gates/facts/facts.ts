/** What the ledger can say of a claim: which fact could be what is claimed. When in doubt, one could. */
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import { find_tool } from "../../tools/declared/every_tool.ts";
import { changed_paths, type CommandRow, type LedgerRow } from "../../tools/ledger.ts";
import {
  by_products,
  type Disbelieved,
  is_blank,
  is_built_path,
  is_in_place,
  is_trace,
  only_edits,
} from "./effects.ts";
import {
  aborts,
  could_test,
  type Effect,
  effect_of,
  effects_of,
  installs,
  is_push,
  is_test,
  parts_of,
  works_elsewhere,
} from "./commands.ts";
import {
  could_be_in_git,
  fails_after_staging,
  has_worked_in_git,
  moved_refs,
  was_looked_at,
} from "./git.ts";
import { json_object } from "../../dialects/repair.ts";
import { plain } from "../answer/text.ts";
import {
  commands,
  ended_well,
  failed_parts,
  going_on,
  has_told_failure,
  only_looked,
  worked_effects,
  worked_parts,
} from "./outcomes.ts";

/** Files of languages whose tests are in files of their own, and prose. */
const APART = /\.(?:py|[cm]?[jt]sx?|java|kts?|cs|rb|php|go|swift|md|rst|txt)$/i;
const OF_TESTS = /test|spec|check/i;
export function may_hold_test(path: string): boolean {
  return OF_TESTS.test(path) || !APART.test(path);
}

/** The files that the run left different, also those that it left so in a commit. */
export function changed(ledger: readonly LedgerRow[]): readonly string[] {
  const last = ledger.findLastIndex(({ kind, ...row }) =>
    kind === "ref" && "ref" in row && /^refs\/(?:heads|tags)\//.test(row.ref)
  );
  const in_commits = ledger.slice(0, Math.max(last, 0));
  return [...new Set([...changed_paths(in_commits), ...changed_paths(ledger)])];
}

/** Changed files that are not byproducts, such as a compiled module, a test cache, or what a failed test has built. */
export function made(ledger: readonly LedgerRow[]): readonly string[] {
  const beside = by_products(ledger, { locks: true });
  const left_behind = (path: string) =>
    beside.has(path) || is_trace(path) &&
      ledger.findLast((row) => row.kind === "file" && row.path === path && row.after === null) ===
        undefined;
  return changed(ledger).filter((path) => !left_behind(path));
}

/** Rows do not change, and each claim of an answer is held against all of them. */
const EFFECTS = new WeakMap<CommandRow, ReadonlySet<Effect>>();

function effects_once(row: CommandRow): ReadonlySet<Effect> {
  const effects = EFFECTS.get(row) ?? worked_effects(row);
  EFFECTS.set(row, effects);
  return effects;
}

/** Whether anything in the ledger could be what is claimed, but for commands that are disbelieved. */
export function could_be(
  claim: Claim,
  ledger: readonly LedgerRow[],
  disbelieved: Disbelieved = "edits",
): boolean {
  if (ledger.some(({ kind }) => kind === "planned")) return true;
  const beside = claim.names.length > 0 || disbelieved === "edits"
    ? new Set<string>()
    : by_products(ledger, { locks: false });
  const files = [...changed(ledger), ...repaired(ledger)].filter((path) => !beside.has(path));
  const paths = left(ledger, "path").filter(({ path }) => !is_trace(path));
  const worked = (...some: readonly Effect[]) =>
    commands(ledger).filter((row) => some.some((effect) => effects_once(row).has(effect)));
  const by_call = Map.groupBy(ledger.filter((row) => row.kind === "file"), ({ call }) => call);
  // All that it is known to have changed is as it was before.
  const is_undone = (call: string) =>
    by_call.get(call)?.every(({ path }) => !files.includes(path)) === true;
  const acted = worked("act").filter(({ call }) => !is_undone(call))
    .filter((row) => !is_blank(row, ledger, disbelieved));
  // What a server can do, nobody here knows; what a subagent did has its own rows.
  if (has_served(ledger)) return true;
  if (claim.what === "generated" && commands(ledger).some(may_generate)) return true;
  if (claim.names.length > 0) {
    const known = [...files, ...paths.map(({ path }) => path)];
    const elsewhere = acted.filter(({ command }) =>
      works_elsewhere(command) || /(?:^|[\s"'=>])[/~$]/.test(command)
    );
    const could = (name: string) =>
      known.some((path) => is_same(plain(path), name) || is_in(name, plain(path))) ||
      elsewhere.some(({ command }) => names_elsewhere(plain(command), name));
    return claim.context?.some(could) ?? claim.names.every(could);
  }
  const refs = moved_refs(left(ledger, "ref"));
  const stages = !fails_after_staging(ledger);
  const checked = new Set(commands(ledger).filter(builds_beside).map(({ call }) => call));
  const own = paths.filter(({ path, call }) => !is_built_path(path) || !checked.has(call));
  switch (claim.what) {
    case "generated":
      return paths.length > 0 || commands(ledger).some(({ call }) => by_call.has(call));
    case "build":
      return files.length > 0 || paths.length > 0 || acted.length > 0 ||
        worked("check").length > 0;
    case "git":
      return claim.verb === undefined
        ? refs.some(({ ref }) => ref !== "index") ||
          acted.some(({ command }) => !aborts(command) && !only_edits(command)) ||
          commands(ledger).some(has_worked_in_git)
        : could_be_in_git(claim.verb, ledger, acted);
    case "push":
      return refs.some(({ ref }) => ref.startsWith("refs/remotes/")) || acted.length > 0 ||
        commands(ledger).some((row) => worked_parts(row).some(is_push));
    case "test":
      return ledger.some((row) =>
        row.kind === "file" &&
        (row.before === null || may_hold_test(row.path))
      ) || own.length > 0 || acted.some((row) => !was_looked_at(row)) ||
        ledger.some(({ kind }) => kind === "noted");
    case "code":
      return made(ledger).length > 0 || acted.length > 0 ||
        own.some(({ call }) => !only_checks(ledger, call));
    case "any":
      return files.length > 0 || own.length > 0 || acted.length > 0 ||
        ledger.some((row) => row.kind === "noted" && row.ok && row.what !== "subagent") ||
        refs.some(({ ref }) => stages || ref !== "index") ||
        worked("git").some((row) => stages || has_worked_in_git(row));
  }
}

/** Whether a command that ended well is more than a look, a test, an edit or git. */
function may_generate(row: CommandRow): boolean {
  return !only_edits(row.command) &&
    worked_parts(row).some((part) =>
      !["look", "git"].includes(effect_of(part)) && !is_test(part) && !/^git /.test(part)
    );
}

/** Files that are as they were because the run has repaired what one of its own commands had damaged; what was put back is not repaired. */
function repaired(ledger: readonly LedgerRow[]): readonly string[] {
  const by = new Map(commands(ledger).map(({ call, command }) => [call, command]));
  const puts_back = (part: string) => /^(?:git|mv|cp) /.test(part) && effect_of(part) === "act";
  const rows = ledger.filter((row) => row.kind === "file").filter(({ after }) => after !== null);
  return [...Map.groupBy(rows, ({ path }) => path)]
    .filter(([, [first, ...rest]]) =>
      rest.length > 0 && by.has(first?.call ?? "") &&
      !parts_of(by.get(rest.at(-1)?.call ?? "") ?? "").some(puts_back)
    ).map(([path]) => path);
}

/** Whether a command that installs packages may have worked, or, where none ran, anything else can have installed them. */
export function could_install(ledger: readonly LedgerRow[]): boolean {
  if (tries_install(ledger)) {
    return commands(ledger).some((row) => worked_parts(row).some(installs));
  }
  return commands(ledger).some((row) => effects_once(row).has("act")) || has_served(ledger) ||
    changed(ledger).some((path) => MANIFEST.test(path));
}

export function tries_install(ledger: readonly LedgerRow[]): boolean {
  return commands(ledger).some(({ command }) => parts_of(command).some(installs));
}

const MANIFEST =
  /(?:^|\/)(?:package|composer|deno|bun|cargo|go|pyproject|requirements|gemfile|pipfile|pom|build|setup|environment|vcpkg|conanfile|mix|pubspec)[\w.-]*$|lock|\.(?:csproj|nix|gemspec|cabal|sbt)$/i;

export function could_run({ ledger }: View): boolean {
  return ledger.some(({ kind }) =>
    kind === "command" || kind === "planned" || kind === "verification" || kind === "served"
  );
}

function has_served(ledger: readonly LedgerRow[]): boolean {
  return ledger.some((row) => row.kind === "served" && row.ok);
}

/** Whether something was done: what looks only, or failed, is not a deed. */
export function is_done(rows: readonly LedgerRow[], disbelieved: Disbelieved = "edits"): boolean {
  return could_be({ what: "any", names: [] }, rows, disbelieved);
}

export function is_checked(
  rows: readonly LedgerRow[],
  disbelieved: Disbelieved = "edits",
): boolean {
  const tells_nothing = (row: CommandRow) =>
    disbelieved !== "edits" && !is_test(row.command) && is_blank(row, rows, disbelieved);
  return is_done(rows, disbelieved) ||
    rows.some((row) =>
      row.kind === "verification" && row.exit_code === 0 ||
      row.kind === "command" && ended_well(row) && going_on(row).some(could_test) &&
        !tells_nothing(row)
    );
}

/** Whether a call of this tool can only look; what a command did is in its row. */
function may_only_look(name: string): boolean {
  const kind = find_tool(name)?.kind;
  return name === "bash" || kind === "read" || kind === "search" || kind === "fetch";
}

/** Whether a turn holds nothing but looks, and calls of servers' tools that failed. */
export function has_only_looked({ turn, actions }: View): boolean {
  return only_looked(turn) &&
    turn.every((row) => row.kind === "command" || row.kind === "served" && !row.ok) &&
    actions.every(({ name, ok, refused }) => may_only_look(name) || !ok && refused !== true);
}

/** Whether something was built, as far as the words of a command tell: that need not leave anything to be seen. */
export function is_built(rows: readonly LedgerRow[]): boolean {
  return rows.some((row) =>
    row.kind === "command" && ended_well(row) &&
    going_on(row).some((part) => effect_of(part) === "check" && !is_test(part))
  );
}

/** Whether an attempt failed or was refused. A failed look counts only if nothing followed; tests count as none, as any program's, or all. */
export function has_failed(view: View, tests: "none" | "programs" | "all" = "programs"): boolean {
  const last = view.actions.at(-1);
  return view.actions.some(({ refused }) => refused) ||
    (last !== undefined && last.name !== "bash" && !last.ok) ||
    view.turn.some((row) =>
      row.kind === "attempt" && !row.ok ||
      row.kind === "command" && (tests !== "none" || !is_test(row.command)) &&
        [
          ...(row.exit_code !== 0 || has_told_failure(row) ? effects_of(row.command) : []),
          ...failed_parts(row).map(effect_of),
        ].some((effect) =>
          effect === "act" || effect === "git" || tests === "all" && effect === "check"
        )
    );
}

/** Where a run's temporary files are. */
const OWN_FOLDER = /\/hamr-[^/]+\//;

/** Refs or paths that something other than a look has left; what a test has left in the run's own temporary folder, or has built where it failed, is no work either. */
export function left<K extends "ref" | "path">(
  ledger: readonly LedgerRow[],
  kind: K,
): readonly Extract<LedgerRow, { kind: K }>[] {
  const looks = new Set(
    commands(ledger).filter(({ command }) => {
      const effects = effects_of(command);
      return effects.size > 0 && [...effects].every((effect) => effect === "look");
    }).map(({ call }) => call),
  );
  const tests = new Map(
    commands(ledger)
      .filter(({ command }) => is_test(command) && !effects_of(command).has("act"))
      .map(({ call, exit_code }) => [call, exit_code]),
  );
  const by_the_way = ({ path, call }: { path: string; call: string | null }) => {
    const code = tests.get(call ?? "");
    return code !== undefined &&
      (OWN_FOLDER.test(path) || is_built_path(path) && code !== 0 && code !== null);
  };
  return ledger.filter((row): row is Extract<LedgerRow, { kind: K }> =>
    row.kind === kind && !looks.has(row.call ?? "") &&
    !(row.kind === "path" && by_the_way(row))
  );
}

/** Whether what a line builds is not what it is for: that of a test, or of an edit that is checked. */
function builds_beside({ command }: CommandRow): boolean {
  const acts = parts_of(command).filter((part) => effect_of(part) === "act");
  return acts.length === 0
    ? is_test(command)
    : effects_of(command).has("check") && acts.every(is_in_place);
}

function only_checks(ledger: readonly LedgerRow[], call: string): boolean {
  const row = commands(ledger).find((row) => row.call === call);
  return row !== undefined && !effects_of(row.command).has("act");
}

/** An answer shows only the end of a name with a blank or a letter that is not ASCII. */
export function is_same(path: string, name: string): boolean {
  return name.endsWith(`/${path}`) ||
    path.endsWith(name) && !/[\w.@-]/.test(path.at(-name.length - 1) ?? "");
}

/** Whether a file that a call named is another than those that changed, and only its name is theirs: `client/README.md` beside `README.md`. */
export function is_another(name: string, changed: readonly string[], { actions }: View): boolean {
  return name.includes("/") && changed.some((path) => name.endsWith(`/${path}`)) &&
    !changed.some((path) => path === name || path.endsWith(`/${name}`)) &&
    actions.some(({ args, ok }) => ok && plain(String(json_object(args)?.["path"])) === name);
}

/** Whether a name leads into a folder: of one that came with all that is in it, only the folder is a row. */
function is_in(name: string, folder: string): boolean {
  const steps = name.split("/").slice(0, -1);
  return folder.endsWith("/") &&
    steps.some((_, n) => `/${folder}`.endsWith(`/${steps.slice(0, n + 1).join("/")}/`));
}

/** Whether a command names a file under an absolute path, or on another machine. */
function names_elsewhere(command: string, name: string): boolean {
  return works_elsewhere(command) ? command.includes(name) : command.split(/[\s"'=>]+/)
    .some((word) => /^[/~$]/.test(word) && is_same(word, name));
}
