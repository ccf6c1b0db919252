/** Tests whether a server reads the tools it is sent. Loaded if a token count makes that doubtful. */
import type { Endpoint } from "./endpoint.ts";
import { field } from "../errors.ts";
import { is_loopback } from "../http/http.ts";
import { json_answer } from "./inquiry.ts";

/** Some 200 tokens; at 5 tokens a second they are read in 40 seconds. */
const [LOCAL_MS, HOSTED_MS] = [60_000, 10_000];
/** The tool below has 170 words, however it is rendered; a template that leaves it out may add a note that there is one. */
const LEAST_TOKENS = 50;
const DESCRIPTION = "Looks at a file and says what is in it, line by line, from the first. ".repeat(
  12,
);

/** Counts a request with and without a tool, whose new name comes first, past any cache. Null if the server does not count in time. */
export async function reads_tools(
  { base_url, headers, client, model }: Pick<Endpoint, "base_url" | "headers" | "client" | "model">,
): Promise<boolean | null> {
  const count = async (tools: readonly unknown[]) => {
    const body = {
      model,
      messages: [{ role: "user", content: "Say yes." }],
      ...(tools.length === 0 ? {} : { tools }),
      max_tokens: 1,
      stream: false,
    };
    const limit_ms = is_loopback(base_url) ? LOCAL_MS : HOSTED_MS;
    const asked = { headers, client, limit_ms, body };
    const said = await json_answer(`${base_url}/chat/completions`, asked);
    const tokens = field(field(said, "usage"), "prompt_tokens");
    return typeof tokens === "number" && tokens > 0 ? tokens : null;
  };
  const name = `look_${crypto.randomUUID().replaceAll("-", "")}`;
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  const with_tool = await count([
    { type: "function", function: { name, description: DESCRIPTION, parameters } },
  ]);
  const without = with_tool === null ? null : await count([]);
  if (with_tool === null || without === null) return null;
  return with_tool >= without + LEAST_TOKENS;
}
