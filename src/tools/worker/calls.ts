/** Runs the model's calls and the verify command, with hooks, and compares files before and after. */
import { attempt } from "../../config/attempt.ts";
import { hints } from "../../permission/hints.ts";
import { exists } from "../../permission/paths.ts";
import { is_unwritable } from "../../sandbox/policy.ts";
import { ToolFailure } from "../failure.ts";
import type { HookRunner } from "../hooks/hooks.ts";
import type { Pipes } from "../mcp/pipes.ts";
import type { ScreenOutcome } from "../hook.ts";
import type { CheckedCall, Verified, WorkerQuestion } from "../protocol.ts";
import type { Done, ToolResult } from "../tool.ts";
import { ending } from "../work/shell/ending.ts";
import { FolderWords } from "../work/search/folder_words.ts";
import { live_printer, type Machine } from "../work/machine/machine.ts";
import { failed_result, is_shell, not_run } from "../work/runner.ts";
import { RUNNERS } from "../work/runners.ts";
import { command_of, in_their_order, only_reads } from "./call_facts.ts";
import type { Watch } from "./watch.ts";
import { path as place } from "../../config/path.ts";
import type { ApplyPatchArgs } from "../declared/machine_tools.ts";
import { find_tool } from "../declared/every_tool.ts";
import { parse_patch } from "../work/texts/patch_parse.ts";

/** Changes of the verify command are recorded under this id. */
const VERIFY = "verify";

export class Calls {
  readonly #folder_words = new FolderWords();

  constructor(
    private readonly on: Machine,
    private readonly options: {
      readonly watch: Watch;
      readonly hooks: HookRunner | null;
      readonly pipes: Pipes | null;
      readonly now: { call: string };
      readonly is_judged: boolean;
    },
  ) {}

  /** Runs calls one by one, or in parallel if none changes anything. */
  async all(asked: readonly CheckedCall[]): Promise<readonly ToolResult[]> {
    const { on, options: { hooks } } = this;
    const at_once = hooks === null &&
      asked.every((call) => is_unwritable(on.policy) || only_reads(call));
    return await in_order(asked, at_once, (call) => this.#one(call));
  }

  async #one(call: CheckedCall): Promise<ToolResult> {
    const { on, options: { hooks, watch, now } } = this;
    const start = performance.now();
    now.call = call.id;
    const hooked = hooks?.has_any_after(call) ?? false;
    const work = async () => {
      const tried = await this.#attempt(call);
      const done = hooked ? await hooks?.after(call, tried) ?? tried : tried;
      const only_read = is_unwritable(on.policy) || (!hooked && only_reads(call));
      const put_back = only_read ? [] : await watch.look_over();
      return { ...done, text: [done.text, ...put_back.map((line) => `[${line}]`)].join("\n") };
    };
    const may_plant = is_shell(call) || call.mcp !== undefined || this.#is_in_git(call);
    const { of: done, ...seen } = hooked || (!is_unwritable(on.policy) && may_plant)
      ? await watch.around(call.id, work, command_of(call))
      : { of: await work(), facts: [] };
    const all = in_their_order(done, seen);
    return {
      ...done,
      ...(all.length === 0 ? {} : { facts: all }),
      ms: Math.round(performance.now() - start),
    };
  }

  /** Whether a tool is about to write among git's own files, or makes a folder one of git's, as commands can. */
  #is_in_git({ tool, args }: CheckedCall): boolean {
    return attempt(() =>
      written_by(tool, args).some((given) => {
        const parts = this.on.files.locate(given).split("/");
        return parts.at(-1) === "HEAD" ||
          parts.some((_, at) => at > 0 && exists([...parts.slice(0, at), "HEAD"].join("/")));
      }), false);
  }

  #prepare({ tool, args }: CheckedCall): void {
    const { on } = this;
    for (const given of written_by(tool, args)) {
      const path = on.files.inside(on.files.locate(given));
      if (path === null) continue;
      const slash = path.lastIndexOf("/") + 1;
      const name = path.slice(slash);
      if (name === ".gitignore") on.ignore.enter(path.slice(0, slash), [name]);
      this.options.watch.expect(path);
    }
  }

  /** Lets the hooks that come before a call judge it. */
  async screen(call: CheckedCall): Promise<ScreenOutcome> {
    const { hooks, watch } = this.options;
    const { of, facts } = await watch.around(call.id, async () => {
      const said = await hooks?.screen(call) ?? { screening: { kind: "go_on" } as const, runs: [] };
      await watch.look_over();
      return said;
    });
    return { ...of, facts };
  }

  async #attempt(call: CheckedCall): Promise<Done> {
    const { on, options: { pipes } } = this;
    if (on.signal.aborted) return not_run();
    try {
      if (call.mcp !== undefined && pipes !== null) return await pipes.call(call);
      this.#prepare(call);
      const run = RUNNERS.get(call.tool);
      if (run === undefined) throw new ToolFailure(`there is no tool ${call.tool}`);
      const done = await run(call.args, on);
      if (!done.ok || this.options.is_judged) return done;
      return { ...done, text: done.text + this.#folder_words.after(call, on) };
    } catch (error) {
      return failed_result(error);
    }
  }

  async verify(
    { command, timeout_s, stdin }: WorkerQuestion<"verify">["given"],
  ): Promise<Verified> {
    const { on, options: { watch } } = this;
    const start = performance.now();
    // What it changed is not the model's doing: it is shown, but is no fact of the ledger.
    const { of: result } = await watch.around(
      VERIFY,
      () =>
        on.shell.run(command, {
          timeout_s,
          stdin,
          signal: on.signal,
          printed: live_printer(VERIFY, on),
        }),
    );
    const exit_code = result.ended_by === "itself" ? result.exit_code : null;
    const refusals = [
      ...(exit_code === 0 ? [] : hints({ command, ...result }, on.policy)),
      ...await watch.look_over(),
    ];
    return {
      exit_code,
      ending: ending(result, timeout_s),
      output: [result.output, ...refusals.map((hint) => `[${hint}]`)]
        .filter((part) => part !== "").join("\n"),
      ms: Math.round(performance.now() - start),
    };
  }
}

/** Pieces of work at once (issue: calls side by side). */
const AT_ONCE = 4;

/** Does work one after the other, or a few pieces `at_once`; what comes of it is in the order of `items`. */
async function in_order<T, R>(
  items: readonly T[],
  at_once: boolean,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = [...items.entries()];
  const take = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      results[next[0]] = await work(next[1]);
    }
  };
  await Promise.all(Array.from({ length: at_once ? AT_ONCE : 1 }, take));
  return results;
}

/** The paths that a call of a tool is about to write, as they are given; none where it cannot be told, as of `bash`. */
function written_by(tool: string, args: unknown): readonly string[] {
  switch (find_tool(tool)?.changes) {
    case "path":
      return [(args as { readonly path: string }).path];
    case "patch": {
      const { input, workdir } = args as ApplyPatchArgs;
      const paths = parse_patch(input).flatMap((section) =>
        section.kind === "update" && section.to !== null
          ? [section.path, section.to]
          : [section.path]
      );
      return workdir === undefined
        ? paths
        : paths.map((path) => path.startsWith("/") ? path : place.join(workdir, path));
    }
    case undefined:
      return [];
  }
}
