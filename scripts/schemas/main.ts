/**
 * Writes `schema/`: what programs read of hamr, as JSON Schema, out of the types. With `--check` it only says whether they are as
 * the types are, by its exit code.
 *
 *     deno task schemas
 */
import { fileURLToPath } from "node:url";

/** A development tool, and TypeScript with it: not among the program's packages. */
const GENERATOR = "npm:ts-json-schema-generator@2.4.0";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Every schema: its file and the type that it is made from. */
export const SCHEMAS = [
  { file: "result", type: "Result", title: "The result of hamr run --json" },
  { file: "event", type: "TracedEvent", title: "A line of hamr run --output jsonl" },
  { file: "input", type: "InputLine", title: "A line of standard input of hamr run --steer" },
] as const;

const OPTIONS = {
  strict: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  module: "esnext",
  moduleResolution: "bundler",
  target: "esnext",
  lib: ["esnext", "dom"],
  types: [],
};

/** Run by a process of its own, which reads the source once; the keys in the order that the generator's own command has. */
const GENERATE = `
import * as schemas from "${GENERATOR}";
const { types, ...how } = JSON.parse(Deno.args[0]);
const program = schemas.createProgram(how);
const schema_of = (type) => {
  const config = { ...schemas.DEFAULT_CONFIG, ...how, type };
  const parser = schemas.createParser(program, config);
  const formatter = schemas.createFormatter(config);
  return new schemas.SchemaGenerator(program, parser, formatter, config).createSchema(type);
};
const sorted = (_, value) =>
  value === null || typeof value !== "object" || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
try {
  console.log(JSON.stringify(types.map(schema_of), sorted));
} catch (error) {
  console.error(error);
  Deno.exit(2);
}
`;

/** The schemas of types of `src/agent/events.ts`; null where the generator is not available. Throws if it can't read a type. */
export async function schemas_of_types(): Promise<readonly unknown[] | null> {
  const folder = Deno.makeTempDirSync();
  try {
    const config = `${folder}/tsconfig.json`;
    const path = `${ROOT}src/agent/events.ts`;
    Deno.writeTextFileSync(config, JSON.stringify({ compilerOptions: OPTIONS, files: [path] }));
    const script = `${folder}/generate.js`;
    Deno.writeTextFileSync(script, GENERATE);
    const how = {
      ...{ path, tsconfig: config, types: SCHEMAS.map(({ type }) => type) },
      ...{ skipTypeCheck: true, expose: "none", additionalProperties: true },
    };
    const args = ["run", "-A", "--quiet", "--no-lock", "--no-config", script, JSON.stringify(how)];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: folder,
    }).output();
    if (code !== 0) {
      // It is there, and does not understand a type.
      if (code === 2) throw new Error(new TextDecoder().decode(stderr));
      Deno.stderr.writeSync(stderr);
      return null;
    }
    const made: Record<string, unknown>[] = JSON.parse(new TextDecoder().decode(stdout));
    return made.map((schema, nth) => up_to_date(schema, SCHEMAS[nth]!));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The generator speaks draft 7. */
function up_to_date(
  { $schema: _, definitions, ...rest }: Record<string, unknown>,
  { type, title }: { readonly type: string; readonly title: string },
): Record<string, unknown> {
  const text = JSON.stringify({ ...rest, $defs: definitions })
    .replaceAll("#/definitions/", "#/$defs/");
  const { $ref: _ref, $defs, ...more } = JSON.parse(text);
  const { [type]: main, ...others } = $defs;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...main,
    ...more,
    ...(Object.keys(others).length === 0 ? {} : { $defs: others }),
  };
}

/** How a schema is written down. */
export function as_text(schema: unknown): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** Where a schema is. */
export function schema_file(name: string): string {
  return `${ROOT}schema/${name}.schema.json`;
}

if (import.meta.main) {
  const schemas = await schemas_of_types();
  if (schemas === null) Deno.exit(1);
  for (const [nth, schema] of schemas.entries()) {
    const path = schema_file(SCHEMAS[nth]!.file);
    if (!Deno.args.includes("--check")) Deno.writeTextFileSync(path, as_text(schema));
    else if (Deno.readTextFileSync(path) !== as_text(schema)) {
      const words = `${path} is not as the types are: deno task schemas\n`;
      Deno.stderr.writeSync(new TextEncoder().encode(words));
      Deno.exit(1);
    }
  }
}
