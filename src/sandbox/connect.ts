import { is_inside } from "../config/paths.ts";
import { errno_of } from "./errno.ts";
import { buffer_of, c_string, type Libc } from "./libc.ts";
import type { Listeners } from "./listeners.ts";
import { own_writable, type Policy } from "./policy.ts";
import {
  is_loopback_address,
  shown_address,
  shown_name,
  type SocketAddress,
} from "./socket_address.ts";

/** What becomes of a `connect`: made to this address, or refused with this error number. */
export type Judgement =
  | { readonly kind: "go"; readonly address: Uint8Array<ArrayBuffer>; readonly close: () => void }
  /** `refused` says what was refused and what would allow it; absent where the kernel would have said no by itself. */
  | { readonly kind: "no"; readonly errno: number; readonly refused?: string };

/** A socket address as it was given, read and unread, and whose it is. */
export interface Wanted {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly address: SocketAddress;
  /** SOCK_*, of the socket. */
  readonly type: number;
  /** The thread that asks: a path is meant from its folder. */
  readonly tid: number;
}

const AT_FDCWD = -100;
const O_PATH_CLOEXEC = 0x200000 | 0x80000;
const AF_UNIX = 1;
const PATH_BYTES = 4096;
/** Means another folder to each process; found in paths that would be too long for a socket's address otherwise. */
const ASKERS_OWN = /^\/proc\/(self|thread-self)(?=\/)/;

/** Where a connection may go, under the policy. */
export function judge(
  libc: Libc,
  wanted: Wanted,
  rules: { readonly policy: Policy; readonly listeners: Listeners },
): Judgement {
  const { address, bytes } = wanted;
  const { policy, listeners } = rules;
  const go: Judgement = { kind: "go", address: bytes, close: () => {} };
  switch (address.kind) {
    case "none":
      return go;
    case "unknown":
      return { kind: "no", errno: errno_of("EAFNOSUPPORT") };
    case "abstract":
      return by_listener(listeners.at_abstract(address.name, wanted.type), { go, address });
    case "path":
      return judge_path(libc, { ...wanted, path: address.path }, policy);
    case "ipv4":
    case "ipv6":
      if (policy.net === "all") return go;
      if (policy.net === "none" || !is_loopback_address(address)) return refused(address);
      return policy.net === "loopback" ? go : by_listener(listeners.at(address), { go, address });
  }
}

function by_listener(
  who: ReturnType<Listeners["at"]>,
  { go, address }: { readonly go: Judgement; readonly address: SocketAddress },
): Judgement {
  switch (who) {
    case "own":
      return go;
    case "foreign":
      return refused(address);
    case "nobody":
      return { kind: "no", errno: errno_of("ECONNREFUSED") };
  }
}

function refused(address: SocketAddress): Judgement {
  const inet = address.kind === "ipv4" || address.kind === "ipv6";
  const near = inet && is_loopback_address(address);
  const why = near
    ? ", as no process of this run serves it; the person can allow it with --allow-net=loopback"
    : inet
    ? "; the person can allow it with --allow-net"
    : ", as no process of this run serves it; no flag but --sandbox off allows it";
  return no(shown_address(address), why);
}

function no(to: string, why: string): Judgement {
  const refused = `the sandbox refused a connection to ${to}${why}`;
  return { kind: "no", errno: errno_of("EACCES"), refused };
}

/**
 * A socket with a path is opened first, then looked at, and connected to through what was opened: whatever becomes of the
 * path meanwhile, it is the same socket.
 */
function judge_path(
  libc: Libc,
  wanted: Wanted & { readonly path: Uint8Array<ArrayBuffer> },
  policy: Policy,
): Judgement {
  const socket = open_path(libc, wanted);
  if (socket < 0) return { kind: "no", errno: libc.errno() };
  const real = target_of(libc, socket);
  const close = () => void libc.call("close", [socket]);
  if (real === null || !is_reachable(real, policy)) {
    close();
    const shown = shown_name(real ?? wanted.path);
    return no(shown, `; the person can allow it with --allow-write=${shown}`);
  }
  return { kind: "go", address: unix_address(`/proc/self/fd/${socket}`), close };
}

/** Opens without touching, links followed, from the folder of the one who asks. */
function open_path(
  libc: Libc,
  { path, tid }: { readonly path: Uint8Array<ArrayBuffer>; readonly tid: number },
): number {
  const name = terminated(path, tid);
  if (path[0] === 0x2f) return libc.call("openat", [AT_FDCWD, name, O_PATH_CLOEXEC]);
  const folder = libc.call("openat", [AT_FDCWD, c_string(`/proc/${tid}/cwd`), O_PATH_CLOEXEC]);
  if (folder < 0) return folder;
  const socket = libc.call("openat", [folder, name, O_PATH_CLOEXEC]);
  const errno = socket < 0 ? libc.errno() : 0;
  libc.call("close", [folder]);
  // Closing well changes no error number; it is asked again by whoever reads it.
  return errno === 0 ? socket : -1;
}

/** Each byte is a character of latin1 and back again, whatever encoding the path has. */
function terminated(path: Uint8Array<ArrayBuffer>, tid: number): Uint8Array<ArrayBuffer> {
  const text = String.fromCharCode(...path).replace(ASKERS_OWN, `/proc/${tid}`);
  const name = buffer_of(text.length + 1);
  name.set(Array.from(text, (char) => char.charCodeAt(0)));
  return name;
}

/** The real path of an open file; null where it has none any more. */
function target_of(libc: Libc, fd: number): string | null {
  const bytes = buffer_of(PATH_BYTES);
  const length = libc.call("readlinkat", [
    AT_FDCWD,
    c_string(`/proc/self/fd/${fd}`),
    bytes,
    PATH_BYTES,
  ]);
  if (length <= 0 || length === PATH_BYTES) return null;
  const path = new TextDecoder().decode(bytes.subarray(0, length));
  return path.startsWith("/") && !path.endsWith(" (deleted)") ? path : null;
}

/** Servers behind sockets outside (docker, tmux, D-Bus, ssh-agent) would run commands there. */
function is_reachable(real: string, policy: Policy): boolean {
  if (policy.write === "all") return true;
  return [...own_writable(policy), ...policy.write].some((root) => is_inside(real, root));
}

/** `struct sockaddr_un` */
function unix_address(path: string): Uint8Array<ArrayBuffer> {
  const name = c_string(path);
  const bytes = buffer_of(2 + name.length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  return bytes;
}
