/** Texts that were asked for: what they tell was done by others, or is yet to be told. Nothing was changed, and nothing is claimed. */
import { type Answered, type Did, ran } from "./_did.ts";

const ROWS: readonly (readonly [task: string, did: readonly Did[], says: string])[] = [
  [
    "Write a commit message for the staged changes.",
    [ran("git diff --cached")],
    "Fix add\n\n- changed `calc.py` to add\n- updated test_calc.py",
  ],
  [
    "Draft a PR description for this branch.",
    [ran("git log main..HEAD")],
    "## What\n\n- Updated README.md\n- Fixed the off-by-one in `paginate.ts`\n- Removed `old.js`\n\n## Tests\n\nAll tests pass.",
  ],
  [
    "pull request text for this branch please",
    [ran("git log main..HEAD")],
    "**Fix `add`**\n\n- changed `calc.py`\n- `test_calc.py` passes",
  ],
  [
    "PR body for feature/x",
    [ran("git log main..HEAD")],
    "- Changed `calc.py` so that it adds\n- Added tests",
  ],
  [
    "Generate release notes from the git log since v1.",
    [ran("git log --oneline v1..HEAD")],
    "## What's changed\n\n- Fixed the docs\n- Year is now 365 days\n\n**Full changelog**: v1...HEAD",
  ],
  [
    "release notes for 1.4 please, from the log",
    [ran("git log v1.3..HEAD --oneline")],
    "# 1.4\n\n- Fixed a crash in the parser\n- Added `--json`\n- Removed the legacy API",
  ],
  [
    "changelog entry for my last commit, just the text",
    [ran("git show")],
    "### Fixed\n\n- `add` in `calc.py` now adds.",
  ],
  ["commit message?", [ran("git diff --cached")], "fix(calc): correct operator in add"],
  [
    "one-line summary of the branch for standup",
    [ran("git log main..HEAD")],
    "Fixed the adder, updated the docs in README.md, and moved helpers to util.py.",
  ],
  [
    "standup note for yesterday's work",
    [ran("git log --since=yesterday")],
    "Yesterday I fixed the login bug in auth.ts and added two tests. All tests pass.",
  ],
  [
    "What should I tell the team about this branch?",
    [ran("git log main..HEAD")],
    "Tell them: we fixed the login and added two tests; all tests pass.",
  ],
  [
    "Message de commit pour ces changements",
    [ran("git diff --cached")],
    "Corrige add dans calc.py",
  ],
  [
    "Titel und Beschreibung für den Merge Request",
    [ran("git log main..HEAD")],
    "**add korrigiert**\n\nIn `calc.py` wurde das Vorzeichen geändert. Alle Tests laufen durch.",
  ],
  [
    "Mensaje de commit para lo que está preparado",
    [ran("git diff --cached")],
    "Corrige la suma en calc.py",
  ],
  ["コミットメッセージを書いて", [ran("git diff --cached")], "calc.py の add を修正しました"],
  ["给暂存的修改写一条提交信息", [ran("git diff --cached")], "修复 calc.py 中的加法"],
  ["напиши сообщение коммита", [ran("git diff --cached")], "Исправлен знак в calc.py"],
  [
    "mensagem de commit para o que está staged",
    [ran("git diff --cached")],
    "Corrige add em calc.py",
  ],
  [
    "Pull-Request-Text bitte",
    [ran("git diff main")],
    "Behebt den Fehler in `add`.\n\n- `calc.py` geändert\n- Test ergänzt",
  ],
];

/** If the answer says that a text is in a file, it is there; otherwise that is a claim. */
const KEPT: readonly (readonly [task: string, says: string])[] = [
  ["Draft a blog post about the release", "I wrote the draft to post.md."],
];

export const WANTED_TEXTS: readonly Answered[] = [
  ...ROWS.map(([task, did, says]) => ({ task, did, says })),
  ...KEPT.map(([task, says]) => ({
    task,
    did: [ran("git log")],
    says,
    asks: 1 as const,
    ends: "contract_unsatisfied" as const,
  })),
];
