/** What the supervisor asks of, and sets on, a socket that it shares with the program that made it. */
import { buffer_of, c_string, type Libc } from "../kernel/libc.ts";

/** asm-generic/socket.h */
const SOL_SOCKET = 1, SO_TYPE = 3, SO_ERROR = 4;
const SO_BINDTODEVICE = 25, SO_DOMAIN = 39, SO_COOKIE = 57;
/** linux/net.h */
export const SOCK_DGRAM = 2;
const AF_INET = 2, AF_INET6 = 10; // linux/socket.h
const IPPROTO_IPV6 = 41, IPV6_V6ONLY = 26; // linux/in.h, linux/in6.h
const F_GETFL = 3, F_SETFL = 4; // asm-generic/fcntl.h
/** `struct sockaddr_storage`: no address is longer. */
export const ADDRESS_BYTES = 128;

/** `sizeof(int)`, on every architecture. */
export const INT_BYTES = 4;

export interface SocketKind {
  readonly inet: boolean;
  /** SOCK_*. */
  readonly type: number;
}

export function is_udp({ inet, type }: SocketKind): boolean {
  return inet && type === SOCK_DGRAM;
}

/** What a socket is; null if the file is none. */
export function socket_kind(libc: Libc, socket: number): SocketKind | null {
  const domain = number_of(libc, socket, [SOL_SOCKET, SO_DOMAIN]);
  if (domain < 0) return null;
  const type = number_of(libc, socket, [SOL_SOCKET, SO_TYPE]);
  return { inet: domain === AF_INET || domain === AF_INET6, type };
}

/** The error number that a connection ended with; 0 for none. */
export function socket_error(libc: Libc, socket: number): number {
  return number_of(libc, socket, [SOL_SOCKET, SO_ERROR]);
}

/** The kernel's name for a socket, which no other gets. */
export function cookie_of(libc: Libc, socket: number): bigint | null {
  const value = buffer_of(8);
  const length = Uint8Array.of(8, 0, 0, 0);
  return libc.call("getsockopt", [socket, SOL_SOCKET, SO_COOKIE, value, length]) === 0
    ? new DataView(value.buffer).getBigUint64(0, true)
    : null;
}

export function is_v6_only(libc: Libc, socket: number): boolean {
  return number_of(libc, socket, [IPPROTO_IPV6, IPV6_V6ONLY]) === 1;
}

/** The address a socket is bound to; null if it can't be told. */
export function bound_address(libc: Libc, socket: number): Uint8Array<ArrayBuffer> | null {
  const address = buffer_of(ADDRESS_BYTES);
  const length = Uint8Array.of(ADDRESS_BYTES, 0, 0, 0);
  if (libc.call("getsockname", [socket, address, length]) !== 0) return null;
  return address.slice(0, Math.min(ADDRESS_BYTES, length[0] ?? 0));
}

/** Only the loopback device: no peer elsewhere reaches a server of the run. Undoing it needs CAP_NET_RAW, which nobody inside has. */
export function keep_to_loopback(libc: Libc, socket: number): boolean {
  const name = c_string("lo");
  const set = () =>
    libc.call("setsockopt", [socket, SOL_SOCKET, SO_BINDTODEVICE, name, name.length]);
  if (set() === 0) return true;
  const device = buffer_of(16);
  const length = Uint8Array.of(16, 0, 0, 0);
  return libc.call("getsockopt", [socket, SOL_SOCKET, SO_BINDTODEVICE, device, length]) === 0 &&
    new TextDecoder().decode(device).startsWith("lo\0");
}

/** Sets an option whose value is an `int`. Whether the kernel did it. */
export function set_number(
  libc: Libc,
  socket: number,
  [level, option, value]: readonly [level: number, option: number, value: number],
): boolean {
  const bytes = buffer_of(INT_BYTES);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return libc.call("setsockopt", [socket, level, option, bytes, bytes.length]) === 0;
}

export function fd_flags(libc: Libc, fd: number): number {
  return libc.call("fcntl", [fd, F_GETFL, 0]);
}

/** With O_NONBLOCK calls on the file end instead of wait. */
export function set_flags(libc: Libc, fd: number, flags: number): void {
  libc.call("fcntl", [fd, F_SETFL, flags]);
}

function number_of(
  libc: Libc,
  socket: number,
  [level, option]: readonly [level: number, option: number],
): number {
  const value = buffer_of(INT_BYTES);
  const length = Uint8Array.of(INT_BYTES, 0, 0, 0);
  if (libc.call("getsockopt", [socket, level, option, value, length]) !== 0) return -1;
  return new DataView(value.buffer).getInt32(0, true);
}
