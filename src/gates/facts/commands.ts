/** What a command line can have brought about, by its words. Not knowing is the honest answer: then it may have done anything. */
import type { Action } from "../../guards/rule.ts";
import { commands_of } from "../../permission/shell_commands.ts";

/** `look`: nothing. `check`: it builds or tests. `git`: branches, tags, commits. `act`: anything. */
export type Effect = "look" | "check" | "git" | "act";

const STARTS = ["sudo", "env", "time", "timeout", "nice", "nohup", "xargs", "command", "exec"];
const RUNNERS =
  /^(?:npx|bunx|(?:pnpm|yarn|bundle|poetry|pipenv|uv|hatch|rye)(?: exec| run| dlx)) (?:-\S+ )*/;

/** A simple command that only shows something, or sets up the shell. */
const LOOK = new RegExp(
  `^(?:${
    "ls|cat|bat|head|tail|less|more|wc|[ef]?grep|rg|ag|fd|tree|stat|file|du|df|pwd|echo|printf|cd|pushd|popd|which|type|" +
    "whereis|whoami|id|uname|date|printenv|diff|cmp|sort|uniq|cut|tr|awk|sed|find|jq|yq|column|nl|od|xxd|hexdump|strings|" +
    "md5sum|sha\\d+sum|basename|dirname|realpath|readlink|ps|pgrep|pidof|pstree|top|free|uptime|vmstat|nproc|lscpu|lsblk|getent|lsof|ss|dig|ping|history|true|false|test|\\[|\\[\\[|:|sleep|exit|" +
    "export|set|read|seq|man|help"
  })(?: |$)|^git (?:-\\S+ )*(?:status|log|diff|show|blame|grep|ls-\\S+|rev-\\S+|describe|cat-file|shortlog|reflog|fsck|for-each-ref|help|version)\\b|` +
    "^git (?:-\\S+ )*(?:submodule(?: (?:status|summary)\\b.*)?$|(?:worktree|notes|lfs|sparse-checkout) (?:list|ls-files|show|status|env)\\b|stash (?:list|show)\\b|remote (?:get-url|show)\\b|config (?:--\\S+ )*(?:--get\\S*|get|list)\\b)|" +
    "^git (?:branch|tag|remote)$|^git (?:branch|remote|config|stash)(?: (?:-[avlr]+|--(?:list|all|get|show-current|verbose|(?:no-)?merged|contains|format|sort)|list|show)\\b.*)$|" +
    "^git tag (?:-[lnv]|--(?:list|verify|sort|contains|points-at))\\S*(?: .*)?$|" +
    "^curl (?!.*(?:-X|-d|-F|-T|-o(?! ?/dev/null)|-O|--request|--data|--form|--output|--upload))|^pip3? (?:list|show|freeze|check)\\b|^(?:npm|pnpm|yarn) (?:ls|list|view|outdated|why)\\b|" +
    "^(?:docker|podman) (?:ps|images|logs|inspect|info|stats|(?:compose )(?:ps|logs|config|images))\\b|^docker-compose (?:ps|logs|config)\\b|^kubectl (?:get|describe|logs|diff|top|explain|version|cluster-info|rollout (?:status|history))\\b|" +
    "^(?:hg|svn|jj|bzr|fossil) (?:status|st|stat|diff|log|info|identify|id|summary|show|cat|blame|annotate)\\b|^(?:npm|pnpm|yarn|cargo|twine|gem|kubectl|helm)\\b.* --dry-run\\b|" +
    "^(?:terraform|tofu) (?:plan|show|output|providers|state (?:list|show))\\b|^helm (?:list|ls|status|history|template|get|search|show)\\b|" +
    "^gh (?:issue|repo|release) (?:list|view|status)\\b|^aws s3 ls\\b|" +
    "^gofmt (?!.*-\\w*w)|^cargo fmt .*--check|^(?:systemctl (?:status|is-\\S+|list-\\S+)|journalctl)\\b|^\\S+ (?:--version|--help|-V|version)$",
);
/** Of the looks, those that tell nothing of whether a file works, as `jq` and `diff` do. */
const SHOW =
  /^(?:ls|cat|head|tail|wc|[ef]?grep|rg|find|which|type|command|echo|printf|sed -n|stat|pwd|cd|true|git (?:status|diff|log|show|add))(?: |$)/;

export function only_shows(part: string): boolean {
  return SHOW.test(part);
}

/** Looks like one that reads or checks, and changes something. */
const CHANGES =
  /^sed .*(?:-\w*i|--in-place)|^find .* -(?:delete|fprint|exec|ok)|^sort .*-o\b|^p?npm ci\b/;

const TASK =
  "(?:test|tests|build|lint|check|typecheck|type-check|tsc|compile|verify|ci|coverage|spec|unit|e2e)";
