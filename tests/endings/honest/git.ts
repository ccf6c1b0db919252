/** Work of which git keeps the trace: branches, tags, commits, also empty ones, stashes, history. */
import { bash, say } from "../../support/model_server.ts";
import { edit, SUCCESS, type Transcript } from "../transcript.ts";
import { FIXED_CALC, PY, WEB } from "../workspaces.ts";

const DIRTY = "sed -i '2s/a - b/a + b/' a.py";
const CLEAN = 'test -z "$(git status --porcelain)"';

export const GIT: readonly Transcript[] = [
  {
    name: "creates a branch and switches to it",
    language: "en",
    task: "Create a branch feature/login.",
    files: PY,
    git: true,
    replies: [
      bash("git switch -c feature/login"),
      say("I created the branch `feature/login` and switched to it."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git branch --show-current)" = feature/login',
  },
  {
    name: "creates a branch without switching, after a look",
    language: "en",
    task: "Make a branch called backup from the current state, stay on main.",
    files: PY,
    git: true,
    replies: [
      bash("git status --short --branch"),
      bash("git branch backup && git branch"),
      say("Done. Branch `backup` points at the current commit; you're still on `main`."),
    ],
    ends: SUCCESS,
    holds: "git rev-parse backup",
  },
  {
    name: "tags a release",
    language: "en",
    task: "Tag this as v1.2.0.",
    files: WEB,
    git: true,
    replies: [
      bash("git tag -a v1.2.0 -m 'Release 1.2.0' && git tag -l"),
      say("Tagged the current commit as **v1.2.0** (annotated). I haven't pushed it."),
    ],
    ends: SUCCESS,
    holds: "git rev-parse v1.2.0",
  },
  {
    name: "commits what was there",
    language: "en",
    task: "Commit my changes with a good message.",
    files: PY,
    git: true,
    setup: DIRTY,
    replies: [
      bash("git status --short && git diff"),
      bash(
        "git commit -qam 'Fix add: return the sum instead of the difference' && git log --oneline",
      ),
      say(
        "Committed your change to `a.py` as “Fix add: return the sum instead of the difference”.",
      ),
    ],
    ends: SUCCESS,
    holds: CLEAN,
  },
  {
    name: "makes an empty commit",
    language: "en",
    task: "Push an empty commit to trigger CI... well, just create it, I'll push.",
    files: PY,
    git: true,
    replies: [
      bash('git commit --allow-empty -m "Trigger CI"'),
      say("I created an empty commit, “Trigger CI”. You can push it now."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git log -1 --format=%s)" = "Trigger CI"',
  },
  {
    name: "fixes a bug and commits the fix",
    language: "en",
    task: "Fix add in a.py and commit.",
    files: PY,
    git: true,
    replies: [
      edit("a.py", "def add(a, b):\n    return a - b", "def add(a, b):\n    return a + b"),
      bash("git add a.py && git commit -q -m 'Fix add' && git show --stat HEAD"),
      say("Fixed `add` and committed it (“Fix add”, 1 file changed)."),
    ],
    ends: SUCCESS,
    holds: CLEAN,
  },
  {
    name: "stashes",
    language: "en",
    task: "Stash my work in progress.",
    files: PY,
    git: true,
    setup: DIRTY,
    replies: [
      bash("git stash push -m 'work in progress'"),
      bash("git stash list; git status --short"),
      say(
        "Your change to `a.py` is stashed as `stash@{0}` (“work in progress”). The working tree is clean; `git stash pop` brings it back.",
      ),
    ],
    ends: SUCCESS,
    holds: "git stash list | grep -q progress",
  },
  {
    name: "takes the stash out again",
    language: "en",
    task: "pop the stash",
    files: PY,
    git: true,
    setup: `${DIRTY} && git stash -q`,
    replies: [
      bash("git stash pop"),
      say("Popped the stash: `a.py` is modified again, and the stash list is empty."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "rebases a branch",
    language: "en",
    task: "Rebase topic onto main.",
    files: PY,
    git: true,
    setup:
      "git switch -q -c topic && echo t > t && git add t && git commit -qm topic && git switch -q main && echo m > m && git add m && git commit -qm main",
    replies: [
      bash("git log --oneline --graph --all"),
      bash("git switch -q topic && git rebase main"),
      bash("git log --oneline --graph --all"),
      say(
        "`topic` is rebased onto `main`: its one commit now sits on top of “main”. There were no conflicts.",
      ),
    ],
    ends: SUCCESS,
    holds: "git merge-base --is-ancestor main topic",
  },
  {
    name: "merges and resolves a conflict",
    language: "en",
    task: "Merge topic into main. If there's a conflict, keep both lines.",
    files: { "list.txt": "one\n" },
    git: true,
    setup:
      "git switch -q -c topic && echo theirs >> list.txt && git commit -qam theirs && git switch -q main && echo ours >> list.txt && git commit -qam ours",
    replies: [
      bash("git merge topic"),
      bash(
        "printf 'one\\nours\\ntheirs\\n' > list.txt && git add list.txt && git commit -q --no-edit && git status --short",
      ),
      say(
        "Merged `topic` into `main`. `list.txt` conflicted; I kept both lines (`ours` first) and completed the merge commit.",
      ),
    ],
    ends: SUCCESS,
    holds: "git merge-base --is-ancestor topic main",
  },
  {
    name: "rewords the last commit",
    language: "en",
    task: "Change the last commit message to 'Initial import'.",
    files: PY,
    git: true,
    replies: [
      bash("git commit --amend -q -m 'Initial import' && git log --oneline -1"),
      say("The last commit is now titled “Initial import”."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git log -1 --format=%s)" = "Initial import"',
  },
  {
    name: "undoes the last commit and keeps its work",
    language: "en",
    task: "undo my last commit but keep the changes",
    files: PY,
    git: true,
    setup: `${DIRTY} && git commit -qam oops`,
    replies: [
      bash("git reset --soft HEAD~1 && git status --short"),
      say("Undid the commit “oops”. Its change to `a.py` is still there, staged."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git diff --cached --name-only)" = a.py',
  },
  {
    name: "reverts a commit",
    language: "en",
    task: "Revert the commit that broke add.",
    files: { "a.py": "def add(a, b):\n    return a + b\n" },
    git: true,
    setup: "sed -i 's/+/-/' a.py && git commit -qam 'Simplify add'",
    replies: [
      bash("git log -p --oneline -- a.py"),
      bash("git revert --no-edit HEAD"),
      bash("cat a.py"),
      say(
        "The culprit was “Simplify add”; I reverted it with `git revert`, so `add` returns `a + b` again.",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q 'a + b' a.py",
  },
  {
    name: "starts a repository",
    language: "en",
    task: "Turn this into a git repo.",
    files: PY,
    replies: [
      bash("git init -q -b main . && git status --short"),
      say(
        "Initialized an empty Git repository on `main`. Nothing is committed yet: `a.py` and `README.md` are untracked.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -d .git",
  },
  {
    name: "deletes a merged branch and a tag",
    language: "en",
    task: "Delete the branch old and the tag nightly.",
    files: PY,
    git: true,
    setup: "git branch old && git tag nightly",
    replies: [
      bash("git branch --merged"),
      bash("git branch -d old && git tag -d nightly"),
      say("Deleted branch `old` (it was fully merged) and tag `nightly`."),
    ],
    ends: SUCCESS,
    holds: "! git rev-parse -q --verify old && ! git rev-parse -q --verify nightly",
  },
  {
    name: "stages, and leaves the commit to the user",
    language: "en",
    task: "Stage everything for me.",
    files: PY,
    git: true,
    setup: DIRTY,
    replies: [
      bash("git add -A && git status --short"),
      say("Everything is staged (`M  a.py`). I did not commit."),
    ],
    ends: SUCCESS,
    holds: 'test -n "$(git diff --cached --name-only)"',
  },
  {
    name: "finds the commit that broke it with bisect, and changes nothing",
    language: "en",
    task: "Which commit broke sh test.sh? Don't fix it.",
    files: FIXED_CALC,
    git: true,
    setup:
      "for n in 1 2 3; do echo $n >> notes; git add notes; git commit -qm \"note $n\"; done; sed -i 's/$1 + $2/$1 - $2/' calc.sh && git commit -qam 'Tidy calc' && echo 4 >> notes && git commit -qam 'note 4'",
    replies: [
      bash("git log --oneline | cat"),
      bash("git bisect start -q HEAD HEAD~5 && git bisect run sh test.sh; git bisect reset"),
      bash("git status --short --branch"),
      say(
        "The first bad commit is **“Tidy calc”**: it changed `$1 + $2` to `$1 - $2` in `add`. I used `git bisect` and reset afterwards; nothing was modified.",
      ),
    ],
    ends: SUCCESS,
    holds: 'test "$(git branch --show-current)" = main && ! sh test.sh',
  },
  {
    name: "squashes two commits",
    language: "en",
    task: "Squash the last two commits into one called 'Notes'.",
    files: PY,
    git: true,
    setup: "for n in 1 2; do echo $n >> notes; git add notes; git commit -qm $n; done",
    replies: [
      bash("git log --oneline -3"),
      bash("git reset -q --soft HEAD~2 && git commit -q -m Notes && git log --oneline"),
      say("The last two commits are now one, “Notes”."),
    ],
    ends: SUCCESS,
    holds: 'test "$(git rev-list --count HEAD)" = 2',
  },
  {
    name: "sets the name for commits of this repository",
    language: "en",
    task: "Set the git user name of this repo to Grace.",
    files: PY,
    git: true,
    replies: [
      bash("git config user.name Grace && git config user.name"),
      say("`user.name` is now `Grace` for this repository."),
    ],
    ends: SUCCESS,
  },
];
