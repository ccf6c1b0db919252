/** Runs the user's hooks on the tools worker: in the sandbox, in the workspace, like any command. */
import { attempt } from "../../config/attempt.ts";
import { sha256 } from "../../permission/content_hash.ts";
import { json_line } from "../../config/json.ts";
import { hints } from "../../permission/hints.ts";
import { ending } from "../work/shell/ending.ts";
import { EDITED_FILE, is_for, with_file } from "../work/machine/edited_file.ts";
import {
  type HookEvent,
  type HookRun,
  type Hooks,
  type Screening,
  type ScreenOutcome,
} from "../hook.ts";
import type { OutputLimits } from "../limits.ts";
import { BETWEEN } from "../mcp_server.ts";
import type { Machine } from "../work/machine/machine.ts";
import { named_path } from "../work/search/named_path.ts";
import { hook_verdict } from "./pre_tool.ts";
import type { CheckedCall } from "../protocol.ts";
import { find_tool, is_for_tool } from "../declared/every_tool.ts";
import type { CommandResult, ShellOptions } from "../work/shell/shell.ts";
import type { Done } from "../tool.ts";

/** A result can be as long as it may be before any hook has spoken; each may add a quarter of what a command may print. */
const SHARE = 4;
/** Rewritten arguments are taken whole or not at all; the largest are those of `write`. */
const SPOKEN: OutputLimits = { lines: Number.MAX_SAFE_INTEGER, bytes: 16 * 1024 * 1024 };
/** A larger file is not compared with itself from before the hook; that it changed is seen all the same. */
const COMPARED_BYTES = 20 * 1024 * 1024;

type After = Done & { readonly hooks: readonly HookRun[] };

interface Hook {
  readonly name: string;
  readonly command: string;
  /** Seconds; 0 is no limit. */
  readonly timeout: number;
}

export class HookRunner {
  constructor(private readonly hooks: Hooks, private readonly machine: Machine) {}

  /** A hook that waits for a tool that there is not, in words: it would never run, and nobody would miss it. */
  warnings(): string[] {
    return ([["pre_tool", this.hooks.pre_tool], ["post_tool", this.hooks.post_tool]] as const)
      .flatMap(([event, hooks]) =>
        hooks.flatMap(({ name, tools }) =>
          tools.filter((tool) => find_tool(tool) === undefined && !tool.includes(BETWEEN))
            .map((tool) => `the ${event} hook ${name} is for "${tool}", but there is no such tool`)
        )
      );
  }

  has_any_after({ tool }: CheckedCall): boolean {
    const edits = find_tool(tool)?.changes !== undefined && this.hooks.post_edit.length > 0;
    return edits || this.hooks.post_tool.some((hook) => is_for_tool(hook, tool));
  }

