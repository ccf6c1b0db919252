import { deepStrictEqual, throws } from "node:assert/strict";
import { environment, type GivenNames, mistyped_variables } from "./environment.ts";
import { KEYS } from "./keys.ts";
import type { Environ } from "./paths.ts";

function read(environ: Environ, given: GivenNames = {}): Record<string, unknown> {
  return Object.fromEntries(
    environment(environ, given).map(({ path, value }) => [path.join("."), value]),
  );
}

Deno.test("environment() has a variable for every setting", () => {
  for (const [name, key] of KEYS) {
    const texts = { integer: "3", integers: "1,2", number: "1", boolean: "true" };
    const text = key.values?.at(-1) ?? (texts as Record<string, string>)[key.kind] ??
      (name.endsWith("base_url")
        ? "http://x"
        : name.endsWith("keep_alive")
        ? "30m"
        : name.endsWith("chain")
        ? "p/m"
        : "word");
    const found = environment({ [`HAMR_${name.toUpperCase().replaceAll(".", "_")}`]: text }, {});
    deepStrictEqual(found.map(({ path }) => path.join(".")), [name]);
  }
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
    read({ HAMR_PROVIDERS_MY_BOX_MODEL: "m", HAMR_PROVIDERS_NEW_ONE_API_KEY_ENV: "K" }, {
      providers: { "my-box": {} },
    }),
    { "providers.my-box.model": "m", "providers.new_one.api_key_env": "K" },
  );
  deepStrictEqual(
    read({ HAMR_MCP_CALC_ARGS: "-y, x", HAMR_AGENTS_A_MODE: "ask", HAMR_MCP_PORT: "1" }),
    { "mcp.calc.args": ["-y", "x"], "agents.a.mode": "ask" },
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
    [
      { HAMR_AGENT_MAX_STEPS: "1" },
      /^ConfigError: HAMR_AGENT_MAX_STEPS: unknown setting; did you mean HAMR_AGENT_MAX_MODEL_STEPS\?$/,
    ],
    [{ HAMR_AGENT_ZZZZZ: "" }, /unknown setting; known: HAMR_AGENT_MAX_MODEL_STEPS, /],
    [{ HAMR_AGENT_TIMEOUT_S: "soon" }, /HAMR_AGENT_TIMEOUT_S: must be .* not "soon"$/],
    [{ HAMR_BASE_URL: "localhost" }, /HAMR_BASE_URL: must be a valid address/],
    [{ HAMR_PROVIDERS_X_API_KEY: "sk" }, /form is HAMR_PROVIDERS_<NAME>_<KEY>/],
    [{ HAMR_PROVIDERS__MODEL: "a" }, /form is/],
    [{ HAMR_AGENT_MODE: "a\nb" }, /not "a\\nb"$/],
  ];
  for (const [environ, expected] of cases) throws(() => environment(environ, {}), expected);
});

/** What scripts, hooks, pipelines and tests have of their own, ours and others'. */
const OWN =
  "AGENTS API_URL ARGS BASE_BRANCH BASE_DIR BASE_REF BIN BRANCH BUNDLE CACHE CMD CONFIG DATE DEBUG DIR " +
  "EDITED_FILE ENV ERROR FLAGS HOST IMAGE JUNIT KEY KEYS_S KEYS_SEED KIND LATER_KEY LEVEL LOG MAX MY_MODEL NAME NODE NOTE " +
  "OUT PATH PORT PROFILE PROJECT PROMPT RELEASES RELEASE_KEY RELEASE_TARGETS REPO ROLE ROOT SANDBOX_HOST SECRET " +
  "SOURCE STATUS TAG TASK TASKS TASK_ID TEST_SECRET THOROUGH TOKEN URL USER VERBOSE VERSION WORKDIR";

Deno.test("mistyped_variables() leaves alone what is read, what is empty and what is somebody's own", () => {
  const settings = [...KEYS.keys()].map((name) => name.toUpperCase().replaceAll(".", "_"));
  const read = ["MODEL", "BASE_URL", "PROVIDER", "API_KEY", "HOME", "PROVIDERS_MY_BOX_MODEL"];
  for (const name of [...OWN.split(" "), ...settings, ...read]) {
    deepStrictEqual(mistyped_variables({ [`HAMR_${name}`]: "x" }), []);
  }
  deepStrictEqual(
    mistyped_variables({ HAMR_MODLE: "", HAMRMODEL: "x", hamr_modle: "x", HAMR_: "x" }),
    [],
  );
  deepStrictEqual(mistyped_variables({ [`HAMR_MODEL${"L".repeat(99)}`]: "x" }), []);
});

Deno.test("mistyped_variables() names what was meant, once each, and no value", () => {
  deepStrictEqual(
    mistyped_variables({ HAMR_MCP_A_COMMAND: "cat", HAMR_AGENTS_A_MODES: "ask", HAMR_MCPX: "1" }),
    [
      "HAMR_AGENTS_A_MODES is not read; the form is HAMR_AGENTS_<NAME>_<KEY>, and a KEY is " +
      "DESCRIPTION, PROMPT, TOOLS, MODEL, MODE, MAX_STEPS",
    ],
  );
  const cases: Readonly<Record<string, string>> = {
    MODLE: "MODEL",
    // May be somebody's own, too: which it is can't be seen, and a warning stops nothing.
    MODES: "MODEL",
    MODELS: "MODEL",
    MDOEL: "MODEL",
    BASEURL: "BASE_URL",
    BASE_ULR: "BASE_URL",
    APIKEY: "API_KEY",
    API_KYE: "API_KEY",
    HOEM: "HOME",
    PROVDER: "PROVIDER",
    AGNET_MODE: "AGENT_MODE",
    AGENTTIMEOUT_S: "AGENT_TIMEOUT_S",
    "MODE\nL": "MODEL",
    MODE: "AGENT_MODE",
    API_MODE: "PROVIDER_API_MODE",
    TIMEOUT_S: "AGENT_TIMEOUT_S",
  };
  for (const [wrong, right] of Object.entries(cases)) {
    deepStrictEqual(mistyped_variables({ [`HAMR_${wrong}`]: "sk-secret" }), [
      `HAMR_${
        wrong.replace("\n", "\\n")
      } is not a variable that hamr reads; did you mean HAMR_${right}?`,
    ]);
  }
  deepStrictEqual(
    mistyped_variables({ HAMR_MODLE: "a", HAMR_APIKEY: "b", HAMR_BIN: "c" }).length,
    2,
  );
});
