import type { CachePlace } from "./cache_place.ts";
import { exists, text_of } from "./paths.ts";

/** Maven 3.9 reads `MAVEN_ARGS`, and a second repository behind its own. Before that only one: theirs, until the workspace has its own. */
export function maven_variables(place: CachePlace): Record<string, string> {
  const { policy, closed, is_lendable, is_writable } = place;
  const theirs = repository_of(place);
  const own = `${policy.cache}/maven`;
  const own_of_old = `${policy.cache}/maven-3.8`;
  // The launcher takes both variables apart at blanks.
  if (/\s/.test(`${own}${theirs}`) || theirs !== null && is_writable(theirs)) return {};
  const lent = theirs !== null && is_lendable(theirs) ? theirs : null;
  const old = closed && lent !== null && !exists(own_of_old) ? lent : own_of_old;
  const tail = lent === null ? "" : ` -Dmaven.repo.local.tail=${lent}`;
  const settings = maven_settings(place);
  const [args, home] = settings === null
    ? ["", ""]
    : [`-s ${settings.path} `, ` -Duser.home=${policy.tmp}/maven`];
  return {
    MAVEN_ARGS: `${args}-Dmaven.repo.local=${own}${tail}`,
    MAVEN_OPTS: `-Dmaven.repo.local=${old}${home}`,
  };
}

/** What opens something, in settings of Maven: the servers' section, and what is in addresses or for a proxy. */
const SECRETS = [
  /<servers>.*?<\/servers>/gs,
  /<(password|passphrase|privateKey|username)>.*?<\/\1>/gs,
  /(?<=:\/\/)[^/@\s<]+@/g,
];

/** The user's Maven settings without keys, as Maven does not start without, and needs their mirrors. Null if readable or absent. */
export function maven_settings(
  { policy, home, is_lendable }: CachePlace,
): { readonly path: string; readonly text: string } | null {
  const theirs = `${home}/.m2/settings.xml`;
  // The launcher takes the variable apart at blanks.
  if (home === null || !exists(theirs) || is_lendable(theirs) || /\s/.test(policy.tmp)) return null;
  const text = SECRETS.reduce((text, secret) => text.replaceAll(secret, ""), text_of(theirs));
  // Where older versions look for it, below `user.home`.
  return { path: `${policy.tmp}/maven/.m2/settings.xml`, text };
}

function repository_of({ home }: CachePlace): string | null {
  if (home === null) return null;
  const settings = text_of(`${home}/.m2/settings.xml`).replaceAll(/<!--.*?-->/gs, "");
  const said = /<localRepository>\s*([^<\s]+)\s*<\/localRepository>/.exec(settings)?.[1];
  return said?.replaceAll(/\$\{(?:user\.home|env\.HOME)\}/g, home) ?? `${home}/.m2/repository`;
}
