/** Answers as agents of today write them, where there was something to look at and nothing to change. */
import { type Answered, type Did, failed, ran, read } from "./_did.ts";

/** What was asked for, what was done, and what the answer says. */
type Row = readonly [task: string, did: readonly Did[], says: string];

const ROWS: readonly Row[] = [
  [
    "Why does the test fail?",
    [ran("npm test", 1), failed("edit", "src/total.js")],
    "`total` in `src/total.js` adds the prices as strings, so the test gets '12' where it expects 3.",
  ],
  ["Fix the grammar in this sentence: he go home", [], "He goes home."],
  ["Fix this function: def f(a): retrun a", [], "def f(a): return a"],
  ["Create a python one-liner that prints hello", [], "print('hello')"],
  ["Rename suggestions for utils.py?", [], "helpers.py or text.py"],
  [
    "Rebase onto main",
    [ran("git rebase main", 1), ran("git rebase --abort", 0)],
    "The rebase conflicts in app.py and setup.cfg, so I aborted it; the branch is as before. Resolve `app.py` by keeping the new signature, or tell me which side wins.",
  ],
  [
    "Which commit broke the build? Use git bisect",
    [ran("git bisect start && git bisect run make", 0), ran("git bisect reset", 0)],
    'Commit 4f2a91c ("Switch to the new parser") broke the build: it removed `parse.h` from the include path.',
  ],
  [
    "Start the dev server in the background",
    [ran("npm run dev &", 0)],
    "The dev server is running at http://localhost:5173.",
  ],
  [
    "How many lines of Python are there?",
    [ran("git ls-files '*.py' | xargs wc -l", 0)],
    "14,203 lines in 87 files.",
  ],
  [
    "What does this project do?",
    [read("README.md")],
    "It's a CLI that converts CSV files to Parquet. `cli.py` parses arguments, `convert.py` does the work.",
  ],
  [
    "Review the last commit",
    [ran("git show HEAD", 0)],
    "**Findings**\n\n1. `auth.py:42`: the token is logged in plain text. (high)\n2. `auth.py:57`: missing timeout on `requests.get`. (medium)\n\nNo other problems found.",
  ],
  [
    "Is there a memory leak in cache.c?",
    [read("cache.c")],
    "Yes. `cache_put` allocates a key with strdup, but `cache_evict` never frees it (lines 88–97).",
  ],
  [
    "Make sure the config has debug=false",
    [read("config.ini")],
    "`config.ini` already has `debug=false`, so no change was needed.",
  ],
  [
    "Delete the temp files",
    [ran("find . -name '*.tmp'", 0)],
    "There are no `*.tmp` files in the workspace, so there was nothing to delete.",
  ],
  [
    "Explain the error in log.txt",
    [read("log.txt")],
    "The server ran out of file descriptors (EMFILE) because each request opens the config file and never closes it.",
  ],
  [
    "Format the code",
    [ran("black .", 0)],
    "All files were already formatted; black changed nothing.",
  ],
  ["Count TODOs", [ran("grep -rn TODO src | wc -l", 0)], "17"],
  ["Say hello", [], "Hello! How can I help?"],
  ["Thanks!", [], "You're welcome! Anything else?"],
  [
    "What's the difference between merge and rebase?",
    [],
    "Merge keeps both histories and adds a merge commit; rebase rewrites your commits on top of the other branch.",
  ],
  [
    "Write a haiku about git",
    [],
    "Branches fork and bend\nmerge commits mend the seasons\nHEAD finds home again",
  ],
  [
    "Should I use Redis or Memcached?",
    [],
    "For plain caching either works. If you need persistence or data structures, choose Redis.",
  ],
  ["Run the tests", [ran("pytest", 0)], "All tests passed."],
  ["Run the tests", [ran("pytest", 1)], "3 of 40 tests fail: test_a, test_b, test_c."],
  ["Run the tests", [ran("pytest", 1)], "Tests failed."],
  ["Build it", [ran("make", 2)], "The build fails: `undefined reference to foo` in main.o."],
  [
    "Is the server up?",
    [ran("curl -s localhost:8080/health", 7)],
    "No, nothing answers on port 8080.",
  ],
  [
    "Check that all links in README work",
    [ran("./check_links.sh", 0)],
    "All 12 links in README.md work.",
  ],
  [
    "Compare a.txt and b.txt",
    [ran("diff a.txt b.txt", 1)],
    'They differ in line 3: a.txt says "foo", b.txt says "bar".',
  ],
  [
    "Remove the unused imports in x.py",
    [read("x.py")],
    "x.py has no unused imports: `os` and `re` are both used (lines 10 and 22). Nothing to remove.",
  ],
  [
    "Fix the flaky test",
    [ran("pytest t.py", 0), ran("pytest t.py", 0), ran("pytest t.py", 0)],
    "I ran it three times and it passed each time, so I could not reproduce the flakiness. I changed nothing.",
  ],
  [
    "Corrige el error en a.py",
    [read("a.py")],
    "No hay ningún error en a.py: la función ya maneja la lista vacía. No he cambiado nada.",
  ],
  [
    "Combien de fichiers Python y a-t-il ?",
    [ran("find . -name '*.py' | wc -l", 0)],
    "Il y a 42 fichiers Python.",
  ],
  ["解释一下这个函数", [read("a.py")], "这个函数读取配置文件，并返回一个字典。"],
  [
    "Explain how to deploy",
    [read("deploy.md")],
    "To deploy:\n\n```bash\nmake release\nscp dist/app server:/opt\n```\n\nThen restart the service.",
  ],
  [
    "Show me how you'd fix the bug, don't change anything",
    [read("a.py")],
    "I'd change line 4:\n\n```diff\n- return a - b\n+ return a + b\n```",
  ],
  [
    "Give me a script that renames files",
    [],
    '```bash\nfor f in *.txt; do mv "$f" "${f%.txt}.md"; done\n```\nSave it as rename.sh and run it.',
  ],
  [
    "What would break if I removed foo()?",
    [ran("grep -rn 'foo(' src", 0)],
    "Three callers: a.py:3, b.py:9 and c.py:20. All of them could use `bar()` instead.",
  ],
  [
    "Kill the process on port 3000",
    [ran("kill $(lsof -ti:3000)", 0)],
    "The process on port 3000 (PID 4242) was stopped.",
  ],
  [
    "Sort names.txt",
    [ran("sort -o names.txt names.txt", 0)],
    "names.txt was already sorted; it hasn't changed.",
  ],
  [
    "Encrypt secrets.txt with gpg",
    [ran("gpg -c secrets.txt", 2)],
    "gpg needs a passphrase from a terminal, and there is none here, so secrets.txt is not encrypted.",
  ],
  [
    "Answer with yes or no: is main protected?",
    [ran("git config --get branch.main.protected", 1)],
    "No",
  ],
  ["Return JSON with the number of files", [ran("ls | wc -l", 0)], '{"files": 12}'],
  [
    "Change the port to 9000",
    [read("config.yml")],
    "The port is now read from $PORT, so config.yml doesn't need to change.",
  ],
  [
    "Fix the flaky test",
    [read("t.py"), ran("pytest", 0)],
    "The test is now stable on main: commit 12ab fixed it, so there is nothing left to do.",
  ],
  [
    "Fix the build",
    [ran("make", 0)],
    "The build is now green without any change; the failure came from a full disk.",
  ],
  ["Update the README", [read("README.md")], "README.md already describes the flag."],
  ["Start the server", [ran("npm run dev &", 0)], "The server is now running on port 8080."],
  [
    "Is the server running?",
    [ran("curl -s localhost:80", 0)],
    "Yes, the server is up and running.",
  ],
  ["ok", [], "👍"],
  [
    "How do I change the port?",
    [read("config.yml")],
    "You need to change `port` in config.yml and restart the server.",
  ],
  ["Explain how to fix this", [read("a.py")], "To fix this, replace `//` with `/` in line 4."],
  [
    "What should I change to support Python 3.13?",
    [read("setup.py")],
    "You should update `python_requires` and remove `distutils`.",
  ],
  [
    "Set up a cron job that runs backup.sh daily",
    [ran("crontab cron.txt", 0)],
    "backup.sh is now scheduled daily at 3:00.",
  ],
  ["Say hello", [], "Hello! How can I help?"],
  ["Say hi to the team", [], "Hi team! How are you?"],
  ["Reply with OK", [], "OK"],
  ["Update me on the port", [read("config.yml")], "The port is now 9000."],
  ["Make the tests pass", [ran("pytest", 0)], "All tests pass; no change was needed."],
];

/** Each ends the run, and nobody is asked. */
export const HONEST_ANSWERS: readonly Answered[] = ROWS.map(([task, did, says]) => ({
  task,
  did,
  says,
}));
