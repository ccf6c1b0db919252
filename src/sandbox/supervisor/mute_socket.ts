/** A UDP socket that answers questions about interfaces and ports, and neither sends nor receives. */
import { errno_of } from "../kernel/errno.ts";
import { buffer_of, type Libc } from "../kernel/libc.ts";
import { keep_to_loopback, set_number, SOCK_DGRAM } from "./socket_options.ts";

const SOCK_CLOEXEC = 0x80000, SHUT_WR = 1; // linux/net.h
const SOL_SOCKET = 1, SO_ATTACH_FILTER = 26, SO_LOCK_FILTER = 44; // asm-generic/socket.h
const MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000; // linux/socket.h
const AF_INET = 2; // linux/socket.h
const BPF_RET = 0x06; // linux/bpf_common.h
/** The discard service (RFC 863): where the self-check sends to, on this machine. */
const DISCARD_PORT = 9;

/** Makes one; null where this kernel does not make it mute. */
export function open_mute_socket(libc: Libc, family: number): number | null {
  // A send gives a socket a port, after which a program can't set IPV6_V6ONLY: another one like it is tried.
  const twin = make(libc, family);
  if (twin === null) return null;
  const mute = sends_nothing(libc, twin, family);
  libc.call("close", [twin]);
  return mute ? make(libc, family) : null;
}

function make(libc: Libc, family: number): number | null {
  const socket = libc.call("socket", [family, SOCK_DGRAM | SOCK_CLOEXEC, 0]);
  if (socket < 0) return null;
  if (
    keep_to_loopback(libc, socket) && drop_all(libc, socket) &&
    set_number(libc, socket, [SOL_SOCKET, SO_LOCK_FILTER, 1])
  ) {
    // Says ENOTCONN, as it has no peer, and does it all the same. Nothing opens it again.
    libc.call("shutdown", [socket, SHUT_WR]);
    return socket;
  }
  libc.call("close", [socket]);
  return null;
}

/** The program can't take this filter off again: it is locked. */
function drop_all(libc: Libc, socket: number): boolean {
  // `struct sock_filter`: of every datagram 0 bytes are kept.
  const instruction = buffer_of(8);
  instruction[0] = BPF_RET;
  // `struct sock_fprog`
  const program = buffer_of(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, 1, true);
  view.setBigUint64(8, libc.address(instruction), true);
  const set = libc.call("setsockopt", [socket, SOL_SOCKET, SO_ATTACH_FILTER, program, 16]);
  // It is named here so that it is not collected before the kernel has read it.
  return set === 0 && instruction[0] === BPF_RET;
}

function sends_nothing(libc: Libc, socket: number, family: number): boolean {
  const to = loopback(family);
  const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  const sent = libc.call("sendto", [socket, buffer_of(1), 1, flags, to, to.length]);
  return sent < 0 && libc.errno() === errno_of("EPIPE");
}

/** `struct sockaddr_in` of 127.0.0.1, `struct sockaddr_in6` of ::1. */
function loopback(family: number): Uint8Array<ArrayBuffer> {
  const inet = family === AF_INET;
  const bytes = buffer_of(inet ? 16 : 28);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, family, true);
  view.setUint16(2, DISCARD_PORT);
  if (inet) bytes.set([127, 0, 0, 1], 4);
  else bytes[23] = 1;
  return bytes;
}
