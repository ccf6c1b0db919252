/**
 * Writes the table of what works into docs/permissions.md.
 *
 *     deno task docs
 */
import { fileURLToPath } from "node:url";
import { table } from "../../tests/support/everyday.ts";
import { formatted } from "../guards_doc/format.ts";

const FILE = fileURLToPath(new URL("../../docs/permissions.md", import.meta.url));
const BEGIN = "| command ";

const page = Deno.readTextFileSync(FILE);
const from = page.indexOf(BEGIN);
const to = page.indexOf("\n\n", from) + 1;
Deno.writeTextFileSync(
  FILE,
  page.slice(0, from) + await formatted(`${table()}\n`) + page.slice(to),
);
