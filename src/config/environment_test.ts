import { deepStrictEqual, throws } from "node:assert/strict";
import { environment } from "./environment.ts";
import { KEYS } from "./keys.ts";
import type { Environ } from "./paths.ts";

function read(environ: Environ, providers: string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    environment(environ, providers).map(({ path, value }) => [path.join("."), value]),
  );
}

Deno.test("environment() has a variable for every setting", () => {
  for (const [name, key] of KEYS) {
    if (key.kind === "tables") continue; // The next test is about these.
    const texts = { integer: "3", integers: "1,2", number: "1", boolean: "true" };
    const text = key.values?.at(-1) ?? (texts as Record<string, string>)[key.kind] ??
      (name.endsWith("base_url")
        ? "http://x"
        : name.endsWith("keep_alive")
        ? "30m"
        : name.endsWith("chain")
        ? "p/m"
        : "word");
    const found = environment({ [`HAMR_${name.toUpperCase().replaceAll(".", "_")}`]: text }, []);
    deepStrictEqual(found.map(({ path }) => path.join(".")), [name]);
  }
});

Deno.test("environment() has no form for lists of tables, and says so", () => {
  throws(
    () => read({ HAMR_HOOKS_POST_EDIT: "[]" }),
    /^ConfigError: HAMR_HOOKS_POST_EDIT: can only be set in a file$/,
  );
});

Deno.test("environment() knows short names; the long name wins", () => {
  deepStrictEqual(read({ HAMR_MODEL: "m", HAMR_BASE_URL: "http://u", HAMR_PROVIDER: "p" }), {
    "provider.model": "m",
    "provider.base_url": "http://u",
    "provider.default": "p",
  });
  deepStrictEqual(read({ HAMR_PROVIDER_MODEL: "long", HAMR_MODEL: "short" }), {
    "provider.model": "long",
  });
});

Deno.test("environment() finds providers by their shouted names", () => {
  deepStrictEqual(
    read({ HAMR_PROVIDERS_MY_BOX_MODEL: "m", HAMR_PROVIDERS_NEW_ONE_API_KEY_ENV: "K" }, ["my-box"]),
    { "providers.my-box.model": "m", "providers.new_one.api_key_env": "K" },
  );
});

Deno.test("environment() leaves alone what is empty or not its own", () => {
  deepStrictEqual(
    read({
      HAMR_AGENT_MODE: "",
      HAMR_MODEL: "",
      HAMR_HOME: "/h",
      HAMR_API_KEY: "k",
      HAMR_LATER_KEY: "1",
      HAMRADIO: "x",
      HAMR_AGENTS: "x",
      PATH: "/bin",
    }),
    {},
  );
});

Deno.test("environment() names the variable, what is wrong and the nearest name", () => {
  const cases: [Environ, RegExp][] = [
    [
      { HAMR_AGENT_MAX_MODEL_STEP: "1" },
      /^ConfigError: HAMR_AGENT_MAX_MODEL_STEP: unknown setting; did you mean HAMR_AGENT_MAX_MODEL_STEPS\?$/,
    ],
    [{ HAMR_AGENT_ZZZZZ: "" }, /unknown setting; known: HAMR_AGENT_MAX_MODEL_STEPS, /],
    [{ HAMR_AGENT_TIMEOUT_S: "soon" }, /HAMR_AGENT_TIMEOUT_S: must be .* not "soon"$/],
    [{ HAMR_BASE_URL: "localhost" }, /HAMR_BASE_URL: must be an address/],
    [{ HAMR_PROVIDERS_X_API_KEY: "sk" }, /form is HAMR_PROVIDERS_<NAME>_<KEY>/],
    [{ HAMR_PROVIDERS_X_HEADERS: "a" }, /can only be set in a file/],
    [{ HAMR_PROVIDERS__MODEL: "a" }, /form is/],
    [{ HAMR_AGENT_MODE: "a\nb" }, /not "a\\nb"$/],
  ];
  for (const [environ, expected] of cases) throws(() => environment(environ, []), expected);
});
