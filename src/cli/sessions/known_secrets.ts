/** What this machine knows to be secret: it is kept out of bundles, whatever it looks like. */
import type { KnownSecrets } from "../../store/bundle.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { text_of } from "../../permission/paths.ts";
import { load_settings } from "../../app/settings.ts";

/** Names of variables and of headers whose values are secrets. */
const SECRET =
  /(^|[_-])(api[_-]?key|key|token|secret|pass(word|wd|phrase)?|credentials?|auth(orization)?|cookie)($|[_-])/i;
/** Shorter than this, or a path, it is a setting with such a name. */
const LEAST_CHARS = 8;

/** Keys in the environment, in settings and in the files that these name; and the home folder. */
export async function known_secrets(parsed: Parsed, io: Io): Promise<KnownSecrets> {
  const { settings: { providers }, environ } = await load_settings(parsed, io);
  const named = [
    ...Object.entries(environ),
    ...Object.values(providers).flatMap((provider) => Object.entries(provider?.headers ?? {})),
  ];
  const secrets = [
    ...named.flatMap(([name, value]) => SECRET.test(name) ? [value ?? ""] : []),
    ...Object.values(providers).map((provider) => environ[provider?.api_key_env ?? ""] ?? ""),
    ...Object.values(providers).map((provider) => text_of(provider?.api_key_file ?? "")),
  ];
  const home = environ["HOME"] ?? "";
  return {
    secrets: secrets.flatMap((value) => value.trim().split(/\s+/))
      .filter((value) => value.length >= LEAST_CHARS && !/^[/~.]/.test(value)),
    home: home.length > 1 ? home : null,
  };
}
