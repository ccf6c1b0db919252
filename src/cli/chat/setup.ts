import type { Agent } from "../../app/agent.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { EarlyFrame } from "../../ui/chat/early.ts";
import type { ThemeName } from "../../ui/chat/theme.ts";
import { flags_again } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import type { AfterRestart, DoneFirst } from "./after_restart.ts";

const NOT_AGAIN: readonly string[] = ["resume", "continue", "fork", "mode", "verify", "directory"];

export interface ChatSetup {
  readonly opened: Pick<ConstructorParameters<typeof Agent>[0], "flags" | "overrides" | "resumed">;
  readonly settings: RunSettings;
  readonly begun: boolean;
  readonly argv: readonly string[];
  readonly done: DoneFirst | null;
  readonly first: AfterRestart | null;
  readonly io: Io;
  readonly look: { readonly theme: ThemeName; readonly ascii: boolean; readonly plain: boolean };
  readonly early: EarlyFrame;
}

/** Flags that the next start gets, too: of flags that are given twice the last one counts. */
export function kept_flags(argv: readonly string[]): readonly string[] {
  return flags_again(
    argv,
    ({ name, commands }) => commands.includes("chat") && !NOT_AGAIN.includes(name),
  );
}
