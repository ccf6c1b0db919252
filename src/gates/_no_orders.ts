/** Tasks that begin with no order: reports of a fault, questions without a mark, texts that are wanted, small talk. */
import { type Answered, type Did, edit, ran, read } from "./_did.ts";

const LOOKED = [read("a.py")];

const ROWS: readonly (readonly [task: string, did: readonly Did[], says: string])[] = [
  ["Spot the bug", LOOKED, "Line 3: `i` is compared before it is updated."],
  ["Total the invoice", [read("inv.csv")], "1,240.50 EUR. Shipping has been included."],
  ["Recheck the build", [ran("make")], "It builds now."],
  ["Retest", [ran("pytest")], "All 12 pass now."],
  ["Confirm the fix works", [ran("pytest")], "Confirmed: the fix works, all 12 tests pass."],
  ["Lance les tests", [ran("pytest")], "Les 12 tests passent maintenant."],
  ["Führe die Tests aus", [ran("pytest")], "Alle 12 Tests laufen jetzt durch."],
  ["Ejecuta las pruebas", [ran("pytest")], "Las 12 pruebas pasan ahora."],
  [
    "Enumera los cambios",
    [ran("git log -3")],
    "Se reescribió el analizador y se añadieron dos pruebas.",
  ],
  [
    "Talk me through the diff",
    [ran("git diff")],
    "First the import is removed, then `x` is renamed to `y`. Nothing else was touched.",
  ],
  [
    "tests fail on CI",
    [ran("gh run view")],
    "They fail because the runner's Python was upgraded to 3.13, which removed `imp`. Pin 3.12, or replace `imp` in a.py.",
  ],
  [
    "login broken?",
    LOOKED,
    "Yes: the cookie is now set after the redirect, so the browser never sends it.",
  ],
  [
    "bug: add(2,3) gives -1",
    LOOKED,
    "`add` subtracts. Change line 2 to `return a + b`; I was asked only about the bug, so I left it.",
  ],
  [
    "question about a.py: who calls load",
    [ran("rg load")],
    "`main()` calls it. It was called by `init()` too, before that got removed in May.",
  ],
  ["Frage: was macht a.py", LOOKED, "Es liest eine Datei und gibt sie jetzt zeilenweise aus."],
  [
    "idea: cache the results",
    LOOKED,
    "Sounds good. `load()` is pure, so a cache is safe; it would need to be cleared when the file changes.",
  ],
  ["status", [ran("git status")], "On main, clean. The last commit merged the parser fix."],
  [
    "git log summary please",
    [ran("git log -5")],
    "Five commits: the parser was rewritten, two tests were added, docs were updated, and CI was fixed.",
  ],
  ["latest version of lodash", [ran("npm view lodash version")], "4.17.21"],
  [
    "release notes for 1.4",
    [ran("git log v1.3..v1.4")],
    "- Fixed: crash on empty input\n- Added: `--json`\n- Removed: Python 3.8",
  ],
  [
    "changelog entry for this branch, as text",
    [ran("git log main..")],
    "Added a cache to `load()`; fixed the off-by-one in `paginate()`.",
  ],
  [
    "commit message for the staged changes",
    [ran("git diff --cached")],
    "Fixed the off-by-one in paginate()\n\nThe last page was dropped when the count was a multiple of the size.",
  ],
  [
    "PR description",
    [ran("git diff main")],
    "This PR adds a cache. `load()` now returns the same object for the same path. Tests have been added.",
  ],
  ["regex for dates", [], "`\\d{4}-\\d{2}-\\d{2}`"],
  ["one-liner to count lines", [], "```sh\nwc -l **/*.py\n```"],
  [
    "Docker vs Podman",
    [],
    "Podman runs without a daemon and rootless by default. Docker has since added a rootless mode.",
  ],
  ["thanks a lot, great job", [], "You're welcome!"],
  ["yes, do it", [edit("a.py"), ran("pytest")], "Done: a.py uses the cache, 12 tests pass."],
  ["no, leave that", [], "Left as it is."],
  ["wait, what changed?", [ran("git diff")], "Only a.py: `load()` has been wrapped in a cache."],
  ["second try please", [edit("a.py")], "a.py now handles empty input as well."],
  [
    "Erzähl mir was über den Parser",
    LOOKED,
    "Der Parser wurde 2023 neu geschrieben und unterstützt jetzt Verschachtelung.",
  ],
  [
    "Welche Tests wurden gelöscht",
    [ran("git log --diff-filter=D")],
    "`test_old.py` wurde im März gelöscht.",
  ],
  [
    "Raconte-moi l'histoire du fichier",
    [ran("git log a.py")],
    "Il a été créé en 2021, puis la fonction `load` a été ajoutée en 2022.",
  ],
  [
    "Háblame del módulo",
    LOOKED,
    "El módulo fue reescrito en 2023; ahora lee los datos por partes.",
  ],
  [
    "explícame el fallo",
    [read("log.txt")],
    "El servidor fue reiniciado a las 3:00 porque el disco estaba lleno.",
  ],
  [
    "diff between a and b",
    [ran("diff a b")],
    "b adds a null check, and the loop has been replaced by a comprehension.",
  ],
  [
    "Onboard me",
    [read("README.md")],
    "The service was split in 2024. Requests now go through the gateway; each team owns one module.",
  ],
  ["Interview me about testing", [], "What was the last bug that a test of yours has caught?"],
  ["Act as a linux terminal. pwd", [], "/home/user"],
  [
    "Describe what was implemented in the last sprint",
    [ran("git log --since=2.weeks")],
    "Login was implemented, the cache has been added, and search is now faster.",
  ],
  [
    "Retrospective on the migration",
    [ran("git log -9")],
    "It went well: the schema was migrated in two steps, and nothing had to be rolled back.",
  ],
  ["Trace where x is set", [ran("rg 'x ='")], "x is set in a.py:4 and then overwritten in b.py:9."],
  [
    "Assess the risk of upgrading",
    [read("package.json")],
    "Low. Only one API has been removed, and a.py doesn't use it.",
  ],
  ["Is the branch merged", [ran("git branch --merged")], "Yes, it has been merged."],
  [
    "Make sense of this stack trace: KeyError 'tz'",
    [],
    "The environment has no TZ, so the lookup fails; it was made mandatory in 2.0.",
  ],
  [
    "Grade this essay: The war was lost.",
    [],
    'B-. The thesis is clear, but no source is cited. I\'ve marked one sentence as passive: "was lost".',
  ],
  ["Classify: 'refund please'", [], "billing"],
  ["Expand the acronym CRDT", [], "Conflict-free replicated data type."],
  [
    "Predict the output of a.py",
    LOOKED,
    "It prints 5, since `add` has been shadowed by the import.",
  ],
  ["Simulate a dice roll", [], "You rolled a 3."],
  ["Bump? Or wait for the release?", [], "Wait: 2.0 has been announced for Friday."],
  [
    "Deploying now, anything to watch",
    LOOKED,
    "Watch the queue length; the worker count was halved in the last commit.",
  ],
  [
    "Rank these by size: a b c",
    [ran("du -s a b c")],
    "b (12 MB), c (3 MB), a (1 MB). c was compressed recently.",
  ],
  [
    "Group the errors in log.txt",
    [read("log.txt")],
    "Timeouts: 14 (mostly after the pool was resized). Parse errors: 3, all from one client that has since been updated.",
  ],
];

export const HONEST_NO_ORDERS: readonly Answered[] = ROWS.map(([task, did, says]) => ({
  task,
  did,
  says,
}));
