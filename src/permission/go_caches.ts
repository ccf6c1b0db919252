import type { CachePlace } from "./cache_place.ts";
import { exists, text_of } from "./paths.ts";

/** Where go asks if nobody says otherwise (`go help environment`). */
const USUAL_PROXY = "https://proxy.golang.org,direct";

/** Where modules are read and unpacked: the user's in place, until the workspace has its own; then theirs is the first proxy. */
export function go_variables(place: CachePlace): Record<string, string> {
  const { policy, environ, home, closed, is_lendable, is_writable } = place;
  if (place.is_passed("GOMODCACHE")) return {};
  const settings = settings_of(place);
  const said = (name: string) => environ(name) || settings.get(name);
  const own = `${policy.cache}/go-mod`;
  const path = said("GOPATH")?.split(":")[0] ?? (home === null ? undefined : `${home}/go`);
  const theirs = said("GOMODCACHE") ?? (path === undefined ? undefined : `${path}/pkg/mod`);
  if (theirs === undefined) return { GOMODCACHE: own };
  const lendable = is_lendable(theirs);
  if (is_writable(theirs) || closed && lendable && !exists(own)) return { GOMODCACHE: theirs };
  if (!lendable) return { GOMODCACHE: own };
  const proxy = `file://${encodeURI(theirs)}/cache/download,${said("GOPROXY") ?? USUAL_PROXY}`;
  return { GOMODCACHE: own, GOPROXY: proxy };
}

/** What `go env -w` has kept. */
function settings_of({ environ, home }: CachePlace): Map<string, string> {
  const habit = Deno.build.os === "darwin" ? "Library/Application Support" : ".config";
  const folder = environ("XDG_CONFIG_HOME") || (home === null ? "" : `${home}/${habit}`);
  const text = text_of(environ("GOENV") || `${folder}/go/env`);
  return new Map(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}
