/** Servers behind a proxy of the environment, and servers whose certificate an authority of one's own has signed. */
import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { ANSWER, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";
import { CA_FILE, type Passage, SELF_SIGNED_FILE, serve_proxy, serve_tls } from "./support/tls.ts";

/** Each run gets the same answer. */
const MANY = { script: () => say(ANSWER), one_conversation: false };

/** A stage whose model also speaks TLS, and can be reached through a proxy. */
async function with_tls(
  body: (s: Stage, places: { readonly tls: Passage; readonly proxy: Passage }) => Promise<void>,
): Promise<void> {
  await stage({ ...MANY, llama_ctx: 16384 }, async (s) => {
    await using tls = serve_tls(s.server.port);
    await using proxy = serve_proxy({ port: s.server.port, tls_port: tls.port });
    await body(s, { tls, proxy });
  });
}

/** `hamr run --json` with exactly these variables and flags. */
function run(s: Stage, env: Readonly<Record<string, string>>, ...flags: string[]) {
  return s.hamr(["run", "--json", ...flags, "What is it?"], { env });
}

Deno.test("--ca-file, its setting and SSL_CERT_FILE make an own authority believed, discovery included", async () => {
  await with_tls(async (s, { tls }) => {
    const url = `https://127.0.0.1:${tls.port}/v1`;
    s.home.write("ca.pem", Deno.readTextFileSync(CA_FILE));
    s.home.write("with_ca.toml", '[provider]\nca_file = "~/ca.pem"\n');
    const address = ["--base-url", url];
    const ways: readonly (readonly [Record<string, string>, ...string[]])[] = [
      [{}, ...address, "--ca-file", CA_FILE, "--model", "scripted"],
      [{}, ...address, "--ca-file", CA_FILE],
      [{ SSL_CERT_FILE: CA_FILE }, ...address],
      [{ HAMR_PROVIDER_CA_FILE: CA_FILE }, ...address],
      [{}, ...address, "--config", s.home.at("with_ca.toml")],
      // The flag wins over what is set for all programs.
      [{ SSL_CERT_FILE: "/nowhere.pem" }, ...address, "--ca-file", CA_FILE],
    ];
    await each(ways, async ([env, ...flags]) => {
      const { result } = await run(s, env, ...flags);
      assert.deepEqual([result.exit_code, result.final_output], [0, ANSWER], result.error?.message);
      assert.equal(result.model, "scripted");
    });
    const doctor = await s.hamr(["doctor", ...address, "--ca-file", CA_FILE], { env: {} });
    assert.match(doctor.stdout, /✓ provider: .*\/v1\/models answers/);
    assert.match(doctor.stdout, /window 16384 tokens \(GET \/props\)/);
  });
});

Deno.test("a certificate of an unknown authority is not believed, and the way out is named", async () => {
  await with_tls(async (s, { tls }) => {
    const flags = ["--base-url", `https://127.0.0.1:${tls.port}/v1`, "--model", "m"];
    const { result } = await run(s, {}, ...flags);
    assert.deepEqual([result.exit_code, result.stop_reason], [1, "llm_error"]);
    assert.match(result.error?.message ?? "", /UnknownIssuer.*--ca-file FILE$/);
    assert.equal(s.server.requests.length, 0);
  });
});

Deno.test("a certificate that signs itself as an authority is not believed by any flag: how to make another is said", async () => {
  await stage(MANY, async (s) => {
    await using tls = serve_tls(s.server.port, "self_signed");
    const flags = ["--base-url", `https://127.0.0.1:${tls.port}/v1`, "--model", "m"];
    const { result } = await run(s, {}, ...flags, "--ca-file", SELF_SIGNED_FILE);
    assert.match(result.error?.message ?? "", /CA:TRUE.* openssl req .*CA:FALSE.*--ca-file FILE$/);
  });
});

Deno.test("a file of authorities that can't be used ends startup with 3, and says which and why", async () => {
  await stage({}, async (s) => {
    s.ws.write("junk.pem", "hello\n");
    s.ws.write(
      "broken.pem",
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    );
    const https = ["--base-url", "https://127.0.0.1:9/v1"];
    const cases: readonly (readonly [string[], Record<string, string>, RegExp])[] = [
      [
        ["--ca-file", "gone.pem"],
        s.env,
        /^--ca-file \(provider\.ca_file\) gone\.pem: can't be read: no such/,
      ],
      [["--ca-file", "junk.pem"], s.env, /junk\.pem: no certificate in it; .*PEM/],
      [["--ca-file", "broken.pem"], s.env, /broken\.pem: .*certificate/],
      [["--ca-file", "."], s.env, /\(provider\.ca_file\) \.: a folder, not a file$/],
      [https, { ...s.env, SSL_CERT_FILE: "gone.pem" }, /^SSL_CERT_FILE gone\.pem: /],
      [[], { ...s.env, DENO_TLS_CA_STORE: "bogus" }, /^DENO_TLS_CA_STORE: .*"bogus"/],
      [[], { ...s.env, DENO_CERT: "/no/such" }, /^DENO_CERT: .*No such file/],
    ];
    await each(cases, async ([flags, env, words]) => {
      const { result } = await run(s, env, ...flags);
      assert.deepEqual([result.exit_code, result.stop_reason], [3, "config_error"]);
      assert.match(result.error?.message ?? "", words);
    });
    assert.equal(s.server.requests.length, 0);
    // What is set for all programs is of no concern where there is no certificate to check.
    assert.equal((await run(s, { ...s.env, SSL_CERT_FILE: "gone.pem" })).code, 0);
  });
});

Deno.test("HTTPS_PROXY and HTTP_PROXY are used, but neither for this machine nor for what NO_PROXY names", async () => {
  await with_tls(async (s, { tls, proxy }) => {
    const address = `http://someone:hush-hush@127.0.0.1:${proxy.port}`;
    const model = ["--model", "scripted"];
    const ways: readonly (readonly [Record<string, string>, string, string | null])[] = [
      [{ HTTPS_PROXY: address }, "https://model.example/v1", "CONNECT model.example:443"],
      [{ https_proxy: address }, "https://model.example:8443/v1", "CONNECT model.example:8443"],
      [{ HTTP_PROXY: address }, "http://model.example/v1", "POST http://model.example/v1/chat/"],
      [{ ALL_PROXY: address }, "http://model.example/v1", "POST http://model.example/v1/chat/"],
      [{ HTTPS_PROXY: address }, `https://127.0.0.1:${tls.port}/v1`, null],
      [{ HTTP_PROXY: address, NO_PROXY: "example.com" }, s.server.url, null],
    ];
    for (const [env, url, line] of ways) {
      const before = proxy.asked.length;
      const all = { ...env, SSL_CERT_FILE: CA_FILE };
      const { result, stderr } = await run(s, all, ...model, "--base-url", url);
      assert.deepEqual(
        [result.exit_code, result.final_output],
        [0, ANSWER],
        `${url} ${result.error?.message}`,
      );
      const asked = proxy.asked.slice(before);
      assert.equal(asked.some((text) => line !== null && text.startsWith(line)), line !== null);
      if (line === null) assert.deepEqual(asked, []);
      assert.ok(!stderr.includes("hush-hush"));
    }
    const before = proxy.asked.length;
    const excepted = { HTTP_PROXY: address, NO_PROXY: "model.example" };
    const { result } = await run(s, excepted, ...model, "--base-url", "http://model.example/v1");
    assert.equal(result.exit_code, 1, "there is no such host");
    assert.equal(proxy.asked.length, before);
  });
});

Deno.test("a proxy that is not there is a failed connection, and shows no password", async () => {
  await stage({}, async (s) => {
    const env = { HTTPS_PROXY: "http://someone:hush-hush@127.0.0.1:9" };
    const flags = ["--model", "m", "--base-url", "https://model.example/v1", "-v"];
    const { code, stdout, stderr, result } = await run(s, env, ...flags);
    assert.equal(code, 1);
    // Who of the two refused is not known.
    assert.match(result.error?.message ?? "", /: it, or the proxy of HTTP_PROXY, .*refused/);
    assert.ok(!(stdout + stderr).includes("hush-hush"));
  });
});
