/** Small projects that the transcripts are about. Their tests need a shell and no more. */

/** A shell library with a bug: `add 2 3` gives -1. `sh test.sh` says so. */
export const CALC = {
  "calc.sh": "add() {\n  echo $(($1 - $2))\n}\n\nmul() {\n  echo $(($1 * $2))\n}\n",
  "test.sh":
    '. ./calc.sh\nfail=0\n[ "$(add 2 3)" = 5 ] || { echo "FAIL add"; fail=1; }\n[ "$(mul 2 3)" = 6 ] || { echo "FAIL mul"; fail=1; }\n[ $fail = 0 ] && echo "2 passed"\nexit $fail\n',
} as const;

/** The same after it was fixed. */
export const FIXED_CALC = { ...CALC, "calc.sh": CALC["calc.sh"].replace("-", "+") } as const;

/** A Python module with the same bug. */
export const PY = {
  "a.py": "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n",
  "README.md": "# Sums\n\nA module that adds.\n",
} as const;

/** A small web service. */
export const WEB = {
  "package.json": '{\n  "name": "shop",\n  "version": "1.2.0",\n  "type": "module"\n}\n',
  "src/server.js":
    'import { total } from "./cart.js";\n\nconst port = 80;\n\nexport function start() {\n  return `listening on ${port}, ${total([])}`;\n}\n',
  "src/cart.js":
    "export function total(items) {\n  let sum = 0;\n  for (let i = 0; i <= items.length; i++) {\n    sum += items[i].price;\n  }\n  return sum;\n}\n",
  "src/util.js": "export const round = (x) => Math.round(x * 100) / 100;\n",
  "README.md": "# Shop\n\nStart with `node src/server.js`.\n",
} as const;

/** A page and its style. */
export const SITE = {
  "index.html":
    '<!doctype html>\n<title>Home</title>\n<link rel="stylesheet" href="style.css">\n<h1>Welcom</h1>\n',
  "style.css": "body {\n  color: black;\n}\n",
} as const;

/** A project that is built by a script into folders that git ignores. */
export const BUILT = {
  ".gitignore": "dist/\nbuild/\n.venv/\nnode_modules/\n*.log\n.env\n",
  "build.sh":
    'set -e\nmkdir -p dist\ncat src/*.txt > dist/bundle.txt\necho "built dist/bundle.txt"\n',
  "src/one.txt": "one\n",
  "src/two.txt": "two\n",
} as const;
