/** A program on a terminal, driven from outside. */
import { environment } from "./hamr.ts";

/** By then an interrupted task has ended. */
const QUIET_MS = 1000;

/** What is not shown by then never will be, however busy the machine is. */
const HANG_MS = 120_000;

/** A terminal of 80 by 24, made by `script`, with what came out of it. */
export class Terminal {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array>;
  readonly began = performance.now();
  shown = "";
  #came: () => void = () => {};
  #over = false;

  constructor(
    program: readonly string[],
    { cwd, home, env }: { cwd: string; home: string; env: Record<string, string> },
  ) {
    const command = `stty cols 80 rows 24; exec ${program.map((word) => `'${word}'`).join(" ")}`;
    this.#child = new Deno.Command("script", {
      args: ["-qfec", command, "/dev/null"],
      cwd,
      clearEnv: true,
      env: { ...environment(home), TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    void this.#read();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#child.stdout) {
      this.shown += decoder.decode(bytes, { stream: true });
      this.#came();
    }
    this.#over = true;
    this.#came();
  }

  /** Of what makes the terminal; the program is its child. */
  get pid(): number {
    return this.#child.pid;
  }

  /** What has ended hears nothing. */
  async type(text: string): Promise<void> {
    try {
      await this.#input.write(new TextEncoder().encode(text));
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    }
  }

  /**
   * Milliseconds until this was shown, behind what was shown before.
   *
   * @throws {Error} The program ended, or hangs.
   */
  async until(text: string, from: number): Promise<number> {
    const began = performance.now();
    let hangs = false;
    const hang = setTimeout(() => {
      hangs = true;
      this.#came();
    }, HANG_MS);
    while (!this.shown.includes(text, from)) {
      if (this.#over || hangs) {
        clearTimeout(hang);
        throw new Error(`"${text}" was not shown, but:\n${this.shown.slice(from).slice(-2000)}`);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#came = resolve;
      await promise;
    }
    clearTimeout(hang);
    return performance.now() - began;
  }

  /** Once the program has ended. */
  get status(): Promise<Deno.CommandStatus> {
    return this.#child.status;
  }

  /** The terminal is gone. */
  hang_up(): void {
    this.#child.kill("SIGKILL");
  }

  /** Interrupts what is under way, and quits. */
  async end(): Promise<void> {
    await this.type("\x1b");
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    await this.type("\x04");
    await this.#child.status;
  }
}

/** Whether any process is at work in a folder. */
export function works_in(folder: string): boolean {
  return [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name)).some(
    ({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/${name}/cwd`).startsWith(folder);
      } catch {
        return false; // It has ended, or is somebody else's.
      }
    },
  );
}
