import { deno_dir } from "../support/hamr.ts";
import assert from "node:assert/strict";
import { NO_WAITS } from "./faults.ts";
import type { Order, Report } from "./runner.ts";

const RUNNER = new URL("./runner.ts", import.meta.url).pathname;

/** A process with the loop in it; it takes orders one after the other. */
export class Runner {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #output: ReadableStreamDefaultReader<string>;
  #rest = "";

  /** `home` is its home folder, `api_mode` the protocol of all its runs. */
  constructor(
    workspace: string,
    { home, api_mode = "chat_completions" }: { home: string; api_mode?: string },
  ) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", RUNNER, workspace, api_mode],
      env: { HOME: home, DENO_DIR: deno_dir(), HAMR_HOME: `${home}/hamr`, ...NO_WAITS },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    this.#output = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  async run(order: Order): Promise<Report> {
    await this.#input.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end >= 0) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return JSON.parse(line) as Report;
      }
      const { value, done } = await this.#output.read();
      if (done) throw new Error("the runner has ended");
      this.#rest += value;
    }
  }

  async close(): Promise<void> {
    await this.#input.close();
    await this.#output.cancel();
    assert.equal((await this.#child.status).code, 0);
  }
}