/** A simple command that is known to build or to test. */
const CHECK = new RegExp(
  "^(?:pytest|py\\.test|tox|nox|jest|vitest|mocha|ava|tape|uvu|nyc|c8|(?:playwright|cypress)(?! install)|karma|rspec|phpunit|ctest|bats|prove|mypy|pyright|" +
    "flake8|pylint|eslint|tsc|shellcheck|xmllint|yamllint|hadolint|ansible-lint|golangci-lint|gcc|g\\+\\+|cc|clang|javac|rustc|cmake|ninja)(?: |$)|" +
    "^(?:(?:ba|z)?sh -n|node (?:--check|-c)|php -l|(?:ruby|perl) -c) |^git diff --check|^(?:terraform|tofu) (?:-\\S+ )*(?:validate|fmt .*-check)\\b|^helm lint\\b|^(?:nginx|sshd|apachectl|httpd) (?:-\\S+ )*-t\\b|^(?:caddy|packer|aws cloudformation) validate|^promtool check|^docker[ -]compose (?:.* )?config\\b|^ruff check|^black --check|^prettier --check|" +
    "^python\\d?(?:\\.\\d+)? -m (?:pytest|unittest|doctest|mypy|compileall|py_compile|tox)\\b|" +
    `^(?:npm|pnpm|yarn|bun)(?: run)?(?: -\\S+)* (?:t|${TASK})(?:[: ]|$)|^deno (?:task )?(?:${TASK}|bench)\\b|` +
    "^\\S.* (?:--dry-run(?!=(?:false|none))|DRY_RUN=(?:1|true|yes))\\b|^go (?:test|build|vet)\\b|^cargo (?:test|build|check|clippy|bench|nextest)\\b|" +
    `^(?:make|just|task|rake|mix|dotnet|swift|zig|bazel|sbt|mvn|\\S*gradlew?)(?: -\\S+)*(?: ${TASK}\\S*)*$`,
);
const FIXES = / (?:--(?:fix|write|apply|bless|accept|(?:snapshot-)?update\w*)|-update|-u)\b/;
/** Git commands that leave every file as it is. */
const GIT =
  /^git (?:-\S+ )*(?:branch|tag|add|commit|fetch|push|config|init|remote|notes|checkout -b|switch -c|stash (?:list|drop))\b/;

/** Whether a simple command of git does more than to stage. */
export function is_git_deed(part: string): boolean {
  return GIT.test(part) && !/^git (?:-\S+ )*add\b/.test(part);
}

/** Whether all that a line does is to take back what git had begun. */
export function aborts(command: string): boolean {
  return parts_of(command).every((part) =>
    effect_of(part) !== "act" || /^git (?:-\S+ )*\S+ --(?:abort|quit)\b/.test(part)
  );
}

/** Git commands that make refs or move them. */
const IN_HISTORY =
  /^git (?:-\S+ (?:[^-\s]\S* )?)*(commit|tag|branch|merge|rebase|cherry-pick|revert|push|stash)\b/;

/** What a simple command of git does to its history; null if it does nothing to it, or is none. */
export function git_verb(part: string): string | null {
  return effect_of(part) === "look" ? null : IN_HISTORY.exec(part)?.[1] ?? null;
}

export function is_push(part: string): boolean {
  return /^git (?:-\S+ (?:[^-\s]\S* )?)*(?:push|subtree push|lfs push)\b/.test(part);
}

/** Git commands that leave a ref behind if they end well. */
const TO_REF = /^git (?:-\S+ )*(?:commit|tag|branch|checkout -b|switch -c)\b/;

/** Whether a simple command of git leaves a ref where it ended well. */
export function leaves_ref(part: string): boolean {
  return TO_REF.test(part);
}

/** What it does is seen by its exit code: where it failed, it has done nothing of what it is for. */
const DEED = new RegExp(
  "^git (?:push|pull|fetch|clone|apply|am|merge|rebase|cherry-pick|revert|switch|checkout|submodule)\\b|^(?:wget|patch|curl|ssh|scp|rsync|systemctl|mkdir|touch|cp|mv|chmod|chown|ln|twine)\\b|" +
    "^(?:pip3?|python\\d?(?:\\.\\d+)? -m (?:pip|twine)|uv|npm|pnpm|yarn|bun|cargo|go|gem|composer|apt|apt-get|brew|dnf|conda|docker|podman|kubectl|helm|terraform|gh)\\b.* (?:add|install|i|ci|publish|upload|push|pull|deploy|apply|login|get|create|download|up|rollout|scale)\\b|" +
    "^(?:flyway|liquibase|alembic|prisma|knex|sequelize|typeorm|diesel|goose|sqlx|dbmate|\\S*rails|\\S*rake|python\\d? (?:\\S*/)?manage\\.py|php artisan|mix)\\b.* \\S*(?:migrate|upgrade)\\b",
);

