import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { AddressError, base_address, ollama_address, origin_of } from "./address.ts";

Deno.test("a base URL is corrected", () => {
  const forms: [string, string][] = [
    ["http://h", "http://h/v1"],
    ["http://h/", "http://h/v1"],
    ["http://h/v1", "http://h/v1"],
    ["http://h/v1/", "http://h/v1"],
    ["http://h/v1//", "http://h/v1"],
    ["http://h//v1", "http://h/v1"],
    ["http://h/v1/chat/completions", "http://h/v1"],
    ["http://h/chat/completions/", "http://h/v1"],
    ["http://h/v1/completions", "http://h/v1"],
    ["http://h/v1/responses", "http://h/v1"],
    ["http://h/v1/messages", "http://h/v1"],
    ["http://h/v1/models", "http://h/v1"],
    ["http://h/models", "http://h/models/v1"],
    ["http://h/api/chat", "http://h/v1"],
    ["http://h/api/chat/completions", "http://h/api/v1"],
    ["http://h:11434/api/generate", "http://h:11434/v1"],
    ["http://h:11434/api/", "http://h:11434/v1"],
    ["https://openrouter.ai/api", "https://openrouter.ai/api/v1"],
    ["https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"],
    ["https://api.groq.com/openai", "https://api.groq.com/openai/v1"],
    ["https://h/v1beta/openai/", "https://h/v1beta/openai"],
    ["https://h/api/paas/v4", "https://h/api/paas/v4"],
    ["https://h/proxy/llm", "https://h/proxy/llm/v1"],
    ["https://h/vllm", "https://h/vllm/v1"],
    ["h:8080", "http://h:8080/v1"],
    ["localhost:8080/v1", "http://localhost:8080/v1"],
    ["127.0.0.1", "http://127.0.0.1/v1"],
    [":8080", "http://127.0.0.1:8080/v1"],
    ["[::1]:8080", "http://[::1]:8080/v1"],
    ["HTTP://H:80/V1", "http://h/V1/v1"],
    ["http://h/v1?x=1#y", "http://h/v1"],
  ];
  for (const [given, expected] of forms) {
    deepStrictEqual(base_address(given), { base_url: expected, basic: "", secret: "" });
  }
});

Deno.test("user and password of an address become basic authorization", () => {
  const forms: [string, string, string][] = [
    ["http://user:pass@h/v1", "user:pass", "pass"],
    ["user:pass@h", "user:pass", "pass"],
    ["https://u:p%40s%3As@h/x", "u:p@s:s", "p@s:s"],
    ["https://u:100%@h/x", "u:100%", "100%"],
    ["https://t0ken@h/v1", "t0ken:", "t0ken"],
    ["https://:pass@h/v1", ":pass", "pass"],
    ["https://ü:pä@h/v1", "ü:pä", "pä"],
  ];
  for (const [given, pair, secret] of forms) {
    const address = base_address(given);
    const bytes = Uint8Array.from(atob(address.basic), (letter) => letter.charCodeAt(0));
    strictEqual(new TextDecoder().decode(bytes), pair);
    strictEqual(address.secret, secret);
    ok(!address.base_url.includes("@"), address.base_url);
  }
});

Deno.test("what is not an address is refused, without its password", () => {
  for (
    const given of [
      "ftp://u:hunter2@h",
      "http://u:hun/ter2@h x",
      "http://",
      "http://u:hunter2@",
      "u:hunter2@h:x",
    ]
  ) {
    throws(() => base_address(given), (error: unknown) => {
      ok(error instanceof AddressError);
      ok(!/hun|ter2/.test(error.message), error.message);
      return /^base URL ".*" is not /.test(error.message);
    });
  }
  throws(
    () => base_address("ws://h?key=hunter2"),
    (error: unknown) => error instanceof AddressError && !error.message.includes("hunter2"),
  );
});

Deno.test("OLLAMA_HOST is read as Ollama reads it", () => {
  // The table of Ollama's own TestHost (envconfig/config_test.go), with what is listened on as what is asked.
  const forms: [string, string][] = [
    ["1.2.3.4", "http://1.2.3.4:11434"],
    [":1234", "http://127.0.0.1:1234"],
    ["1.2.3.4:1234", "http://1.2.3.4:1234"],
    ["example.com", "http://example.com:11434"],
    ["example.com:1234", "http://example.com:1234"],
    [":66000", "http://127.0.0.1:11434"],
    [":-1", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:8000", "http://127.0.0.1:8000"],
    ["::1", "http://[::1]:11434"],
    ["[::1]", "http://[::1]:11434"],
    ["[::]", "http://[::1]:11434"],
    ["::", "http://[::1]:11434"],
    ["[::1]:1337", "http://[::1]:1337"],
    [" 1.2.3.4 ", "http://1.2.3.4:11434"],
    ['"1.2.3.4"', "http://1.2.3.4:11434"],
    [' " 1.2.3.4 " ', "http://1.2.3.4:11434"],
    ["'1.2.3.4'", "http://1.2.3.4:11434"],
    ["http://1.2.3.4", "http://1.2.3.4"],
    ["http://1.2.3.4:1234", "http://1.2.3.4:1234"],
    ["https://1.2.3.4", "https://1.2.3.4"],
    ["https://1.2.3.4:1234", "https://1.2.3.4:1234"],
    ["https://example.com/ollama", "https://example.com/ollama"],
    ["example.com/ollama/", "http://example.com:11434/ollama"],
    ["http://127.0.0.1:11434/", "http://127.0.0.1:11434"],
    ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434"],
    ["", "http://127.0.0.1:11434"],
  ];
  for (const [given, expected] of forms) {
    const { base_url, basic } = ollama_address(given);
    deepStrictEqual([origin_of(base_url), basic], [expected, ""], given);
  }
  strictEqual(ollama_address("user:pass@h").base_url, "http://h:11434/v1");
  strictEqual(atob(ollama_address("https://user:pass@h:1/x").basic), "user:pass");
  throws(() => ollama_address("ssh://h"), /^Error: OLLAMA_HOST "ssh:\/\/h" is not http or https/);
  throws(() => ollama_address("a b"), /OLLAMA_HOST ".*" is not a URL/);
});

Deno.test("a server's own questions are asked beside the version", () => {
  strictEqual(origin_of("http://h/v1"), "http://h");
  strictEqual(origin_of("http://h/api/v1"), "http://h/api");
  strictEqual(origin_of("http://h/v1beta/openai"), "http://h/v1beta/openai");
});
