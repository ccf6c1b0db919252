/** What goes on beside a test, such as a command that swaps files while they are opened. */

/** It, until it is ended. */
export interface Beside {
  /** Waits for the end of its round. */
  end(): Promise<void>;
}

/** Runs code in a thread of its own, until `is_over()` is true in it; resolves when it says `begun()`. */
export async function beside(code: string): Promise<Beside> {
  const over = new Int32Array(new SharedArrayBuffer(4));
  const whole = `
    const over = await new Promise((resolve) => onmessage = ({ data }) => resolve(data));
    const is_over = () => Atomics.load(over, 0) !== 0;
    const begun = () => postMessage("begun");
    ${code}
    postMessage("ended");`;
  const url = URL.createObjectURL(new Blob([whole], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const heard = () => new Promise((resolve) => worker.onmessage = resolve);
  const begun = heard();
  worker.postMessage(over);
  await begun;
  return {
    async end() {
      const ended = heard();
      Atomics.store(over, 0, 1);
      await ended;
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}