export function installs(part: string): boolean {
  return DEED.test(part) && / (?:install|i|ci|add)\b/.test(part);
}

/** Whether a line is known to do something, and fails where that was not done. */
export function is_deed(command: string): boolean {
  return parts_of(command).some((part) => DEED.test(part));
}

const TO_FILE = /(?<![\d&])>{1,2}(?!\s*&|\s*\/dev\/null)/;

/** Lines that are taken apart once: each claim of an answer is held against all of them. */
const MOST_KNOWN = 10_000;

function once<T>(work: (command: string) => T): (command: string) => T {
  const known = new Map<string, T>();
  return (command) => {
    const found = known.get(command) ?? work(command);
    if (known.size === MOST_KNOWN) known.clear();
    known.set(command, found);
    return found;
  };
}

/** The simple commands of a line, each as words with single blanks; not those that only start another one. */
export const parts_of: (command: string) => readonly string[] = once((command) => {
  const written = commands_of(command, { workspace: "/", home: "/" })
    .map((words) => words.map(({ text }) => text).join(" ").replace(/\s+/g, " ").trim());
  return written
    .filter((part, at) => !is_started_by(part, written[at - 1] ?? ""))
    .map((part) => part.replace(RUNNERS, ""))
    .filter((part) => part !== "" && !is_start(part));
});

/** `python3 -m unittest` and `npx tsc` are one command each, not two. */
function is_started_by(part: string, before: string): boolean {
  return before.endsWith(` -m ${part}`) || RUNNERS.test(before) && before.endsWith(` ${part}`);
}

function is_start(part: string): boolean {
  const name = part.split(" ")[0] ?? "";
  return STARTS.includes(name) || /^(?:ba|z|da)?sh -\w*c /.test(part);
}

export function effect_of(part: string): Effect {
  if (CHANGES.test(part)) return "act";
  if (CHECK.test(part)) return FIXES.test(part) ? "act" : "check";
  if (LOOK.test(part)) return "look";
  return GIT.test(part) ? "git" : "act";
}

export const effects_of: (command: string) => ReadonlySet<Effect> = once((command) => {
  const effects = new Set(parts_of(command).map(effect_of));
  if (writes_file(command)) effects.add("act");
  return effects;
});

export function writes_file(command: string): boolean {
  return TO_FILE.test(command.replace(/'[^']*'|"[^"]*"/g, '""'));
}

/** Whether a call has begun something that goes on beside it. */
export function begins_beside({ name, args, ran }: Action): boolean {
  return ran && name === "bash" && /(?<![&>])&(?![&>])|"background":true/.test(args);
}

/** Succeeds without testing anything. */
const NO_TEST =
  /^(?:rm|rmdir|mkdir|cp|mv|touch|ln|chmod|chown|sed|find|sort|tee|kill|pkill|git|pip3?|apt|apt-get|brew|(?:npm|pnpm|yarn|bun) (?:ci|i|install|add)|wget)(?: |$)/;

export function could_test(part: string): boolean {
  const effect = effect_of(part);
  return effect === "check" || (effect === "act" && !NO_TEST.test(part));
}

export function is_test(command: string): boolean {
  return parts_of(command).some((part) =>
    effect_of(part) !== "look" && !NO_TEST.test(part) &&
    /(?:^|[^a-z])(?:(?:py|unit|vi|c|nose)?tests?|specs?|jest|rspec|phpunit|mocha|ava|bats|prove|tox|nox)(?:[^a-z]|$)/i
      .test(part)
  );
}

/** Files that hold what tests have said elsewhere, and are no source: a log, and no login. */
const REPORT =
  /(?:report|result|output|junit|coverage|(?:^|[/._-])(?:logs?(?![a-z])|ci(?![a-z])))[^/]*$|\.(?:log|xml|out|tap|trx)$/i;
const SOURCE =
  /\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|kts?|rb|php|cs|c|h|cc|cpp|hpp|swift|ex|scala|vue|svelte)$/i;

/** Whether a line shows a report of tests: `tail build.log`, `gh run view`; with `history`, also what commits say. */
export function reads_report(command: string, { history = false } = {}): boolean {
  return command.split(/[\s"'{}:,=]+/).some((word) =>
    (history || word !== "log") && REPORT.test(word) && !SOURCE.test(word)
  );
}

/** Works on another machine, or in a container: its files are not the workspace's. */
const REMOTE = /\b(?:ssh|scp|rsync|docker|podman|kubectl|psql|mysql)\b/;

/** Whether a command may do its work on another machine, or in a container. */
export function works_elsewhere(command: string): boolean {
  return REMOTE.test(command);
}
