/** Small projects of everyday work, and a short form of what happens in them. */
import type { Reply } from "../../support/wire.ts";
import { type Ends, SUCCESS, type Transcript } from "../transcript.ts";

/** A Python package with tests; `parse_price` fails for a comma. */
export const PYTHON = {
  "shop/__init__.py": "",
  "shop/prices.py":
    'import os\n\n\ndef parse_price(text):\n    return float(text.replace("€", "").strip())\n\n\ndef with_tax(net, rate=0.19):\n    return round(net * (1 + rate), 2)\n',
  "shop/report.py":
    'from shop.prices import with_tax\n\n\ndef line(name, net):\n    return f"{name}: {with_tax(net)}"\n',
  "tests/__init__.py": "",
  "tests/test_prices.py":
    'import unittest\n\nfrom shop.prices import parse_price, with_tax\n\n\nclass Prices(unittest.TestCase):\n    def test_tax(self):\n        self.assertEqual(with_tax(100), 119)\n\n    def test_comma(self):\n        self.assertEqual(parse_price("3,50 €"), 3.5)\n',
  "README.md": "# shop\n\nPrices and recieipts.\n\nRun `python3 -m unittest`.\n",
  ".gitignore": "__pycache__/\n.venv/\ndist/\n*.log\n",
} as const;

/** A Node package with `node --test`; `slugify` keeps capitals. */
export const NODE = {
  "package.json":
    '{\n  "name": "slugs",\n  "version": "0.3.1",\n  "type": "module",\n  "engines": { "node": ">=18" },\n  "scripts": { "test": "node --test" }\n}\n',
  "src/slug.js":
    'export function slugify(text) {\n  return text.trim().replace(/\\s+/g, "-");\n}\n',
  "src/index.js":
    'import { slugify } from "./slug.js";\n\nconst PORT = 3000;\n\nexport const page = (title) => `/p/${slugify(title)}?port=${PORT}`;\n',
  "src/slug.test.js":
    'import assert from "node:assert";\nimport test from "node:test";\nimport { slugify } from "./slug.js";\n\ntest("lower case", () => assert.equal(slugify("Hello World"), "hello-world"));\n',
  "README.md": "# slugs\n\nMakes slugs. Needs Node 16.\n",
  ".gitignore": "node_modules/\ndist/\n*.log\n",
} as const;

/** Scripts. */
export const SCRIPTS = {
  "bin/backup.sh": '#!/bin/sh\nset -e\nfor f in $1/*; do\n  cp $f $2\ndone\necho "saved"\n',
  "bin/clean.sh": "#!/bin/sh\nrm -f *.tmp\n",
  "README.md": "# Scripts\n\n- `bin/backup.sh FROM TO`\n- `bin/clean.sh`\n",
} as const;

/** Settings of a service, in three places. */
export const CONFIG = {
  "config/default.yml": "port: 8080\nlog: info\ntimeout: 30\n",
  "config/staging.yml": "port: 8081\nlog: debug\n",
  "settings.toml": '[server]\nhost = "localhost"\nworkers = 2\n',
  "docs/setup.md": "# Setup\n\nThe service listens on port 8080.\n\n## Logging\n\nSee `log`.\n",
  "data/orders.csv": "id,status,total\n1,paid,10\n2,failed,5\n3,paid,7\n4,failed,1\n5,failed,2\n",
} as const;

export const COMMA = [
  "shop/prices.py",
  'text.replace("€", "").strip()',
  'text.replace("€", "").replace(",", ".").strip()',
] as const;
export const LOWER = ["src/slug.js", "text.trim()", "text.trim().toLowerCase()"] as const;

type More = Partial<Omit<Transcript, "name" | "language" | "task" | "files" | "replies">>;

/** One transcript; its end is a success where nothing else is said. */
export function play_of(
  [name, language, task]: readonly [string, Transcript["language"], string],
  files: Transcript["files"],
  replies: readonly Reply[],
  more: More = {},
): Transcript {
  return { name, language, task, ...(files ? { files } : {}), replies, ends: SUCCESS, ...more };
}

/** The same, for what ends otherwise. */
export function ending(ends: Ends): typeof play_of {
  return (what, files, replies, more) => play_of(what, files, replies, { ends, ...more });
}
