/** What commands may do, in a few lines. */
import type { Flags } from "../../app/flags.ts";
import { confirm_of, permissions_of, type RunSettings } from "../../app/settings.ts";
import type { Mode } from "../../guards/rule.ts";
import { plural } from "../../ui/text.ts";
import type { Confirm } from "../../permission/approval.ts";

const NET = {
  own: "only servers that commands start themselves",
  none: "none",
  loopback: "all on this machine",
  all: "all",
};
const ASKS: Readonly<Record<Confirm, string>> = {
  refuse: "never: dangerous commands are refused",
  sensitive: "before dangerous commands",
  all: "before any change",
  never: "never: dangerous commands run, too",
};

/** How many places that may not be read are named. */
const SHOWN = 2;

export function allowed_here(
  place: RunSettings,
  { flags, mode }: { flags: Flags; mode: Mode },
): readonly string[] {
  const { sandbox, write, read, deny_read, more_denied, net } = permissions_of(place, flags);
  const read_only = flags.read_only === true || mode === "plan";
  const { workspace } = place;
  const asks = `you are asked  ${ASKS[confirm_of(place)]}`;
  if (sandbox === "off") return ["sandbox        off: commands may do what you may", asks];
  const more = deny_read.length - SHOWN;
  const denied = [
    ...more_denied,
    ...deny_read.slice(0, SHOWN),
    ...(more > 0 ? [`${plural(more, "more place")} with keys, passwords and history`] : []),
  ];
  const places = read_only ? [] : [workspace];
  return [
    `write          ${
      write === "all" ? "everywhere" : [...places, ...write].join(", ") || "nothing (read-only)"
    }`,
    `read           ${
      read === "all" || read.length === 0 ? "everything" : [workspace, ...read].join(", ")
    }${denied.length === 0 ? "" : `, but not ${denied.join(", ")}`}`,
    `network        ${
      typeof net === "string" ? NET[net] : `${NET.own}; web_fetch: ${net.join(", ")}`
    }`,
    asks,
    "more: /permissions --allow-write=DIR, --allow-net; all of it: hamr doctor -v",
  ];
}
