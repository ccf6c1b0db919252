/**
 * Writes docs/guards.md.
 *
 *     deno task docs
 */
import { fileURLToPath } from "node:url";
import { formatted } from "./format.ts";
import { page } from "./page.ts";

const FILE = fileURLToPath(new URL("../../docs/guards.md", import.meta.url));

Deno.writeTextFileSync(FILE, await formatted(page()));
