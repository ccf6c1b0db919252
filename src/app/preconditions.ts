/** Checks before the first request for what would otherwise end the run after it. */
import { IMAGE_TOKENS } from "../agent/history.ts";
import { is_inside } from "../config/paths.ts";
import { plural } from "../config/text.ts";
import type { Image } from "../model/message.ts";
import type { Endpoint } from "../model/server/provider.ts";
import { lstat_or_null } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import { no_folder } from "./command_folders.ts";
import { StartError } from "../config/error.ts";

/** The least room that the window must leave for a reply. */
const LEAST_ROOM = 2048;

/** Deno opens nothing there without all permissions, whatever the kernel allows. Throws `StartError`. */
export function refuse_devices({ workspace, sandbox }: Policy): void {
  const top = ["/dev", "/proc", "/sys"].find((folder) => is_inside(workspace, folder));
  if (top === undefined || sandbox === "off") return;
  throw new StartError(
    `the workspace ${workspace} is in ${top}, where no file can be edited; choose another folder with -C`,
  );
}

const OWN_RIGHTS = 0o700;

/** Throws `StartError` if there is no `/proc`, or no temporary folder can be made. */
export function try_machine(folder: string): void {
  if (Deno.build.os === "linux" && lstat_or_null("/proc/self/exe") === null) {
    throw new StartError(
      "there is no /proc, and nothing runs without it: is it mounted, and does Deno run with -A?",
    );
  }
  let mode: number | null;
  try {
    Deno.mkdirSync(folder, { mode: OWN_RIGHTS });
    ({ mode } = Deno.lstatSync(folder));
    Deno.removeSync(folder);
  } catch (error) {
    throw no_folder(error);
  }
  // Root needs none.
  if (mode === null || (mode & OWN_RIGHTS) === OWN_RIGHTS || Deno.uid() === 0) return;
  throw new StartError(
    "the umask denies you access to your own new files: set another one, such as `umask 022`",
  );
}

/** Throws `StartError` if a model is to be shown images, is known not to see, and no other is there to describe them. */
export function refuse_images(
  { model, sees }: Pick<Endpoint, "model" | "sees">,
  { images = [], describes }: { images: readonly Image[] | undefined; describes: boolean },
): void {
  if (images.length === 0 || describes || sees !== false) return;
  throw new StartError(
    `--image: the server says that ${model} can't see images: give --model a model that can, ` +
      `or let another one describe them (auxiliary.vision)`,
  );
}

/** Throws `StartError` if a known window has no room for the task. One that is assumed may be larger: it is said that it is. */
export async function refuse_small_window(endpoint: Endpoint, sent: {
  readonly system: string;
  readonly tools: unknown;
  readonly task: string;
  readonly images?: readonly Image[];
}): Promise<void> {
  if (!endpoint.window_known) return;
  const { system, tools, task, images = [] } = sent;
  const chars = system.length + JSON.stringify(tools).length + task.length;
  const needed = Math.ceil(chars / 4) + IMAGE_TOKENS * images.length + LEAST_ROOM;
  if (needed <= endpoint.context_window) return;
  const { larger_window } = await import("../model/server/larger_window.ts");
  const { model, context_window, window_source } = endpoint;
  const way = window_source === "setting" && endpoint.api_mode !== "ollama_chat"
    ? "set --context-window to what the server really has, or take a model with a larger window"
    : larger_window(endpoint, needed);
  const is_long = task.length / 4 > needed / 2;
  throw new StartError(
    `the window of ${model} is ${plural(context_window, "token")} (${window_source}), ` +
      `but ${task === "" ? "a" : "this"} task needs about ${needed}; ${way}` +
      (is_long ? ", or shorten the task, which is most of that" : ""),
  );
}
