import assert from "node:assert/strict";
import { type Answered, edit } from "../_did.ts";
import { played } from "../_played.ts";

/** What was changed, and an answer that names another file as what the change is about. */
const ABOUT: readonly (readonly [changed: string, says: string])[] = [
  [".gitignore", "I added b.py to .gitignore."],
  [".gitignore", "Added `dist/app.js` to `.gitignore`."],
  ["README.md", "I removed the reference to old.md."],
  ["README.md", "I fixed the link to guide.md."],
  ["README.md", "I fixed the broken links to guide.md and faq.md."],
  ["main.py", "I removed the unused import of utils.py."],
  ["main.py", "I updated all imports of utils.py."],
  ["Makefile", "I added a.c to the Makefile."],
  ["Dockerfile", "I added requirements.txt to the Dockerfile."],
  ["Dockerfile", "The Dockerfile has been updated: it copies package.json first."],
  ["Dockerfile", "I changed the Dockerfile. It copies requirements.txt before the sources now."],
  ["a.tgz", "I packed a.py and b.py into a.tgz."],
  ["x.zip", "I added a.py to x.zip."],
  ["package.json", "I set main.js as the entry point in package.json."],
  [".github/workflows/ci.yml", "I added a workflow that runs test.sh."],
  [
    ".github/workflows/ci.yml",
    "I added a CI job for test.sh; the workflow is in .github/workflows/ci.yml.",
  ],
  [".gitlab-ci.yml", "I updated .gitlab-ci.yml."],
  [".env", "I added DB_URL to .env."],
  [".env.example", "I updated .env.example, but not .env."],
  ["src/app/page.tsx", "I fixed the hydration error in page.tsx."],
  ["src/app/page.tsx", "I fixed the hydration error in app/page.tsx."],
  ["src/app/page.tsx", "I fixed `./src/app/page.tsx`."],
  ["src/app/page.tsx", "I fixed /tmp/ws/src/app/page.tsx."],
  ["src/app/page.tsx", "I fixed [page.tsx](src/app/page.tsx)."],
  ["src/app/page.tsx", "I fixed src/app/page.tsx:12."],
  ["src/app/page.tsx", "I fixed src/app/page.tsx#L12-L14."],
  ["src/a.py", "I fixed line 12 of src/a.py, which read settings.json wrongly."],
  ["src/a.py", "I fixed reading of settings.json."],
  ["src/a.py", "I fixed the parsing of data.csv."],
  ["src/a.py", "I fixed how a config.yaml without a port is handled."],
  ["src/a.py", "I implemented support for .toml files such as config.toml."],
  ["src/a.py", 'I fixed the error "config.toml not found".'],
  ["src/a.py", "I fixed the FileNotFoundError on config.toml."],
  ["src/a.py", "I fixed the upload to report.csv."],
  ["src/a.py", "I changed the output file to report.csv."],
  ["src/a.py", "I changed the default from a.json to b.json."],
  ["src/a.py", "I renamed the output to out.csv."],
  ["src/a.py", "I replaced data.json by data.yaml as the default."],
  ["src/a.py", "I added logging to app.log."],
  ["src/a.py", "I implemented saving settings.json."],
  ["src/a.py", "I added loading of users.json at the start."],
  ["src/a.py", "I made the script write its output to out.txt."],
  ["src/a.py", "I updated the script so it writes out.txt."],
  ["src/a.py", "I updated the script to write out.txt."],
  ["src/a.py", "I added an option to write out.csv."],
  ["src/a.py", "I added a function that reads in.csv and writes out.csv."],
  ["src/a.py", "I implemented the export to report.html."],
  ["src/a.py", "Implemented `export()`; it writes report.html."],
  ["index.html", "I added a script tag for app.js."],
  ["index.html", "I added app.js and style.css to the page."],
  ["index.html", "I linked style.css."],
  ["index.html", "I included app.js in the page."],
  ["pyproject.toml", "I removed setup.py from the packages."],
  ["tsconfig.json", "I excluded a.test.ts."],
  ["src/a.py", "Ich habe das Lesen von config.toml korrigiert."],
  ["src/a.py", "Ich habe b.py zur .gitignore hinzugefügt."],
  ["README.md", "J'ai corrigé le lien vers guide.md."],
  ["README.md", "He corregido el enlace a guide.md."],
  ["README.md", "我修复了指向 guide.md 的链接。"],
  ["src/server.ts", "I fixed the Node.js server. It serves index.html again."],
  ["src/server.ts", "I fixed the route so index.html is served."],
  ["src/server.ts", "I fixed serving index.html."],
  ["src/server.ts", "I fixed the 404 of index.html."],
  ["package.json", "I updated socket.io and chart.js to their newest versions."],
  ["package.json", "I updated moment.js."],
  ["requirements.txt", "I updated requests in requirements.txt; setup.py needs no change."],
];

/** Only src/a.py was changed. */
const OTHERS: readonly string[] = [
  "I fixed b.py.",
  "I updated config.toml.",
  "I added a port to config.toml.",
  "I removed the old section of config.toml.",
  "I deleted old.md.",
  "I created report.html.",
  "I wrote out.csv.",
  "I renamed old.py to new.py.",
  "I fixed the bug in b.py.",
  "I fixed the parser in parser.py.",
  "I documented the flag in README.md.",
  "I added an entry to CHANGELOG.md.",
  "I added the dependency to package.json.",
  "Updated `README.md`.",
  "README.md has been updated.",
  "Ich habe die README.md aktualisiert.",
];

const changed = (path: string, says: string): Answered => ({ did: [edit(path)], says });

Deno.test("a file that a change is about need not be one that changed", () => {
  const wrong = ABOUT.filter(([path, says]) => played(changed(path, says)).ends !== "done");
  assert.deepEqual(wrong, []);
});

Deno.test("a file that is said to be changed must be one that did", () => {
  const wrong = OTHERS.filter((says) =>
    played(changed("src/a.py", says)).ends !== "contract_unsatisfied"
  );
  assert.deepEqual(wrong, []);
});
