/** Settings that tools need but that hold keys: commands get a copy without them, by a variable; the originals are denied. */
import type { CachePlace } from "./cache_place.ts";
import { exists, text_of } from "./paths.ts";

interface ToolSettings {
  readonly variable: string;
  /** Where they are, below HOME; the first that is there counts. */
  readonly usual: readonly string[];
  readonly keeps: (line: string) => boolean;
}

const TABLE: readonly ToolSettings[] = [
  {
    // pnpm, Yarn 1 and bun go by it as well. What is said for one registry begins with its address (npmrc).
    variable: "npm_config_userconfig",
    usual: [".npmrc"],
    keeps: (line) =>
      !/^\s*\/\/|^[^=]*(?:_auth|_password|username|email|certfile|keyfile)|^\s*["']?(?:key|cert|otp)(?:\[\])?["']?\s*=/i
        .test(line),
  },
  {
    variable: "PIP_CONFIG_FILE",
    usual: [".config/pip/pip.conf", ".pip/pip.conf"],
    keeps: (line) => !/^\s*client-cert\s*[=:]/i.test(line),
  },
  {
    // Everything else is a host, with what opens it (bundle-config(1)): also on a line of its own, below a quoted name.
    variable: "BUNDLE_USER_CONFIG",
    usual: [".bundle/config"],
    keeps: (line) =>
      /^(?:---)?\s*$/.test(line) || /^BUNDLE_\w+:\s*["']?(?:true|false|\d+)["']?\s*$/.test(line) ||
      /^BUNDLE_(?:BIN|BUILD__|CACHE_|DEFAULT|FORCE_RUBY|GEMFILE|LOCAL__|MIRROR__|PATH|WITH)/.test(
        line,
      ),
  },
];

/** A user and a password in an address, and in that of a proxy, which may lack its scheme. */
const IN_ADDRESS = /(?<=:\/\/|proxy["']?[ \t]*[=:][ \t]*["']?)[^/\s"']+@/gi;

/** The copies, to be written before anything runs, and the variables that lead to them. */
export function settings_copies(
  { policy, environ, home, is_lendable }: CachePlace,
): readonly { readonly variable: string; readonly path: string; readonly text: string }[] {
  return TABLE.flatMap(({ variable, usual, keeps }) => {
    const named = environ(variable) || environ(variable.toUpperCase());
    const places = named ? [named] : home === null ? [] : usual.map((path) => `${home}/${path}`);
    const theirs = places.find(exists);
    if (theirs === undefined || is_lendable(theirs)) return [];
    const text = text_of(theirs).split("\n").filter(keeps).join("\n").replaceAll(IN_ADDRESS, "");
    return [{ variable, path: `${policy.tmp}/settings/${variable}`, text }];
  });
}
