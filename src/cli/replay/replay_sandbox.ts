/** `hamr replay --tools real`: a copy of the workspace in which the tools work, under the session's policy. */
import { follow } from "../../permission/paths.ts";
import { temporary_folder } from "../../app/command_folders.ts";
import { one_line } from "../../config/text.ts";
import type { Tools } from "../../agent/taped_tools.ts";
import type { Policy } from "../../sandbox/policy.ts";
import type { DatabaseSync } from "../../store/database.ts";
import type { SessionInfo } from "../../store/sessions.ts";
import type { Parsed } from "../args/args.ts";
import { put_back_as_begun } from "../../app/as_begun.ts";
import type { FromCopier, ToCopier } from "./copy_worker.ts";
import type { Io } from "../base/io.ts";
import { enforceable_policy } from "../../app/policy.ts";
import type { RealTools, RecordedRun } from "./replay_run.ts";
import { with_saved } from "../../app/saved_flags.ts";
import { load_settings } from "../../app/settings.ts";
import { StartError } from "../../config/error.ts";

interface Workshop extends RealTools {
  close(): Promise<void>;
}

/** Copies the workspace and gets ready what its tools need. Throws `StartError`. */
export async function open_workshop(
  parsed: Parsed,
  io: Io,
  { db, info, runs }: { db: DatabaseSync; info: SessionInfo; runs: readonly RecordedRun[] },
): Promise<Workshop> {
  const last = runs.at(-1);
  const theirs = info.imported || last === undefined;
  // What a file of someone else's says about permissions is not asked for, nor which folder is to be copied.
  const now = theirs ? parsed : with_saved(parsed, last.run);
  const flags = theirs ? parsed.flags : { ...now.flags, directory: workspace_of(last) };
  const settings = await load_settings({ ...parsed, overrides: now.overrides, flags }, io);
  const here_then = await enforceable_policy(settings, { flags, io, session_id: info.uuid });
  const { workspace = settings.workspace } = last?.inputs ?? {};
  const then = { ...here_then.policy, workspace };
  const copy = await Copy.of(settings.workspace);
  try {
    // In a folder of the user's own choice, files of someone else's have no place.
    if (!theirs) await put_back_as_begun(db, info.id, copy.workspace);
    const here = { ...settings, workspace: copy.workspace };
    const enforced = await enforceable_policy(here, {
      ...{ flags, io, session_id: crypto.randomUUID() },
    });
    const policy = copy.keeping(enforced.policy);
    let tools: Promise<Tools> | null = null;
    return {
      enforced: { ...enforced, policy },
      place: here,
      tools: (make) => tools ??= make(),
      as_then: translated(policy, then),
      async close() {
        await (await tools?.catch(() => null))?.close();
        await copy.remove();
      },
    };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

function workspace_of({ inputs: { workspace } }: RecordedRun): string {
  if (follow(workspace)?.isDirectory) return workspace;
  throw new StartError(
    one_line(`the workspace ${workspace} is no longer here: --tools real has nothing to copy`),
  );
}

class Copy {
  private constructor(
    private readonly root: string,
    readonly workspace: string,
    private readonly worker: Worker,
  ) {}

  static async of(workspace: string): Promise<Copy> {
    const root = temporary_folder("hamr_replay_");
    const worker = new Worker(new URL("./copy_worker.ts", import.meta.url), {
      type: "module",
      name: "copier",
      // Making a link takes the right to read and write everything (Deno).
      deno: { permissions: { read: true, write: true } },
    });
    const copy = new Copy(root, `${root}/workspace`, worker);
    const fault = await copy.#ask({ kind: "copy", from: workspace, to: copy.workspace });
    if (fault === null) return copy;
    await copy.remove();
    throw new StartError(one_line(`${workspace} cannot be copied: ${fault}`));
  }

  /** The policy with what lasts longer than a run kept in here, too. */
  keeping(policy: Policy): Policy {
    return { ...policy, spill: `${this.root}/output`, cache: `${this.root}/cache` };
  }

  async remove(): Promise<void> {
    await this.#ask({ kind: "remove", path: this.root });
    this.worker.terminate();
  }

  #ask(message: ToCopier): Promise<FromCopier> {
    return new Promise((resolve) => {
      this.worker.onmessage = ({ data }: MessageEvent<FromCopier>) => resolve(data);
      this.worker.onerror = (event) => {
        event.preventDefault();
        resolve(event.message);
      };
      this.worker.postMessage(message);
    });
  }
}

/** Puts the places of then in the place of those of now: what is sent names them. */
function translated(now: Policy, then: Policy): (body: Uint8Array) => Uint8Array {
  const places = (["spill", "cache", "tmp", "workspace"] as const)
    .map((name) => [inside_json(now[name]), inside_json(then[name])] as const);
  return (body) => {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
    return new TextEncoder().encode(
      places.reduce((all, [here, there]) => all.replaceAll(here, there), text),
    );
  };
}

function inside_json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
