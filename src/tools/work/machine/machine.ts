import type { Changes } from "../../../changes/changes.ts";
import type { Folders } from "../../../changes/folders.ts";
import type { Policy } from "../../../sandbox/policy.ts";
import type { Files } from "./files.ts";
import type { ResultLimits } from "../../limits.ts";
import type { LiveNews } from "../../live_news.ts";
import type { IgnoreRules } from "./ignore_rules.ts";
import type { OpenTexts } from "./open_texts.ts";
import type { ReadCache } from "./read_cache.ts";
import type { ShownFiles } from "./shown_files.ts";
import type { Shell } from "../shell/shell.ts";

/** What a tool can touch: the files, the shell and what is known of the workspace. Lives on the tools worker. */
export interface Machine {
  readonly policy: Policy;
  readonly limits: ResultLimits;
  /** Seconds a command may take where the call does not say. */
  readonly bash_timeout_s: number;
  readonly files: Files;
  readonly shown: ShownFiles;
  /** For walks over many files. */
  readonly folders: Folders;
  readonly read_cache: ReadCache;
  readonly ignore: IgnoreRules;
  readonly changes: Changes;
  readonly shell: Shell;
  /** Where hamr was started by an editor that shares its files; else null. */
  readonly editor: OpenTexts | null;
  readonly task_id: string;
  readonly call: string;
  /** Fires when the call under way is to be given up. */
  readonly signal: AbortSignal;
  readonly tell: (news: LiveNews) => void;
}

export function live_printer(id: string, { tell }: Pick<Machine, "tell">): (text: string) => void {
  return (text) => tell({ type: "printed", id, text });
}
