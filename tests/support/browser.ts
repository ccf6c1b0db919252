/** A page in a headless Chromium, driven by its own protocol, with nothing but a keyboard. */
import { remove } from "./remove.ts";

/** An open page. */
export interface BrowserPage {
  /** The value of an expression. */
  value<T>(expression: string): Promise<T>;
  /** Presses a key, and lets go of it. */
  press(key: "Tab" | "Enter"): Promise<void>;
  /** What went wrong in it, and what it asked the network for. */
  readonly faults: readonly string[];
}

const KEYS = { Tab: { code: 9 }, Enter: { code: 13, text: "\r" } } as const;

/** Where a Chromium is on this machine; null if nowhere. */
export function chromium(): string | null {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
      } catch { /* Then elsewhere. */ }
    }
  }
  return null;
}

/** Opens the page at `url`, as wide as that; `body` looks at it. */
export async function in_browser(
  program: string,
  { url, width }: { url: string; width: number },
  body: (page: BrowserPage) => Promise<void>,
): Promise<void> {
  const profile = Deno.makeTempDirSync({ prefix: "hamr_browser_" });
  const child = new Deno.Command(program, {
    args: [
      ...[
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
      ],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ...[`--user-data-dir=${profile}`, "--remote-debugging-port=0", "about:blank"],
    ],
    ...{ stdin: "null", stdout: "null", stderr: "piped" },
  }).spawn();
  let connection: Connection | null = null;
  try {
    connection = await Connection.open(await address(child.stderr));
    const { send } = connection;
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const page = (method: string, params: object = {}) => send(method, params, String(sessionId));
    const faults: string[] = [];
    const loaded = Promise.withResolvers<void>();
    connection.hear = (method, params) => {
      if (method === "Page.loadEventFired") loaded.resolve();
      if (method === "Runtime.exceptionThrown" || method === "Log.entryAdded") {
        faults.push(JSON.stringify(params));
      }
      if (method === "Network.requestWillBeSent") {
        const { request } = params as { readonly request: { readonly url: string } };
        if (request.url !== url) faults.push(`asked for ${request.url}`);
      }
    };
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page(`${domain}.enable`);
    const size = { width, height: 800, deviceScaleFactor: 1, mobile: false };
    await page("Emulation.setDeviceMetricsOverride", size);
    await page("Page.navigate", { url });
    await loaded.promise;
    await body({
      faults,
      async value<T>(expression: string) {
        const given = await page("Runtime.evaluate", { expression, returnByValue: true });
        const { result, exceptionDetails } = given as {
          readonly result: { readonly value: T };
          readonly exceptionDetails?: unknown;
        };
        if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
        return result.value;
      },
      async press(key) {
        const { code, ...text } = KEYS[key];
        const pressed = { key, code: key, windowsVirtualKeyCode: code };
        await page("Input.dispatchKeyEvent", { type: "keyDown", ...pressed, ...text });
        await page("Input.dispatchKeyEvent", { type: "keyUp", ...pressed });
      },
    });
  } finally {
    connection?.close();
    child.kill("SIGTERM");
    await child.status;
    // Its helpers may still be at it.
    await remove(profile);
  }
}

/** Where it listens, which it says on standard error. */
async function address(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let said = "";
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    said += value ?? "";
    const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
    if (found !== undefined) {
      // What it says later is nobody's concern, but has to go somewhere.
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return found;
    }
    if (done) throw new Error(`no browser: ${said}`);
  }
}

type Answer = Record<string, unknown>;

class Connection {
  #next = 1;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  hear: (method: string, params: Answer) => void = () => {};

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => {
      const { id, result, error, method, params } = JSON.parse(String(data));
      if (id === undefined) return this.hear(method, params);
      const waiting = this.#waiting.get(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error.message));
    };
  }

  static async open(url: string): Promise<Connection> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Connection(socket);
  }

  readonly send = (method: string, params: object = {}, sessionId?: string): Promise<Answer> => {
    const id = this.#next++;
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting.set(id, waiting);
    this.socket.send(JSON.stringify({ id, method, params, sessionId }));
    return waiting.promise;
  };

  close(): void {
    this.socket.close();
  }
}
