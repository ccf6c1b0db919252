/** What a client can choose for a session: its mode, its model and how hard that thinks. */
import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { endpoint_of } from "../../app/endpoint.ts";
import { found_models } from "../../app/found_models.ts";
import type { RunSettings } from "../../app/settings.ts";
import type { Mode } from "../../guards/rule.ts";
import type { Confirm } from "../../permission/approval.ts";

/** Works as `auto` does, and asks first. */
const ASKS_FIRST = "confirm";

const MODES: readonly (readonly [Mode | typeof ASKS_FIRST, string, string])[] = [
  ["auto", "Auto", "works on the task; asks before dangerous commands"],
  [ASKS_FIRST, "Ask before edits", "works on the task; asks before each edit and command"],
  ["ask", "Ask", "answers a question; changes no file"],
  ["plan", "Plan", "makes a plan; the kernel keeps the workspace read-only"],
];
export const OFFERED_MODES = MODES.map(([id, name, description]) => ({ id, name, description }));

/** In the place of a name: the model that the server has loaded, and its effort. */
export const SERVERS_OWN = "default";
const EFFORTS = ["low", "medium", "high"];

interface Work {
  readonly mode: Mode;
  readonly confirm: Confirm;
}

/** What `id` stands for where `confirm` is set. */
export function work_of(id: string, confirm: Confirm): Work {
  if (id === ASKS_FIRST) return { mode: "auto", confirm: "all" };
  return { mode: id as Mode, confirm: id === "auto" && confirm === "all" ? "sensitive" : confirm };
}

export function chosen_in({ mode, confirm }: Work): string {
  return mode === "auto" && confirm === "all" ? ASKS_FIRST : mode;
}

export function modes_of(mode: string): SessionModeState {
  const known = OFFERED_MODES.some(({ id }) => id === mode);
  const others = known ? [] : [{ id: mode, name: mode, description: "as set for hamr acp" }];
  return { currentModeId: mode, availableModes: [...OFFERED_MODES, ...others] };
}

export function config_options({ mode, model, models, effort }: {
  mode: string;
  /** Empty: the server's own. */
  model: string;
  models: readonly string[];
  effort: string | undefined;
}): SessionConfigOption[] {
  const { availableModes } = modes_of(mode);
  const options = availableModes.map(({ id, ...about }) => ({ value: id, ...about }));
  return [
    {
      ...{ type: "select", id: "mode", name: "Mode", category: "mode" },
      ...{ currentValue: mode, options },
    },
    choice({ id: "model", name: "Model", category: "model" }, model, models),
    choice({ id: "effort", name: "Effort", category: "thought_level" }, effort, EFFORTS),
  ];
}

function choice(
  about: { readonly id: string; readonly name: string; readonly category: string },
  current = "",
  names: readonly string[],
): SessionConfigOption {
  const all = new Set([...(current === "" ? [] : [current]), ...names]);
  return {
    type: "select",
    ...about,
    currentValue: current || SERVERS_OWN,
    options: [
      { value: SERVERS_OWN, name: "The server's own" },
      ...[...all].map((name) => ({ value: name, name })),
    ],
  };
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