  /** What the `pre_tool` hooks say to a call, one after the other; the first refusal is the last word. */
  async screen(call: CheckedCall): Promise<Omit<ScreenOutcome, "facts">> {
    const runs: HookRun[] = [];
    let screening: Screening = { kind: "go_on" };
    let args = call.args;
    for (const hook of this.hooks.pre_tool.filter((hook) => is_for_tool(hook, call.tool))) {
      const stdin = this.#asked(call, { arguments: args });
      const { result, ms } = await this.#run(hook, { stdin, apart: true, limits: SPOKEN });
      const verdict = hook_verdict(result, hook.timeout);
      if (verdict.kind === "stopped") return { screening: verdict, runs };
      const refused = verdict.kind === "refused" ? verdict.reason : null;
      runs.push({
        ...told("pre_tool", hook, { result, ms }),
        ok: refused === null,
        message: first_line(refused ?? result.errors),
      });
      if (refused !== null) {
        const reason = [refused, ...this.#hints(hook, result)].join("\n");
        return { screening: { kind: "refused", by: hook.name, reason }, runs };
      }
      // A hook may hand on what it was given.
      if (verdict.kind === "rewritten" && JSON.stringify(verdict.args) !== JSON.stringify(args)) {
        args = verdict.args;
        screening = { kind: "rewritten", args: verdict.args, by: hook.name };
      }
    }
    return { screening, runs };
  }

  /** What a call came to, with what `post_edit` and then `post_tool` hooks say; null if none is for it. */
  async after(call: CheckedCall, done: Done): Promise<After | null> {
    const edits = (done.ok ? this.#edited(call, done) : []).flatMap((file) => {
      const shown = this.machine.files.shown(file);
      return this.hooks.post_edit.filter((hook) => is_for(hook.file_patterns, shown))
        .map((hook) => ({ file, hook }));
    });
    const tools = this.hooks.post_tool.filter((hook) => is_for_tool(hook, call.tool));
    if (edits.length + tools.length === 0) return null;
    let after: After = { ...done, hooks: [] };
    for (const { file, hook } of edits) {
      if (!this.#stopped()) after = await this.#look_at(file, { hook, after });
    }
    for (const hook of tools) {
      if (!this.#stopped()) after = await this.#tell(hook, { call, after });
    }
    return after;
  }

  /** A `post_edit` hook: the model hears of every outcome. */
  async #look_at(real: string, { hook, after }: { hook: Hook; after: After }): Promise<After> {
    const { files } = this.machine;
    const path = files.shown(real);
    const known = files.seen.state(real) === "same";
    const before = this.#hash(real);
    const env = { [EDITED_FILE]: real };
    const ran = await this.#run({ ...hook, command: with_file(hook.command) }, { env });
    const now = this.#hash(real);
    // The model still knows what it knew of the file, except for what the hook did, which it is shown.
    if (known && now !== null) files.seen.note(real);
    const run = { ...told("post_edit", hook, ran), path };
    const notes = [
      ...(now === before ? [] : [`it ${now === null ? "removed" : "changed"} ${path}`]),
      ...(run.ok ? [] : this.#hints(hook, ran.result)),
    ];
    return {
      ...joined(after, [heading(hook, ran.result), ran.result.output, ...notes.map(bracketed)]),
      hooks: [...after.hooks, run],
    };
  }

  /** A `post_tool` hook: the model gets what it says, and nothing if it is content and silent. */
  async #tell(hook: Hook, { call, after }: { call: CheckedCall; after: After }): Promise<After> {
    const stdin = this.#asked(call, { arguments: call.args, ok: after.ok, result: after.text });
    const ran = await this.#run(hook, { stdin });
    const run = told("post_tool", hook, ran);
    const hooks = [...after.hooks, run];
    if (run.ok && ran.result.output.trim() === "") return { ...after, hooks };
    const notes = run.ok ? [] : this.#hints(hook, ran.result);
    const lines = [heading(hook, ran.result), ran.result.output, ...notes.map(bracketed)];
    return { ...joined(after, lines), hooks };
  }

  async #run(
    hook: Hook,
    options: Omit<ShellOptions, "timeout_s" | "signal">,
  ): Promise<{ readonly result: CommandResult; readonly ms: number }> {
    const { shell, signal, task_id, limits: { lines, bash_bytes } } = this.machine;
    const start = performance.now();
    const result = await shell.run(hook.command, {
      limits: { lines: Math.ceil(lines / SHARE), bytes: Math.ceil(bash_bytes / SHARE) },
      ...options,
      env: { ...options.env, ...(task_id === "" ? {} : { HAMR_TASK_ID: task_id }) },
      timeout_s: hook.timeout,
      signal,
    });
    return { result, ms: Math.round(performance.now() - start) };
  }

  #asked(call: CheckedCall, more: Readonly<Record<string, unknown>>): string {
    const { workspace } = this.machine.policy;
    return json_line({ tool: call.tool, workspace, ...more });
  }

  #hints({ command }: Hook, result: CommandResult): string[] {
    const output = result.output + result.errors;
    return hints({ command, ...result, output }, this.machine.policy);
  }

  #stopped(): boolean {
    return this.machine.signal.aborted;
  }

  /** The real paths of the files that a call has edited; none where it is another kind of call. */
  #edited({ tool, args }: CheckedCall, { facts = [] }: Done): readonly string[] {
    const { files } = this.machine;
    const { changes } = find_tool(tool) ?? {};
    const paths = changes === "patch"
      ? facts.flatMap((fact) => fact.kind === "file" && fact.after !== null ? [fact.path] : [])
      : changes === "path"
      ? [(args as { readonly path: string }).path]
      : [];
    // Something else may have been put in its place since.
    return attempt(
      () => paths.map((path) => files.target(named_path(path, this.machine).full)),
      [],
    );
  }

  /** Null if the file cannot be read, or is gone. */
  #hash(real: string): string | null {
    const { files } = this.machine;
    return attempt(() => sha256(files.read(real, COMPARED_BYTES).bytes), null);
  }
}

function told(
  event: HookEvent,
  { name, timeout }: Hook,
  { result, ms }: { result: CommandResult; ms: number },
): HookRun {
  const exit_code = result.ended_by === "itself" ? result.exit_code : null;
  const how = exit_code === 0 ? "" : ending(result, timeout);
  const said = exit_code === null ? "" : first_line(result.output);
  return { event, name, exit_code, ms, ok: exit_code === 0, message: said || how };
}

function heading(hook: Hook, result: CommandResult): string {
  return `\n[hook ${hook.name}: ${ending(result, hook.timeout)}]`;
}

function bracketed(line: string): string {
  return `[${line}]`;
}

function joined(after: After, lines: readonly string[]): After {
  const added = lines.map((line) => line.replace(/(?<!\n)\n+$/, "")).filter((line) => line !== "");
  return { ...after, text: [after.text, ...added].join("\n") };
}

function first_line(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}
