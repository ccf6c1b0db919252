import { json_dialect } from "./json_calls.ts";
import { named_dialect } from "./named_calls.ts";

/** Mistral 7B to Nemo: a list. */
export const mistral_array = json_dialect({
  name: "mistral-array",
  openings: ["[TOOL_CALLS]"],
  anywhere: true,
});

/** Mistral Small 3.2, Devstral, Magistral: a mark for each call. */
export const mistral_args = named_dialect({
  name: "mistral-args",
  openings: ["[TOOL_CALLS]"],
  anywhere: true,
  name_part: "([A-Za-z_][\\w.-]*)",
  between: "(?:\\[CALL_ID\\]\\s*[\\w-]*\\s*)?(?:\\[ARGS\\])?",
  after: "",
});
