/**
 * Asks the kernel which sockets listen for TCP, as ss(8) does. /proc/net/tcp says the same, but walks the table of all
 * connections for it: 5 ms against 0.05 (measured with 262,144 buckets).
 *
 * Source: linux/include/uapi/linux/netlink.h, sock_diag.h and inet_diag.h.
 */
import { buffer_of, type Libc } from "./libc.ts";

/** A socket that takes connections. */
export interface Listening {
  /** 4 bytes, or 16 for IPv6. */
  readonly host: readonly number[];
  readonly port: number;
  readonly inode: number;
}

const AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0x80000;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST_DUMP = 0x301;
const NLMSG_ERROR = 2, NLMSG_DONE = 3;
const IPPROTO_TCP = 6;
const TCP_LISTEN_STATE = 1 << 10;
/** `struct nlmsghdr`, and with `struct inet_diag_req_v2` behind it. */
const HEADER_BYTES = 16, REQUEST_BYTES = 16 + 56;
/** Places in an answer: `struct nlmsghdr`, then `struct inet_diag_msg`. */
const AT = { length: 0, type: 4, port: 20, host: 24, inode: 84 } as const;
const ANSWER_BYTES = 32 * 1024;

/** All TCP sockets that listen in this network namespace; null where the kernel does not tell. */
export function listening_sockets(libc: Libc): Listening[] | null {
  const socket = libc.call("socket", [AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG]);
  if (socket < 0) return null;
  try {
    const ipv4 = dump(libc, socket, AF_INET);
    const ipv6 = ipv4 === null ? null : dump(libc, socket, AF_INET6);
    return ipv4 === null || ipv6 === null ? null : [...ipv4, ...ipv6];
  } finally {
    libc.call("close", [socket]);
  }
}

function dump(libc: Libc, socket: number, family: number): Listening[] | null {
  const request = request_for(family);
  if (libc.call("sendto", [socket, request, request.length, 0, 0, 0]) !== request.length) {
    return null;
  }
  const found: Listening[] = [];
  const answer = buffer_of(ANSWER_BYTES);
  const view = new DataView(answer.buffer);
  for (;;) {
    const length = libc.call("read", [socket, answer, ANSWER_BYTES]);
    if (length <= 0) return null;
    for (let at = 0; at + HEADER_BYTES <= length;) {
      const type = view.getUint16(at + AT.type, true);
      if (type === NLMSG_DONE) return found;
      if (type === NLMSG_ERROR) return null;
      found.push({
        host: [...answer.subarray(at + AT.host, at + AT.host + (family === AF_INET ? 4 : 16))],
        port: view.getUint16(at + AT.port),
        inode: view.getUint32(at + AT.inode, true),
      });
      // Each begins on a multiple of four bytes.
      at += (view.getUint32(at + AT.length, true) + 3) & ~3;
    }
  }
}

function request_for(family: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(REQUEST_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, REQUEST_BYTES, true);
  view.setUint16(4, SOCK_DIAG_BY_FAMILY, true);
  view.setUint16(6, NLM_F_REQUEST_DUMP, true);
  view.setUint8(HEADER_BYTES, family);
  view.setUint8(HEADER_BYTES + 1, IPPROTO_TCP);
  view.setUint32(HEADER_BYTES + 4, TCP_LISTEN_STATE, true);
  return bytes;
}
