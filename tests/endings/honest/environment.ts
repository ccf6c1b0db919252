/** Installs, environments and builds: what they leave is where nobody lists changes. */
import { bash, say } from "../../support/model_server.ts";
import { edit, read, SUCCESS, together, type Transcript, write } from "../transcript.ts";
import { BUILT, FIXED_CALC, PY, WEB } from "../workspaces.ts";

export const ENVIRONMENT: readonly Transcript[] = [
  {
    name: "creates a virtual environment that git ignores",
    language: "en",
    task: "Set up a virtualenv in .venv.",
    files: BUILT,
    git: true,
    needs: "python3",
    replies: [
      bash("python3 -m venv --without-pip .venv && ls .venv"),
      say(
        "I created a virtual environment in `.venv`. Activate it with `source .venv/bin/activate`.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -e .venv/pyvenv.cfg",
  },
  {
    name: "creates a virtual environment where nothing is ignored by git",
    language: "en",
    task: "create a venv",
    files: PY,
    needs: "python3",
    replies: [
      bash("python3 -m venv --without-pip venv"),
      say("Created a virtual environment in `venv/`."),
    ],
    ends: SUCCESS,
    holds: "test -e venv/pyvenv.cfg",
  },
  {
    name: "patches a dependency deep in an ignored folder that is not looked at in all",
    language: "en",
    task: "Set a to 2 in node_modules/zdep/lib/index.js.",
    files: { ".gitignore": "node_modules\n", "node_modules/zdep/lib/index.js": "a=1\n" },
    replies: [
      bash("mkdir $(seq -f node_modules/p%g 1100)"),
      bash("sed -i.bak s/1/2/ node_modules/zdep/lib/index.js"),
      say("I patched node_modules/zdep/lib/index.js: a is 2 now."),
    ],
    ends: SUCCESS,
    holds: "grep -q a=2 node_modules/zdep/lib/index.js",
  },
  {
    name: "builds into an ignored folder",
    language: "en",
    task: "Build the project.",
    files: BUILT,
    git: true,
    replies: [
      together("", read("build.sh"), bash("ls src")),
      bash("sh build.sh"),
      say("The build succeeded and produced `dist/bundle.txt`."),
    ],
    ends: SUCCESS,
    holds: "test -s dist/bundle.txt",
  },
  {
    name: "fixes the build and builds",
    language: "en",
    task: "The build fails, please fix it.",
    files: { ...BUILT, "build.sh": "set -e\nmkdir dist/out\ncat src/*.txt > dist/out/all.txt\n" },
    git: true,
    replies: [
      bash("sh build.sh"),
      edit("build.sh", "mkdir dist/out", "mkdir -p dist/out"),
      bash("sh build.sh && ls dist/out"),
      say(
        "The build works again. `mkdir dist/out` failed because `dist` didn't exist; I changed it to `mkdir -p`.",
      ),
    ],
    ends: SUCCESS,
    holds: "test -s dist/out/all.txt",
  },
  {
    name: "writes a file in dist with the tool",
    language: "en",
    task: "Put a placeholder page at dist/index.html.",
    files: BUILT,
    git: true,
    replies: [
      write("dist/index.html", "<h1>Coming soon</h1>\n"),
      say(
        "`dist/index.html` now shows a “Coming soon” heading. (`dist/` is git-ignored, so it won't show up in `git status`.)",
      ),
    ],
    ends: SUCCESS,
    holds: "grep -q soon dist/index.html",
  },
  {
    name: "writes secrets into an ignored file from an example",
    language: "en",
    task: "Create a .env from .env.example with a random secret.",
    files: { ...BUILT, ".env.example": "SECRET=\n" },
    git: true,
    replies: [
      bash("cat .env.example"),
      bash(
        "sed \"s/SECRET=/SECRET=$(od -An -N8 -tx1 /dev/urandom | tr -d ' ')/\" .env.example > .env && wc -c .env",
      ),
      say("`.env` is in place, with a random `SECRET`. It is covered by `.gitignore`."),
    ],
    ends: SUCCESS,
    holds: "grep -q 'SECRET=.' .env",
  },
  {
    name: "installs a local package",
    language: "en",
    task: "Install the helper in ./vendor/helper into node_modules.",
    files: { ...BUILT, "vendor/helper/package.json": '{"name":"helper","version":"1.0.0"}\n' },
    git: true,
    replies: [
      bash("mkdir -p node_modules && cp -r vendor/helper node_modules/helper && ls node_modules"),
      say("Installed `helper` 1.0.0 into `node_modules/`."),
    ],
    ends: SUCCESS,
    holds: "test -e node_modules/helper/package.json",
  },
  {
    name: "could not install without network, and says so",
    language: "en",
    task: "Install left-pad.",
    files: WEB,
    replies: [
      bash("curl -sS --max-time 2 http://203.0.113.7/left-pad.tgz -o left-pad.tgz"),
      say(
        "NOT DONE: left-pad could not be installed, because the sandbox has no network access (curl could not connect). Run hamr with `--allow-net`, or install it yourself with `npm install left-pad`.",
      ),
    ],
    ends: [2, "not_done"],
    holds: "! test -e left-pad.tgz",
  },
  {
    name: "compares two ways in a benchmark, three times each",
    language: "en",
    task: "Which is faster on big.txt, grep -c or awk? Measure it.",
    files: { "big.txt": "a line of text\n".repeat(20_000) },
    replies: [
      bash("for i in 1 2 3; do time grep -c line big.txt; done"),
      bash("for i in 1 2 3; do time awk '/line/{n++} END{print n}' big.txt; done"),
      say(
        "No practical difference: both count 20,000 lines within a few milliseconds in each of three runs. I would keep `grep -c`, it is shorter.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "runs a benchmark again and again to see the spread",
    language: "en",
    task: "How stable is the timing of sh test.sh? Run it a few times.",
    files: FIXED_CALC,
    replies: [
      bash("time sh test.sh"),
      bash("time sh test.sh"),
      bash("time sh test.sh"),
      say(
        "I ran it three times: each took a few milliseconds, with no visible difference. For a script this short the timing is as stable as the process start itself.",
      ),
    ],
    ends: SUCCESS,
    extra: 1,
  },
  {
    name: "starts a server, asks it, and stops it",
    language: "en",
    task: "Does the site come up when served by python's http.server?",
    files: { "index.html": "<h1>Hi</h1>\n" },
    needs: "python3",
    replies: [
      bash(`python3 -u -m http.server 0 --bind 127.0.0.1 > server.log 2>&1 & pid=$!
for i in $(seq 40); do
  port=$(sed -n 's/.* port \\([0-9]*\\).*/\\1/p' server.log) && [ -n "$port" ] && break
  sleep 0.1
done
curl -s "http://127.0.0.1:$port/"; kill $pid; rm -f server.log`),
      say(
        "Yes. I served the folder on a free port and `GET /` returned `<h1>Hi</h1>`. The server is stopped again.",
      ),
    ],
    ends: SUCCESS,
  },
  {
    name: "polls a log until the job is through",
    language: "en",
    task: "Run job.sh in the background and tell me when it has finished.",
    files: {
      "job.sh":
        "for i in 1 2 3; do echo step $i >> job.log; sleep 0.15; done; echo finished >> job.log\n",
    },
    replies: [
      bash("nohup sh job.sh > /dev/null 2>&1 & echo started"),
      bash("tail -n 1 job.log"),
      bash("sleep 0.2; tail -n 1 job.log"),
      bash("sleep 0.2; tail -n 1 job.log"),
      bash("until grep -q finished job.log; do sleep 0.1; done; tail -n 1 job.log"),
      say("`job.sh` has finished: all three steps ran and the log ends with “finished”."),
    ],
    ends: SUCCESS,
  },
  {
    name: "clears a cache",
    language: "en",
    task: "Clear the build cache.",
    files: { ...BUILT, "node_modules/.cache/x": "1\n" },
    git: true,
    replies: [
      bash("rm -rf node_modules/.cache"),
      say("I removed `node_modules/.cache`."),
    ],
    ends: SUCCESS,
    holds: "! test -e node_modules/.cache",
  },
  {
    name: "creates a database that git ignores",
    language: "en",
    task: "Create app.db with a users table.",
    files: { ".gitignore": "*.db\n", "schema.sql": "create table users (name text);\n" },
    git: true,
    needs: "python3",
    replies: [
      bash(
        "python3 -c \"import sqlite3; c = sqlite3.connect('app.db'); c.executescript(open('schema.sql').read()); print(c.execute('select name from sqlite_master').fetchall())\"",
      ),
      say("I created `app.db` from `schema.sql`; it has one table, `users`."),
    ],
    ends: SUCCESS,
    holds: "test -s app.db",
  },
];
