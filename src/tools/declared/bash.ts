import type { Tool } from "../tool.ts";

/** No command is waited for longer than a day. */
export const MOST_SECONDS = 86_400;

/** What a call of `bash` gives. */
export interface BashArgs {
  readonly command: string;
  /** Seconds. */
  readonly timeout?: number;
  /**
   * It goes on beside the calls. Taken, but not told of: with it, recordings of before would not be the same. Results name it where
   * it helps.
   */
  readonly background?: boolean;
}

/** One shell command under the sandbox, in the workspace. */
export const bash: Tool<BashArgs> = {
  name: "bash",
  description:
    "Run a shell command in the workspace. No terminal, no stdin. `timeout` in seconds. Temporary files go to $TMPDIR.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string" },
      timeout: { type: "number", minimum: 1, maximum: MOST_SECONDS },
    },
    required: ["command"],
  },
  read_only: false,
  offered: "always",
  summary: ({ command, background }) => background ? `${command} (in the background)` : command,
};
