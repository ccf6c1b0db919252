import { json_dialect } from "./json_calls.ts";

/** Llama 3.1 to 3.3 with their mark; without it they print bare JSON. */
export const llama3 = json_dialect({
  name: "llama3-json",
  openings: ["<|python_tag|>"],
  anywhere: true,
});
