import type { Policy } from "../sandbox/policy.ts";

/** Only the end of a long output is looked at: there the error stands. */
const LOOKED_AT = 8000;

const DENIED = /permission denied|operation not permitted|read-only file system|EACCES|EPERM/i;
/** `touch: cannot touch '/x': Permission denied`, `bash: /x: Permission denied` */
const PATH_BEFORE =
  /(\/[^\s'"`:]+)['"`]?: (?:permission denied|operation not permitted|read-only file system)/i;
/** `[Errno 13] Permission denied: '/x'`, `EACCES: permission denied, open '/x'`, `open /x: permission denied` */
const PATH_AFTER =
  /(?:permission denied|operation not permitted|read-only file system)[^'"`/]*['"`]?(\/[^\s'"`]+)/i;
const NETWORK =
  /EAI_AGAIN|ENETUNREACH|getaddrinfo|resolve host|name resolution|network is unreachable|socket|connect|listen|bind\b|\/dev\/tcp/i;

/**
 * What a failed command ran into, if it was the policy: which flag the person could give. Empty where nothing
 * in the output points to a refusal.
 */
export function hints(output: string, policy: Policy): string[] {
  if (policy.sandbox === "off") return [];
  const lines = output.slice(-LOOKED_AT).split("\n");
  const found = new Set<string>();
  for (const line of lines) {
    if (policy.net === "none" && NETWORK.test(line) && is_network_refusal(line)) {
      found.add("the sandbox allows no network; the person can allow it with --allow-net");
    } else if (policy.write !== "all" && DENIED.test(line)) {
      const path = (PATH_BEFORE.exec(line) ?? PATH_AFTER.exec(line))?.[1];
      if (path !== undefined && outside(path, policy)) {
        found.add(
          `the sandbox does not allow writing ${path}; use $TMPDIR or the workspace, ` +
            `or the person can allow it with --allow-write=${folder_of(path)}`,
        );
      }
    }
  }
  return [...found].slice(0, 3);
}

function is_network_refusal(line: string): boolean {
  return DENIED.test(line) ||
    /EAI_AGAIN|resolve host|name resolution|unreachable|not supported/i.test(line);
}

function outside(path: string, policy: Policy): boolean {
  const allowed = [policy.workspace, policy.tmp, policy.spill, ...policy.write, "/dev", "/proc"];
  return !allowed.some((root) => path === root || path.startsWith(`${root}/`));
}

function folder_of(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}
