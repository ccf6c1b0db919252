/** Tells which refused socket would have looked up a host that matters to the person. */
import { SOCK_DGRAM } from "./socket_options.ts";

/** SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC: how glibc, musl and Go open the socket that asks DNS. */
const RESOLVERS_TYPE = SOCK_DGRAM | 0x800 | 0x80000;
/** Programs that look names up for themselves, whatever they show: updates, services of their makers. */
const BROWSER = /(?:^|\/)[^/]*(?:chrom|headless.shell|firefox|msedge|brave)[^/]*$/i;

/** What is said of it; programs try it and go on without, so only where the command failed. */
export const NO_LOOKUP =
  "the sandbox refused UDP, which name lookups need; if that is why it failed, " +
  "the user can allow all networks with --allow-net";

/** Whether a socket of this type, wanted by this program, was to look up a name. */
export function is_lookup(type: number, program: string | null): boolean {
  return type === RESOLVERS_TYPE && !BROWSER.test(program ?? "");
}
