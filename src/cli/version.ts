/** The version of this program, as in deno.json (a test compares them). */
export const VERSION = "0.1.0";
