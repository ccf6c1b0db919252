/**
 * Keys that a command of the user's prints. `hamr` gives up the right to start programs once its tools are up, so a shell is
 * started before that and waits: told to, it runs the one command it was started with, and says what that printed. It is not a child
 * of `hamr`'s (its starter has gone), so it does not count as work of the model's, and it ends when `hamr` does, since then
 * there is nobody left to write to it.
 */
import { after_waiting } from "../../config/timer.ts";

/** By its place: `PATH` may begin with a folder of the workspace, in which a command can put a program of any name. */
const SHELL = Deno.build.os === "windows" ? "sh" : "/bin/sh";
/** A line orders to run the command; the answer is its exit code and its first line of output. No other program is started. */
const WAITING = `exec 3<&0
( while read -r order <&3; do
    key=$("$2" -c "$1" </dev/null 3<&-); code=$?
    printf '%s %s\\n' "$code" "\${key%%
*}"
  done ) <&3 &`;

/** A person may have to unlock a store of keys first. */
const PATIENCE_MS = 60_000;

export const KEY_COMMANDS = new Map<string, KeyCommand>();

export class KeyCommand {
  readonly #orders: WritableStreamDefaultWriter<Uint8Array>;
  readonly #answers: ReadableStreamDefaultReader<Uint8Array>;
  readonly #started: Promise<unknown>;
  #last: Promise<string> | null = null;

  /** `folder`: where it runs. `env`: all that its programs are to see. */
  constructor(
    command: string,
    { folder, env }: { folder: string; env: Readonly<Record<string, string>> },
  ) {
    const shell = new Deno.Command(SHELL, {
      args: ["-c", WAITING, "sh", command, SHELL],
      cwd: folder,
      clearEnv: true,
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#orders = shell.stdin.getWriter();
    this.#answers = shell.stdout.getReader();
    this.#started = shell.status;
  }

  /** The key it gave last, or gives now for the first time. Rejects with words for a person. */
  key(): Promise<string> {
    return this.#last ??= this.#run();
  }

  renewed(): Promise<string> {
    return this.#last = this.#run();
  }

  async #run(): Promise<string> {
    await this.#started;
    await this.#orders.write(new TextEncoder().encode("\n"));
    const decoder = new TextDecoder();
    let late = false;
    const stop = after_waiting(PATIENCE_MS, () => {
      late = true;
      void this.#answers.cancel();
    });
    let text = "";
    while (!text.includes("\n")) {
      const { done, value } = await this.#answers.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    stop();
    if (late) throw new Error(`the command printed nothing within ${PATIENCE_MS / 1000} s`);
    const [, code = "?", key = ""] = /^(\d+) (.*)\n/.exec(text) ?? [];
    if (code !== "0") throw new Error(`the command failed (exit code ${code})`);
    if (key.trim() === "") throw new Error("the command printed nothing");
    return key.trim();
  }
}
