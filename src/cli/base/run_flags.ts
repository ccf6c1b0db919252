/** Flags of `run` that name something, which is looked up before anything starts. Loaded if one of them is given. */
import type { Flags } from "../../app/flags.ts";
import type { RunSettings } from "../../app/settings.ts";
import { did_you_mean } from "../../config/text.ts";
import { read_schema } from "../../gates/answer_schema.ts";
import { open_database, StoreError } from "../../store/database.ts";
import { find_session } from "../../store/sessions.ts";
import { EVERY_TOOL } from "../../tools/declared/every_tool.ts";
import { given_text, text_of_file } from "./given_text.ts";
import { StartError, UsageError } from "../../config/error.ts";

/** Refuses what only a new session can have. Throws `UsageError`. */
export function refuse_for_new({ session_id, system, agent, fork }: Flags): void {
  const given = session_id !== undefined && fork === undefined
    ? "--session-id"
    : agent !== undefined
    ? "--agent"
    : system !== undefined
    ? "--system"
    : null;
  if (given === null) return;
  throw new UsageError(`${given} is for a new session; this one keeps its own`);
}

/** The flags with texts in the place of names of files. Throws `UsageError` or `StartError`. */
export function checked_flags(flags: Flags, place: RunSettings): Flags {
  const { rubric, system, output_schema, only_tools = [], session_id } = flags;
  const names = EVERY_TOOL.map(({ name }) => name);
  for (const name of only_tools.filter((name) => !names.includes(name) && !name.includes("__"))) {
    const other = did_you_mean(name, names, `; known: ${names.join(", ")}`);
    throw new UsageError(`--tools: there is no tool ${name}${other}`);
  }
  if (session_id !== undefined && place.settings.sessions.save) refuse_taken(session_id, place);
  return {
    ...flags,
    ...(session_id === undefined ? {} : { session_id: session_id.toLowerCase() }),
    ...(rubric === undefined ? {} : { rubric: given_text("--rubric", rubric, place) }),
    ...(output_schema === undefined ? {} : { output_schema: schema_in(output_schema, place) }),
    ...(system === undefined ? {} : { system: given_text("--system", system, place) }),
  };
}

/** In one line: it is said to the model. */
function schema_in(path: string, place: RunSettings): string {
  // Of a session that is resumed it is the schema itself.
  const text = path.startsWith("{") ? path : text_of_file("--output-schema", path, { place });
  const read = read_schema(text);
  if (typeof read !== "string") return JSON.stringify(read.schema);
  throw new UsageError(`--output-schema ${path}: it ${read}`);
}

function refuse_taken(id: string, { paths: { data_dir } }: RunSettings): void {
  if (data_dir === null) return;
  let found: ReturnType<typeof find_session>;
  try {
    const db = open_database(data_dir);
    found = find_session(db, id);
    db.close();
  } catch (error) {
    // What can't be read is said where it is to be written.
    if (error instanceof StoreError) return;
    throw error;
  }
  if (found === null) return;
  throw new StartError(`there is a session ${id} already; to continue it: hamr resume ${id}`);
}
