/** Handles the first message to the tools worker, its policy. What can't be loaded under it is loaded before. */
import type { Folders } from "../../changes/folders.ts";
import { open_folders } from "../../changes/linux_folders.ts";
import { message_of } from "../../config/text.ts";
import { lend } from "../../permission/lend_caches.ts";
import { note_halves_in } from "../../permission/put_beside.ts";
import { type Applied, apply } from "../../sandbox/enforce/apply.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { open_score } from "../../sandbox/processes/out_of_memory.ts";
import type { Policy } from "../../sandbox/policy.ts";
import type { FromWorker, ToolsPurpose, ToWorker } from "../protocol.ts";
import type { OpenTexts } from "../work/machine/open_texts.ts";

/** What the tools are made from once the policy is in force. */
export interface InForce extends Omit<ToolsPurpose, "editor"> {
  readonly policy: Policy;
  readonly raw: Folders;
  readonly editor: OpenTexts | null;
  readonly loaded: typeof import("../hooks/hooks.ts") | null;
  readonly loaded_mcp: typeof import("../mcp/pipes.ts") | null;
  /** Lets this thread end everything inside the sandbox in one step; null if that cannot be proven safe. */
  readonly sweep_key: bigint | null;
}

/** Restricts this thread for good, and says so; null where that fails, which is said, too. */
export async function enforce(
  { policy: asked, pid, editor: files, ...purpose }: Extract<ToWorker, { kind: "policy" }>,
  post: (message: FromWorker) => void,
): Promise<InForce | null> {
  // Before this thread is restricted: a module is a file.
  const loaded = purpose.hooks === null ? null : await import("../hooks/hooks.ts");
  const loaded_mcp = purpose.mcp ? await import("../mcp/pipes.ts") : null;
  const editor = files === undefined
    ? null
    : new (await import("../work/machine/open_texts.ts")).OpenTexts(
      files,
      (id, request) => post({ kind: "editor", id, request }),
    );
  let applied: Applied;
  try {
    const { support } = purpose;
    open_score(asked.sandbox === "off" ? null : linux_libc());
    applied = apply(asked, { pid, ...(support === undefined ? {} : { support }) });
  } catch (error) {
    post({ kind: "refused", message: message_of(error) });
    return null;
  }
  const raw = open_folders();
  Deno.permissions.revokeSync({ name: "ffi" });
  const { layers, listener, policy, sweep_key } = applied;
  post({ kind: "ready", layers, net: policy.net, listener });
  lend(policy);
  note_halves_in(policy.tmp);
  return { ...purpose, policy, raw, loaded, loaded_mcp, editor, sweep_key };
}
