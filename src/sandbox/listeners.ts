import type { Libc } from "./libc.ts";
import { read_text } from "./proc_fs.ts";
import { MAPPED, type SocketAddress } from "./socket_address.ts";
import { listening_sockets } from "./socket_diag.ts";

/** Who listens at an address: only processes of this run, somebody else (maybe besides), or nobody. */
export type Listens = "own" | "foreign" | "nobody";

type Inet = SocketAddress & { kind: "ipv4" | "ipv6" };

/** A flag of /proc/net/unix (__SO_ACCEPTCON of linux/net.h). */
const ACCEPTS = 0x10000;

/**
 * The sockets on which processes of this run listen, by the numbers that the kernel shows in /proc/net. Whether a port is the
 * run's own is asked anew for each connection: a port that was its own may be somebody else's now.
 */
export class Listeners {
  readonly #own = new Set<number>();

  constructor(private readonly libc: Libc) {}

  /** Notes a socket by its inode number. */
  add(inode: number): void {
    this.#own.add(inode);
  }

  /** Who listens at an address of this machine. Where the kernel does not tell, nobody's port is the run's own. */
  at(address: Inet): Listens {
    const sockets = listening_sockets(this.libc);
    if (sockets === null) return "foreign";
    return this.#judge(
      sockets.filter(({ host, port }) => port === address.port && takes(host, address))
        .map(({ inode }) => inode),
    );
  }

  /** Who listens at a name that has no file. */
  at_abstract(name: Uint8Array<ArrayBuffer>): Listens {
    const shown = "@" +
      new TextDecoder("latin1").decode(name.map((byte) => byte === 0 ? 0x40 : byte));
    const table = read_text(this.libc, "/proc/net/unix", "latin1");
    return this.#judge(
      (table ?? "").split("\n").slice(1).map((line) => /^((?:\S+\s+){6})(\S+) ?(.*)$/.exec(line))
        .filter((found) =>
          found?.[3] === shown &&
          (parseInt(found[1]?.split(/\s+/)[3] ?? "", 16) & ACCEPTS) !== 0
        ).map((found) => Number(found?.[2])),
    );
  }

  #judge(inodes: readonly number[]): Listens {
    if (inodes.length === 0) return "nobody";
    return inodes.every((inode) => this.#own.has(inode)) ? "own" : "foreign";
  }
}

/** Whether a server on `host` would get a connection to this address. */
function takes(host: readonly number[], { kind, host: wanted }: Inet): boolean {
  if (is_any(host)) return kind === "ipv4" || host.length === 16;
  const exact = !is_any(wanted)
    ? wanted
    : kind === "ipv4"
    ? [127, 0, 0, 1]
    : [...Array(15).fill(0), 1];
  const mapped = host.length === 16 && kind === "ipv4";
  if (!mapped) return same(host, exact);
  const [start, end] = [host.slice(0, 12), host.slice(12)];
  return same(start, MAPPED) && (is_any(end) || same(end, exact));
}

function is_any(host: readonly number[]): boolean {
  return host.every((byte) => byte === 0);
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
