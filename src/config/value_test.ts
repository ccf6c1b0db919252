import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { PROVIDER_KEYS } from "./key.ts";
import { KEYS } from "./keys.ts";
import { from_text } from "./value.ts";

function read(key: string, text: string): unknown {
  const known = KEYS.get(key);
  if (known === undefined) throw new Error(`no setting ${key}`);
  const found = from_text(known, text);
  return found.ok ? found.value : `! ${found.problem}`;
}

Deno.test("from_text() reads every kind of setting", () => {
  const cases: [string, string, unknown][] = [
    ["agent.max_model_steps", "10", 10],
    ["agent.max_model_steps", "0", 0],
    ["agent.max_model_steps", "+7", 7],
    ["agent.timeout_s", "0.5", 0.5],
    ["agent.timeout_s", ".5", 0.5],
    ["agent.timeout_s", "1e3", 1000],
    ["agent.timeout_s", "90s", 90],
    ["agent.timeout_s", "10m", 600],
    ["agent.timeout_s", "1h30m", 5400],
    ["agent.timeout_s", "1.5h", 5400],
    ["agent.temperature", "2", 2],
    ["agent.stream", "false", false],
    ["agent.stream", "1", true],
    ["agent.mode", "patch", "patch"],
    ["agent.reasoning_effort", "xhigh", "xhigh"],
    ["verify.command", "make -j8 test", "make -j8 test"],
    ["provider.base_url", "https://example.com:8443/v1", "https://example.com:8443/v1"],
    ["provider.base_url", "http://[::1]:8080", "http://[::1]:8080"],
    ["permissions.write", "all", "all"],
    ["permissions.write", "a, b/c ,~/d", ["a", "b/c", "~/d"]],
    ["permissions.env", "PATH,GOPATH", ["PATH", "GOPATH"]],
    ["permissions.deny_read", `["~/a", '/b c']`, ["~/a", "/b c"]],
    ["permissions.write", "[slug],b", ["[slug]", "b"]],
    ["guards.escalation_steps", "[3, 4]", [3, 4]],
    ["tools.deferred", "none", "none"],
    ["tools.deferred", "todo, my_tool", ["todo", "my_tool"]],
  ];
  for (const [key, text, expected] of cases) deepStrictEqual(read(key, text), expected, text);
});

Deno.test("from_text() refuses what is not exactly a value, and says what is allowed", () => {
  const cases: [string, string, RegExp][] = [
    ["agent.max_model_steps", "ten", /^! must be a whole number, 0 or more, not "ten"$/],
    ["agent.max_model_steps", "-1", /0 or more, not "-1"/],
    ["agent.max_model_steps", "1.5", /whole number/],
    ["agent.max_model_steps", " 1", /whole number/],
    ["agent.max_model_steps", "0x10", /whole number/],
    ["agent.max_model_steps", "1_000", /whole number/],
    ["agent.max_model_steps", "9".repeat(400), /whole number/],
    ["agent.timeout_s", "2147484", /from 0 to 2147483/],
    ["agent.timeout_s", "Infinity", /number of seconds/],
    ["agent.timeout_s", "NaN", /number of seconds/],
    ["agent.temperature", "2.01", /from 0 to 2, not "2.01"/],
    ["agent.stream", "yes", /true or false, not "yes"/],
    ["agent.mode", "pathc", /auto, ask, plan, patch or verify, not "pathc"; did you mean patch\?/],
    ["agent.reasoning_effort", "very high", /a word/],
    ["provider.api_mode", "codex", /must be chat_completions/],
    ["provider.base_url", "localhost:8080", /starts with http/],
    ["provider.base_url", "ftp://x", /starts with http/],
    ["provider.base_url", "http://", /starts with http/],
    ["provider.context_window", "0", /1 or more/],
    ["permissions.env", "A=B", /names of environment variables/],
    ["permissions.env", "A,,B", /names of environment variables/],
    ["tools.deferred", "todo,bash", /a list of tools, but never .*bash or tool_search, not "bash"/],
    ["permissions.net", "some", /own, none, loopback or all/],
  ];
  for (const [key, text, expected] of cases) match(String(read(key, text)), expected, text);
});

Deno.test("from_text() never repeats what may be a key in the wrong place", () => {
  const secret = "sk-proj-1234567890";
  const found = from_text(PROVIDER_KEYS.api_key_env, secret);
  strictEqual(found.ok, false);
  strictEqual(JSON.stringify(found).includes(secret), false);
});
