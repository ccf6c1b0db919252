/** What a test runs of the program in its own process: of the bundle where there is one, in which it is a few files instead of a hundred. */
const BUNDLE = Deno.env.get("HAMR_BUNDLE");

export const program: typeof import("./parts.ts") = await import(
  BUNDLE === undefined ? "./parts.ts" : new URL("tests_support_parts.js", `file://${BUNDLE}`).href
);
