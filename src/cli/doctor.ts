/** `hamr doctor`: checks what a run would find here, one line each; exit 0, or 3 if a run could not start. */
import { instruction_files } from "../agent/instructions.ts";
import { prompt_sources, system_prompt } from "../agent/prompt.ts";
import { refuse_small_window } from "../app/preconditions.ts";
import { json_line } from "../config/json.ts";
import { why } from "../config/paths.ts";
import { message_of, plural } from "../config/text.ts";
import { BASIC_TOOLS, schema_of } from "../tools/declared/every_tool.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import type { SettingsFile } from "../config/load.ts";
import { WHICHEVER } from "../model/server/default_model.ts";
import { reach } from "../model/server/reach.ts";
import { describe } from "../sandbox/report/describe.ts";
import { sqlite_fault } from "../store/database.ts";
import { list_sessions } from "../store/sessions.ts";
import { open_store } from "../store/store.ts";
import type { Parsed } from "./args/args.ts";
import { endpoint_of } from "../app/endpoint.ts";
import { exit_code } from "../app/exit_codes.ts";
import type { Io } from "./base/io.ts";
import { configured_mcp } from "../app/mcp_configured.ts";
import { mcp_lines } from "../app/session_start.ts";
import { looked_at, server_summary } from "./servers/mcp_look.ts";
import { command_policy } from "../app/command_policy.ts";
import { load_settings, own_folder, type RunSettings } from "../app/settings.ts";
import { VERSION } from "./args/commands.ts";
import { StartError } from "../config/error.ts";

interface Check {
  readonly ok: boolean;
  readonly name: string;
  readonly words: string;
  /** It works, but not as one would expect. */
  readonly warns?: true;
  /** Only where more is asked for. */
  readonly detail?: true;
}

export async function doctor(parsed: Parsed, io: Io): Promise<number> {
  const settings = await load_settings(parsed, io);
  const network = parsed.flags.network ? await import("./doctor_network.ts") : null;
  const asked = network?.record_addresses();
  const runtime = `hamr ${VERSION}, Deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch}`;
  const checks: Check[] = [
    { ok: true, name: "program", words: runtime },
    ...settings.files.filter((file) => file.exists)
      .map((file) => ({ ok: true, name: "settings", words: `${file.path} (${source_of(file)})` })),
    ...settings.warnings.map((words) => warning("settings", words)),
    ...await model_checks(settings),
    data_check(settings),
    ...await store_checks(settings),
    ...instruction_checks(settings),
    // Last: with the sandbox in force this thread has given up its rights.
    ...await sandbox_checks(settings, parsed, io),
  ];
  if (network !== null && asked !== undefined) {
    const { servers } = await configured_mcp(settings, parsed.flags);
    const lines = await network.network_lines(settings, { asked: asked(), servers });
    checks.push(...lines.map((words) => ({ ok: true, name: "network", words })));
  }
  const wrong = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const ok = wrong.length === 0;
  if (parsed.flags.output !== "text") {
    const shown = checks.map(({ ok, name, words, warns }) => ({
      ...{ ok, name, words },
      ...(warns ? { warning: true } : {}),
    }));
    io.out(json_line({ type: "doctor", ok, checks: shown }));
  } else {
    const verbose = parsed.flags.verbose || parsed.flags.very_verbose;
    for (const { ok, name, words, warns } of checks.filter(({ detail }) => verbose || !detail)) {
      io.out(`${warns ? "⚠" : ok ? "✓" : "✗"} ${name}: ${words}\n`);
    }
    const more = verbose ? "" : " (more with -v)";
    io.out(ok ? `✓ ready${more}\n` : `✗ not ready: see ${[...new Set(wrong)].join(", ")}${more}\n`);
  }
  return ok ? 0 : exit_code("config_error");
}

function warning(name: string, words: string): Check {
  return { ok: true, name, words, warns: true };
}

function source_of({ source, trusted }: SettingsFile): string {
  if (source !== "workspace") return source;
  return `${source}, ${trusted === null ? "not trusted" : "trusted"}`;
}

