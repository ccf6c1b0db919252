/** What a llama.cpp server says about itself. */
import { is_text } from "../../config/json.ts";
import { shared_start } from "../../config/text.ts";
import { field } from "../errors.ts";
import {
  ANSWER_MS,
  chat_first,
  get_json,
  ids,
  json_answer,
  limits_in,
  list_in,
  seeing,
  type Server,
  type ServerAt,
  type Template,
  windows,
} from "./inquiry.ts";

/** `/props` has a slot's window and vision, a router's for each loaded model. 503 "Loading model" is llama.cpp, too. Null: another server. */
export async function llama_cpp(
  props: unknown,
  models: unknown,
  at: ServerAt,
): Promise<Server | null> {
  if (field(props, "role") === "router") return await router(models, at);
  const n_ctx = field(field(props, "default_generation_settings"), "n_ctx");
  const loading = field(field(props, "error"), "message") === "Loading model";
  if (n_ctx === undefined && !loading) return null;
  const alias = field(props, "model_alias");
  const names = ids(models);
  return {
    name: "llama.cpp",
    models: names.length > 0 ? names : [alias].filter(is_text),
    windows: windows([["", n_ctx]]),
    window_source: "GET /props",
    limits: trained(models),
    ...(loading ? { unloaded: true } : await template_in(props, { ...at, model: names[0] ?? "" })),
    ...seeing([["", field(field(props, "modalities"), "vision")]]),
    ...sampling_in(props),
  };
}

/** Several models, each loaded when it is first asked for. The loaded ones come first: another would throw one out. */
async function router(models: unknown, at: ServerAt): Promise<Server> {
  const list = list_in(models, "data");
  const state = (model: unknown) => field(field(model, "status"), "value");
  const in_state = (name: string) => ids({ data: list.filter((model) => state(model) === name) });
  const loaded = chat_first([...in_state("loaded"), ...in_state("sleeping")]);
  const names = [...loaded, ...chat_first([...in_state("loading"), ...ids(models)])];
  const meant = at.inquiry.model || (names[0] ?? "");
  const props = loaded.includes(meant)
    ? await get_json(
      `${at.origin}/props?model=${encodeURIComponent(meant)}&autoload=false`,
      at.inquiry,
    )
    : undefined;
  const told = field(field(props, "default_generation_settings"), "n_ctx");
  return {
    name: "llama.cpp",
    router: true,
    models: [...new Set(names)],
    windows: windows([
      ...list.map((model): [unknown, unknown] => [
        field(model, "id"),
        field(field(model, "meta"), "n_ctx"),
      ]),
      ...told === undefined ? [] : [[meant, told] as const],
    ]),
    window_source: "GET /props",
    limits: trained(models),
    ...(props === undefined
      ? { unloaded: true }
      : await template_in(props, { ...at, model: meant })),
    ...seeing([[meant, field(field(props, "modalities"), "vision")]]),
    ...sampling_in(props),
  };
}

/** What its program takes for each unless a flag or the model's file says otherwise (common/common.h of 0c1e570). */
const OWN_SAMPLING = { temperature: 0.8, top_p: 0.95, top_k: 40, min_p: 0.05 };

function sampling_in(props: unknown): Pick<Server, "samples_itself"> {
  const params = field(field(props, "default_generation_settings"), "params");
  const other = Object.entries(OWN_SAMPLING).some(([name, own]) => {
    const value = field(params, name);
    return typeof value === "number" && Math.fround(value) !== Math.fround(own);
  });
  return other ? { samples_itself: true } : {};
}

function trained(models: unknown): Record<string, number> {
  return limits_in(models, (model) => field(field(model, "meta"), "n_ctx_train"));
}

type ForModel = ServerAt & { readonly model: string };

/** By what is rendered; servers before b4600 have no `/apply-template`, and say what they think of the template. */
async function template_in(props: unknown, at: ForModel): Promise<Pick<Server, "template">> {
  const rendered = await rendering(at);
  if (rendered !== null) return { template: rendered };
  const caps = field(props, "chat_template_caps");
  const tools = field(caps, "supports_tools") ?? field(caps, "supports_tool_calls");
  if (typeof tools !== "boolean") return {};
  return { template: { tools, calls: tools, reasoning: false, nudges_as_results: false } };
}

const USER = { role: "user", content: "Look." };
const [PATH, THOUGHT, NUDGE] = ["hamr-path", "hamr-thought", "hamr-nudge"];
/** Nine letters and digits: all that Mistral's templates take. */
const ID = "hamr00001";
const CALL = { name: "probe", arguments: JSON.stringify({ path: PATH }) };
const CALLED = [
  {
    role: "assistant",
    content: "",
    reasoning_content: THOUGHT,
    tool_calls: [{ id: ID, type: "function", function: CALL }],
  },
  { role: "tool", tool_call_id: ID, content: "Nothing." },
];
const ANSWERED = [...CALLED, { role: "assistant", content: "Yes.", reasoning_content: THOUGHT }];
const TOOLS = [{
  type: "function",
  function: {
    name: "probe",
    description: "Looks at a file.",
    parameters: { type: "object", properties: { path: { type: "string" } } },
  },
}];

/** Renders a conversation in five ways: `supports_tool_calls` does not tell whether tools are shown (DeepSeek-V3.1, LFM2). Null if it can't. */
async function rendering({ origin, inquiry, model }: ForModel): Promise<Template | null> {
  const render = async (messages: readonly unknown[], tools: readonly unknown[]) => {
    const body = { model, messages, ...(tools.length === 0 ? {} : { tools }) };
    const url = `${origin}/apply-template?autoload=false`;
    return field(await json_answer(url, { ...inquiry, limit_ms: ANSWER_MS, body }), "prompt");
  };
  const [plain, told, called, as_result, as_user] = await Promise.all([
    render([USER], []),
    render([USER], TOOLS),
    render([USER, ...CALLED], TOOLS),
    render([USER, ...ANSWERED, { role: "tool", tool_call_id: ID, content: NUDGE }], TOOLS),
    render([USER, ...ANSWERED, { role: "user", content: NUDGE }], TOOLS),
  ]);
  if (typeof plain !== "string") return null;
  const shows = (mark: string) => typeof called === "string" && called.includes(mark);
  return {
    tools: told !== plain && typeof told === "string",
    // What refuses this conversation may take another: that is seen when it does.
    calls: typeof called !== "string" || shows(PATH),
    reasoning: shows(THOUGHT),
    nudges_as_results: String(as_result).includes(NUDGE) &&
      shared(called, as_result) > shared(called, as_user),
  };
}

/** With how many characters of `before` a prompt begins. */
function shared(before: unknown, after: unknown): number {
  if (typeof before !== "string" || typeof after !== "string") return Infinity;
  return shared_start(before, after);
}
