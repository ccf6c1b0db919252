/** Starts the tools worker right after the first request. A file of its own, since the worker takes longer to start than everything else to load. */
import { message_of } from "../config/text.ts";
import { result_limits } from "../context/result_limits.ts";
import { is_loopback, port_of } from "../model/http/http.ts";
import { prune_outputs } from "../permission/policy.ts";
import { lead_caches, make_folders } from "../permission/make_folders.ts";
import type { Policy } from "../sandbox/policy.ts";
import { ToolsError } from "../tools/failure.ts";
import type { TurnDiff } from "../changes/turn_diff.ts";
import type { Hooks } from "../tools/hook.ts";
import type { ToolsClient } from "../tools/worker/client.ts";
import type { EditorFiles, EditorRequest } from "../tools/editor.ts";
import type { ToolsPurpose, ToWorker } from "../tools/protocol.ts";
import { send_policy, start_worker, type WorkerThread } from "../tools/worker/start_worker.ts";
import type { Run } from "./run.ts";
import { has_other_models } from "./settings.ts";

/** Makes the run's folders and starts the worker. Only how long results may be waits for the server. Rejects with `ToolsError`. */
export async function start_tools(run: Run): Promise<ToolsClient> {
  const { place: { settings: { tools }, paths: { data_dir } }, resumed, earlier, embedded } = run;
  const { enforced: { policy: asked, support }, resources: { servers } } = run;
  const before = earlier?.tools ?? null;
  if (before !== null) {
    before.begin_run(of_run(run), await asked_ports(run));
    return before;
  }
  const placed = in_folders(() => make_folders(asked));
  // Nothing is waited for before: a reply that is here already would be read first.
  const thread = with_editor(start_worker(placed), run.editor);
  try {
    const led = in_folders(() => lead_caches(placed));
    const hooks = hooks_of(run);
    send_policy(thread, led, purpose_of(run, hooks));
    const policy = { ...led, asked_ports: await asked_ports(run) };
    await prune_outputs(data_dir, tools.spill_days, async (session_id) => {
      if (policy.spill.endsWith(`/${session_id}`)) return true;
      return (await import("../store/session_lock.ts")).is_running(data_dir ?? "", session_id);
    });
    const { ToolsClient } = await import("../tools/worker/client.ts");
    const { warn, store, ...more } = of_run(run);
    const cut_off = resumed?.reopened?.info.stop_reason === null;
    const confined = servers?.confine(policy, { support, marked: !embedded });
    return new ToolsClient(policy, {
      thread,
      ...more,
      bash_timeout_s: tools.bash_timeout_s,
      watch: { data_dir, warn, cut_off },
      first: Promise.all([store, confined]),
      ...(hooks === null ? {} : { hooks }),
      ...(embedded ? { embedded } : {}),
      ...(servers === null ? {} : { mcp: servers }),
    });
  } catch (error) {
    thread.worker.terminate();
    throw error;
  }
}

/** Where on this machine keys and the conversation are sent. */
async function asked_ports({ first, mcp, place }: Run): Promise<readonly number[]> {
  const servers = mcp.servers.flatMap(({ by }) => by.kind === "http" ? [by.url] : []);
  const others = has_other_models(place)
    // What is wrong with them is said where they are checked.
    ? await (await import("./fallbacks.ts")).other_addresses(place).catch(() => [])
    : [];
  return [first.base_url, ...servers, ...others.flatMap(({ url }) => url ?? [])]
    .filter(is_loopback).map(port_of);
}

/** What each run of a process tells the worker's client. */
function of_run({ place, emit, endpoint: { full }, pending, ...run }: Run) {
  const { tool_result_lines: lines, tool_result_bytes: bytes } = place.settings.context;
  const warn = (message: string) => emit({ type: "warning", message });
  // Nothing is kept of a run whose server turns out not to be there.
  const store = full().then(() => run.resources.open(warn)).catch(() => null);
  return {
    limits: full().then(({ context_window }) => result_limits({ lines, bytes }, context_window)),
    task_id: run.task_id ?? "",
    warn,
    on_turn_diff: (diff: TurnDiff) => emit({ type: "turn_diff", ...diff }),
    on_live: emit,
    store,
    ...(pending === null ? {} : { record: store.then((store) => store?.recorder ?? null) }),
  };
}

function purpose_of(
  { place, enforced: { support }, resumed, editor, ...run }: Run,
  hooks: Hooks | null,
): ToolsPurpose {
  return {
    bash_timeout_s: place.settings.tools.bash_timeout_s,
    hooks,
    record: run.pending !== null,
    mcp: run.resources.servers !== null,
    embedded: run.embedded ?? false,
    task_id: run.task_id ?? "",
    written: resumed?.written ?? [],
    support,
    ...(editor === undefined ? {} : { editor: { writes: editor.writes } }),
    ...(run.is_judged ? { is_judged: true } : {}),
  };
}

function with_editor(thread: WorkerThread, editor: EditorFiles | undefined): WorkerThread {
  if (editor === undefined) return thread;
  const answer = async (id: number, request: EditorRequest) => {
    const message: ToWorker = { kind: "editor", id, answer: await editor.ask(request) };
    thread.worker.postMessage(message);
  };
  return {
    ...thread,
    hear: (take) =>
      thread.hear((message) => {
        if (message.kind === "editor") void answer(message.id, message.request);
        else take(message);
      }),
  };
}

/** The hooks that are switched on; null where none is. A dry run changes nothing, and nobody can tell that of a hook. */
export function hooks_of(
  { place: { settings: { hooks } }, flags }: Pick<Run, "place" | "flags">,
): Hooks | null {
  const on = {
    post_edit: hooks.post_edit.filter((hook) => hook.enabled),
    pre_tool: hooks.pre_tool.filter((hook) => hook.enabled),
    post_tool: hooks.post_tool.filter((hook) => hook.enabled),
  };
  return flags.dry_run || Object.values(on).every((hooks) => hooks.length === 0) ? null : on;
}

function in_folders(make: () => Policy): Policy {
  try {
    return make();
  } catch (error) {
    const message = `the run's temporary folder cannot be created (TMPDIR): ${message_of(error)}`;
    throw new ToolsError(message, "config_error");
  }
}
