/** The model of an agent that is configured with its own. */
import { limits_of } from "../../model/server/provider.ts";
import type { Wire } from "../../model/wire.ts";
import type { ToolSchema } from "../../tools/tool.ts";
import type { Helper, Session } from "../session.ts";
import { wire_to } from "../switch_model.ts";

export interface OwnModel {
  readonly helper: Helper;
  readonly wire: Wire;
  readonly limits: Session["limits"];
  /** The rules that hold for every agent, with the tools where these have to be described in words. */
  system(system: string, tools: readonly ToolSchema[]): string;
}

/** Rejects with words for a person where that model can't be used. */
export async function own_model(parent: Session, model: string): Promise<OwnModel> {
  const helper = await (await parent.fallbacks()).named(model);
  const plain = await wire_to(helper);
  const limits = { ...parent.limits, http: limits_of(helper.endpoint, parent.limits.http.idle_ms) };
  const in_text = parent.wire.tools_in_text === true;
  if (!in_text && helper.endpoint.no_tools === undefined) {
    return { helper, wire: plain, limits, system: (system) => system };
  }
  const { text_calls, with_catalog } = await import("../../model/protocols/text_calls.ts");
  const system = (system: string, tools: readonly ToolSchema[]) =>
    in_text ? system : with_catalog(system, tools);
  return { helper, wire: text_calls(plain), limits, system };
}
