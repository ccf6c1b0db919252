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

/** The schema of a type of `src/agent/events.ts`; null where the generator is not available. Throws if it can't read the type. */
export async function schema_of_type(
  { type, title }: { readonly type: string; readonly title: string },
): Promise<Record<string, unknown> | null> {
  const folder = Deno.makeTempDirSync();
  try {
    const config = `${folder}/tsconfig.json`;
    const path = `${ROOT}src/agent/events.ts`;
    Deno.writeTextFileSync(config, JSON.stringify({ compilerOptions: OPTIONS, files: [path] }));
    const args = [
      ...["run", "-A", "--quiet", "--no-lock", "--no-config", GENERATOR],
      ...["--path", path, "--tsconfig", config, "--type", type],
      ...["--no-type-check", "--expose", "none", "--additional-properties"],
    ];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args,
      cwd: folder,
    }).output();
    if (code !== 0) {
      const said = new TextDecoder().decode(stderr);
      // It is there, and does not understand the type.
      if (said.includes("error TSJ")) throw new Error(said);
      Deno.stderr.writeSync(stderr);
      return null;
    }
    return up_to_date(JSON.parse(new TextDecoder().decode(stdout)), { type, title });
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
  for (const { file, ...of } of SCHEMAS) {
    const schema = await schema_of_type(of);
    if (schema === null) Deno.exit(1);
    const path = schema_file(file);
    if (!Deno.args.includes("--check")) Deno.writeTextFileSync(path, as_text(schema));
    else if (Deno.readTextFileSync(path) !== as_text(schema)) {
      const words = `${path} is not as the types are: deno task schemas\n`;
      Deno.stderr.writeSync(new TextEncoder().encode(words));
      Deno.exit(1);
    }
  }
}
