/** What a client can choose for a session: its mode and its model. */
import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { endpoint_of } from "../../app/endpoint.ts";
import { found_models } from "../../app/found_models.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { Mode } from "../../guards/rule.ts";

export const OFFERED_MODES: readonly {
  readonly id: Mode;
  readonly name: string;
  readonly description: string;
}[] = [
  {
    id: "auto",
    name: "Auto",
    description: "works on the task; asks before dangerous commands",
  },
  { id: "ask", name: "Ask", description: "answers a question; changes no file" },
  {
    id: "plan",
    name: "Plan",
    description: "makes a plan; the kernel keeps the workspace read-only",
  },
];

/** In the place of a name: the model that the server has loaded. */
export const SERVERS_OWN = "default";

export function modes_of(mode: Mode): SessionModeState {
  const known = OFFERED_MODES.some(({ id }) => id === mode);
  const others = known ? [] : [{ id: mode, name: mode, description: "as set for hamr acp" }];
  return { currentModeId: mode, availableModes: [...OFFERED_MODES, ...others] };
}

export function config_options(
  { mode, model, models }: {
    mode: Mode;
    /** Empty: the server's own. */
    model: string;
    models: readonly string[];
  },
): SessionConfigOption[] {
  const names = new Set([...(model === "" ? [] : [model]), ...models]);
  const { availableModes } = modes_of(mode);
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      category: "mode",
      currentValue: mode,
      options: availableModes.map(({ id, name, description = null }) => ({
        value: id,
        name,
        description,
      })),
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: model || SERVERS_OWN,
      options: [
        { value: SERVERS_OWN, name: "The server's own" },
        ...[...names].map((name) => ({ value: name, name })),
      ],
    },
  ];
}

/** Models of the server that is used; none where nobody answers. */
export async function found_names(place: RunSettings): Promise<readonly string[]> {
  try {
    const [used] = await found_models(place, await endpoint_of(place));
    return used?.models.map(({ name }) => name) ?? [];
  } catch {
    return [];
  }
}