async function model_checks(settings: RunSettings): Promise<Check[]> {
  try {
    const endpoint = await endpoint_of(settings);
    const server = await reach(endpoint);
    const window = `${plural(endpoint.context_window, "token")} (${endpoint.window_source})`;
    const unknown = !server.ok && endpoint.model === WHICHEVER;
    const model = unknown
      ? "not known until the provider answers"
      : `${endpoint.model}, window ${window}`;
    const small = server.ok ? await too_small(endpoint, settings) : null;
    return [
      { ok: server.ok, name: "provider", words: `${endpoint.provider}: ${server.words}` },
      { ok: server.ok && small === null, name: "model", words: small ?? model },
    ];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [{ ok: false, name: "provider", words: error.message }];
  }
}

/** Why even a short task would be refused; null if it would not be. */
async function too_small(endpoint: Endpoint, settings: RunSettings): Promise<string | null> {
  const own = { own_folder: own_folder(settings) };
  const system = system_prompt(prompt_sources(settings.workspace, own));
  const sent = { system, tools: BASIC_TOOLS.map(schema_of), task: "" };
  return await refuse_small_window(endpoint, sent).then(() => null, message_of);
}

function data_check({ paths }: RunSettings): Check {
  const folder = paths.data_dir;
  if (folder === null) {
    return {
      ok: true,
      name: "data",
      words: "no home folder (set HOME or HAMR_HOME): long outputs are kept only during the run, " +
        "and what a command planted stays if the run is killed",
    };
  }
  try {
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    Deno.removeSync(Deno.makeTempFileSync({ dir: folder }));
    return { ok: true, name: "data", words: `${folder} is writable` };
  } catch (error) {
    return { ok: false, name: "data", words: `${folder} is not writable: ${why(error)}` };
  }
}

async function store_checks({ paths: { data_dir }, workspace }: RunSettings): Promise<Check[]> {
  if (data_dir === null) return [];
  const faults: string[] = [];
  const wanted = { data_dir, workspace, memory: true, session: null, step: () => 0 };
  const store = await open_store(wanted, (line) => faults.push(line));
  let facts: number | undefined;
  let sessions = 0;
  try {
    if (store !== null) sessions = list_sessions(store.db, { workspace }).length;
    facts = store?.memory?.list().length;
  } catch (error) {
    faults.push(sqlite_fault(error) ?? why(error));
  } finally {
    store?.close();
  }
  if (facts === undefined) return faults.map((words) => ({ ok: false, name: "memory", words }));
  return [
    { ok: true, name: "memory", words: `${plural(facts, "fact")} for this workspace` },
    { ok: true, name: "sessions", words: `${plural(sessions, "session")} of this workspace` },
  ];
}

/** What people have written down for the model, if they have. */
function instruction_checks(settings: RunSettings): readonly Check[] {
  const files = instruction_files(settings.workspace, own_folder(settings));
  if (files.length === 0) return [];
  return [{ ok: true, name: "instructions", words: `the model is given ${files.join(", ")}` }];
}

async function sandbox_checks(settings: RunSettings, parsed: Parsed, io: Io): Promise<Check[]> {
  if (parsed.flags.sandbox === "off") {
    return [warning("sandbox", "off, as requested: nothing is enforced")];
  }
  try {
    const given = { flags: parsed.flags, io };
    const { policy, support, warnings } = await command_policy("doctor", settings, given);
    const configured = await configured_mcp(settings, parsed.flags);
    const said: string[] = [...configured.warnings];
    const { layers, in_force, servers } = await looked_at(policy, {
      servers: configured.servers,
      data_dir: settings.paths.data_dir,
      // The line of the server says why it did not start.
      warn: (line) => line.includes(" did not start: ") ? 0 : said.push(line),
    });
    return [
      { ok: true, name: "shell", words: policy.shell ?? "/bin/bash" },
      ...[...warnings, ...said].map((words) => warning("warning", words)),
      layers.length === 0 ? warning("sandbox", "nothing is enforced") : {
        ok: true,
        name: "sandbox",
        words: `in force: ${layers.map(({ name }) => name).join(", ")}`,
      },
      ...layers.map(({ name, detail }): Check => ({
        ok: true,
        name: "sandbox",
        words: `${name}: ${detail}`,
        detail: true,
      })),
      ...servers.map((state) => ({
        ok: state.down === null,
        name: `mcp ${state.server.name}`,
        words: server_summary(state),
      })),
      ...[...describe(in_force, support), ...mcp_lines(configured.servers)].map((
        { line, enforced_by },
      ): Check => ({
        ok: true,
        name: "policy",
        words: `${line} [${enforced_by ?? "not enforced"}]`,
        detail: true,
      })),
    ];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [{ ok: false, name: "sandbox", words: error.message }];
  }
}
