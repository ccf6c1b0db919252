/** How a request that gets no answer fails, in words for a person. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { failure, PATH, serve_raw, whole } from "../_testing.ts";
import { no_answer } from "./http.ts";

Deno.test("a refused connection says so, and where", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const error = await failure(`http://127.0.0.1:${port}${PATH}?key=hush`, {
    limits: { connect_ms: 500 },
  });
  strictEqual(error.kind, "connection");
  strictEqual(
    error.message,
    `connection refused at http://127.0.0.1:${port}${PATH}: is the model server running there? ` +
      "To start one: ollama serve, or llama-server -m MODEL.gguf --jinja --port PORT; hamr models lists what answers here",
  );
});

Deno.test("other ways not to get there say what to look at, without the address's secrets", async () => {
  const unknown = await failure(`http://no-such-host.invalid${PATH}?key=hush`);
  strictEqual(unknown.kind, "connection");
  match(
    unknown.message,
    /^no answer from http:\/\/no-such-host\.invalid\/v1\/chat\/completions: the host name can't be looked up \([^()]+\): is it/,
  );
  ok(!unknown.message.includes("hush"), unknown.message);
});

Deno.test("TLS against a port that speaks plain HTTP, hangs up, or has no version of it that we have, stays so", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const no_tls = /^no answer from https:.*; does it speak TLS\? If not, use http:\/\/$/;
  const alert = new Uint8Array([21, 3, 3, 0, 2, 2, 70]);
  const answers: [Uint8Array, RegExp][] = [
    [whole("Bad Request", { status: 400, type: "text/plain" }), no_tls],
    [new Uint8Array(), no_tls],
    [alert, /received fatal alert: ProtocolVersion$/],
  ];
  for (const [answer, words] of answers) {
    const served = (async () => {
      const connection = await listener.accept();
      await connection.read(new Uint8Array(1024));
      await connection.write(answer);
      connection.close();
    })();
    const error = await failure(`https://127.0.0.1:${port}${PATH}?key=hush`);
    deepStrictEqual([error.kind, error.lasting], ["connection", true], error.message);
    match(error.message, words);
    ok(!error.message.includes("hush"), error.message);
    await served;
  }
  listener.close();
});

/** As Deno gives them, of servers with such certificates. */
const CERTIFICATES: Readonly<Record<string, RegExp>> = {
  "expired: verification time 1796022634 (UNIX), but certificate is not valid after 1609459200 (186563434 seconds ago)":
    /certificate expired: not valid after 2021-01-01, and the clock of this machine says 2026-11-30$/,
  "not valid yet: verification time 1796022641 (UNIX), but certificate is not valid before 2208988800 (412966159 seconds in future)":
    /certificate not valid yet: not valid before 2040-01-01, and the clock .* says 2026-11-30$/,
  'not valid for name "localhost"; certificate is only valid for DnsName("other.example")':
    /: certificate not valid for name "localhost"; .* DnsName\("other\.example"\)$/,
};

Deno.test("a certificate that is too old or too new says so by dates", () => {
  for (const [words, told] of Object.entries(CERTIFICATES)) {
    const url = "https://localhost:8443/v1/chat/completions";
    const cause = `error sending request for url (${url}): client error (Connect): ` +
      `invalid peer certificate: certificate ${words}`;
    match(no_answer(new TypeError(cause), { url }), told);
  }
});

Deno.test("a proxy that wants a password is told apart from one that can't or won't connect, and is asked once", async () => {
  const page = "<html><title>Access Denied</title></html>";
  const password = /; the proxy asks for a user name and a password, as in HTTPS_PROXY=\S+@HOST/;
  const tunnel = /: unsuccessful tunnel; the proxy of HTTPS_PROXY or ALL_PROXY can't or/;
  const whose = / answered \d+: .*"Access Denied".*; the page may be of the proxy of HTTP_PROXY, /;
  const cases: readonly (readonly [string, number, RegExp, boolean])[] = [
    ["https", 407, password, true],
    ["http", 407, password, false],
    ["https", 403, tunnel, false],
    ["https", 503, tunnel, false],
    ["http", 403, whose, false],
    ["http", 503, whose, false],
  ];
  for (const [scheme, status, words, lasting] of cases) {
    await using proxy = serve_raw(({ write }) => write(whole(page, { status, type: "text/html" })));
    using client = Deno.createHttpClient({ proxy: { url: proxy.origin } });
    const asking = { target: { client, proxied: true } };
    const error = await failure(`${scheme}://model.example${PATH}`, asking);
    match(error.message, words);
    deepStrictEqual([error.lasting === true, proxy.requests.length], [lasting, 1], error.message);
  }
});
