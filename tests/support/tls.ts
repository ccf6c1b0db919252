/** A server with a certificate of its own authority, and a proxy, both on loopback, in front of another server. */
import { fileURLToPath } from "node:url";

/** The certificate of the authority that signed what `serve_tls` shows. */
export const CA_FILE = fileURLToPath(new URL("./tls/ca.pem", import.meta.url));

/** A port that passes on what comes to it. */
export interface Passage extends AsyncDisposable {
  readonly port: number;
  /** The first line of every request to a proxy. */
  readonly asked: readonly string[];
}

/** What signs itself, as `openssl req -x509` makes it. */
export const SELF_SIGNED_FILE = fileURLToPath(new URL("./tls/self_signed.pem", import.meta.url));

/** TLS on 127.0.0.1 (`model.example` by name) for the server that listens on `port`. */
export function serve_tls(port: number, name: "server" | "self_signed" = "server"): Passage {
  const read = (name: string) => Deno.readTextFileSync(new URL(`./tls/${name}`, import.meta.url));
  const listener = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: read(`${name}.pem`),
    key: read(`${name}.key`),
  });
  return passage(listener, (from) => splice(from, port));
}

/** An HTTP proxy. Whatever name is asked for, it leads to these: plain requests to `port`, tunnels to `tls_port`. */
export function serve_proxy({ port, tls_port }: { port: number; tls_port: number }): Passage {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (from: Deno.Conn) => {
    const head = await read_head(from);
    asked.push(head.slice(0, head.indexOf("\r\n")));
    if (!head.startsWith("CONNECT ")) return await splice(from, port, head);
    await from.write(new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n"));
    await splice(from, tls_port);
  };
  return { ...passage(listener, serve), asked };
}

function passage(listener: Deno.Listener, serve: (from: Deno.Conn) => Promise<void>): Passage {
  const open = new Set<Deno.Conn>();
  const work = new Set<Promise<void>>();
  const accept = async () => {
    for await (const from of listener) {
      open.add(from);
      // A client that does not like the certificate leaves in the middle.
      const served = serve(from).catch(() => {}).finally(() => shut(from));
      work.add(served);
    }
  };
  const accepting = accept().catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port,
    asked: [],
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      open.forEach(shut);
      await Promise.all(work);
    },
  };
}

/** Carries bytes both ways until either side is done. */
async function splice(from: Deno.Conn, port: number, first = ""): Promise<void> {
  const to = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    if (first !== "") await to.write(new TextEncoder().encode(first));
    const keep = { preventClose: true, preventCancel: true, preventAbort: true };
    await Promise.race([
      from.readable.pipeTo(to.writable, keep),
      to.readable.pipeTo(from.writable, keep),
    ].map((pipe) => pipe.catch(() => {})));
  } finally {
    shut(to);
  }
}

async function read_head(from: Deno.Conn): Promise<string> {
  let head = "";
  const buffer = new Uint8Array(65536);
  while (!head.includes("\r\n\r\n")) {
    const length = await from.read(buffer);
    if (length === null) break;
    head += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return head;
}

function shut(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
