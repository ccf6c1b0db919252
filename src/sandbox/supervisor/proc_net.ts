/**
 * Which sockets take connections, as /proc/net says. For a kernel that can't be asked (`socket_diag.ts`): in most distributions that
 * takes modules, and those are gone after an update until the next start, or may not be loaded.
 *
 * Source: proc_pid_net(5); linux/net/ipv4/tcp_ipv4.c, ipv6/tcp_ipv6.c and unix/af_unix.c.
 */
import type { Libc } from "../kernel/libc.ts";
import { link_of, read_text } from "../kernel/proc_fs.ts";

export interface TcpServer {
  /** 4 bytes, or 16 for IPv6. */
  readonly host: readonly number[];
  /** An IPv6 server that takes no IPv4 connections. */
  readonly v6_only: boolean;
  /** The number of the one network device that it listens on; 0 for any, null if the kernel does not tell. */
  readonly device: number | null;
  readonly uid: number;
  /** By its SO_COOKIE, which is never given twice, or its inode. */
  readonly identity: string;
}

export interface UnixServer {
  /** SOCK_*: each type has names of its own. */
  readonly type: number;
  /** As `shown_socket_name()`; empty if it has none. */
  readonly name: string;
  /** The inode of its file; null if it has none, or where that is not told. */
  readonly file: number | null;
  readonly identity: string;
}

const LISTENS = "0A";
/** `__SO_ACCEPTCON`, as the flags of a unix socket are written. */
const TAKES_CONNECTIONS = "00010000";
/** A line of /proc/net/unix: address, references, protocol, flags, type, state, inode, name. */
const UNIX_LINE = /^\S+: \S+ \S+ (\S+) (\S+) \S+ +(\d+)(?: ([^]*))?$/;

/** One character a byte. */
const single = new TextDecoder("latin1");

/** The name of a unix socket as the list shows it, in which a name without a file begins with `@`. Not all are told apart. */
export function shown_socket_name(name: Uint8Array): string {
  return single.decode(name.map((byte) => byte === 0 ? 0x40 : byte));
}

/** All that listens for TCP on a port; null if the kernel has no list. Whether IPv4 comes to an IPv6 server, it does not say. */
export function tcp_servers(libc: Libc, port: number): TcpServer[] | null {
  const ipv4 = read_text(libc, "/proc/net/tcp");
  if (ipv4 === null) return null;
  const ipv6 = read_text(libc, "/proc/net/tcp6") ?? "";
  return [ipv4, ipv6].flatMap((list) =>
    list.split("\n").slice(1).flatMap((line) => {
      const [, local = "", , state, , , , uid, , inode] = line.trim().split(/ +/);
      const [host = "", hex = ""] = local.split(":");
      if (state !== LISTENS || parseInt(hex, 16) !== port) return [];
      const words = Uint32Array.from(host.match(/.{8}/g) ?? [], (word) => parseInt(word, 16));
      const bytes = [...new Uint8Array(words.buffer)];
      return [{
        ...{ host: bytes, v6_only: false, device: null },
        ...{ uid: Number(uid), identity: by_inode(inode) },
      }];
    })
  );
}

/** All unix sockets that take connections; null if the kernel has no list. */
export function unix_servers(libc: Libc): UnixServer[] | null {
  const list = read_text(libc, "/proc/net/unix", "latin1");
  return list?.split("\n").slice(1).flatMap((line) => {
    const [, flags, type = "", inode, name = ""] = UNIX_LINE.exec(line) ?? [];
    if (flags !== TAKES_CONNECTIONS) return [];
    return [{ type: parseInt(type, 16), name, file: null, identity: by_inode(inode) }];
  }) ?? null;
}

/** The inode of an open socket, as the lists name it; null if it can't be told. It may be given again after 2^32 others. */
export function inode_of(libc: Libc, socket: number): string | null {
  const [, inode] = /^socket:\[(\d+)\]$/.exec(link_of(libc, `/proc/self/fd/${socket}`) ?? "") ?? [];
  return inode === undefined ? null : by_inode(inode);
}

function by_inode(inode: string | undefined): string {
  return `inode ${inode}`;
}
