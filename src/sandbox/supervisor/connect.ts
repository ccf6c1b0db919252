import { flag_with } from "../../config/text.ts";
import { errno_of, type ErrnoName } from "../kernel/errno.ts";
import { buffer_of, c_string, type Libc } from "../kernel/libc.ts";
import type { Listeners } from "./listeners.ts";
import { is_inside } from "../../config/paths.ts";
import { look_at } from "../kernel/statx.ts";
import { may_write, own_writable, type Policy } from "../policy.ts";
import { is_udp, type SocketKind } from "./socket_options.ts";
import { open_as, path_of_fd } from "./callers_path.ts";
import {
  is_loopback_address,
  is_resolver,
  shown_address,
  shown_name,
  type SocketAddress,
} from "./socket_address.ts";

/** What becomes of a `connect`: made to this address, or refused with this error number. */
type Judgement =
  | { readonly kind: "go"; readonly address: Uint8Array<ArrayBuffer>; readonly close: () => void }
  /** `refused` says what was refused and what would allow it; absent if the program's own words will do. */
  | { readonly kind: "no"; readonly errno: number; readonly refused?: string };

/** A socket address as it was given, read and unread, and whose it is. */
export interface WantedAddress {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly address: SocketAddress;
  readonly kind: SocketKind;
  /** The thread that asks: a path is meant from its folder. */
  readonly tid: number;
}

const AF_UNIX = 1;

/** Where a connection may go, under the policy. */
export function judge_connection(
  libc: Libc,
  wanted: WantedAddress,
  rules: { readonly policy: Policy; readonly listeners: Listeners },
): Judgement {
  const { address, bytes } = wanted;
  const { policy, listeners } = rules;
  // Without a line: resolvers and browsers try it by the way, and go on without.
  if (policy.net !== "all" && is_udp(wanted.kind)) return no("EACCES");
  const go: Judgement = { kind: "go", address: bytes, close: () => {} };
  switch (address.kind) {
    case "none":
      return go;
    case "unknown":
      return no("EAFNOSUPPORT");
    case "abstract":
      return by_listener(listeners.at_abstract(address.name, wanted.kind.type), { go, address });
    case "path":
      return judge_path(libc, { ...wanted, path: address.path }, rules);
    case "ipv4":
    case "ipv6":
      if (policy.net === "all") return go;
      if (policy.net === "none" || !is_loopback_address(address)) return refused(address);
      return policy.net === "loopback" ? go : by_listener(listeners.at(address), { go, address });
  }
}

function by_listener(
  who: ReturnType<Listeners["at"]>,
  { go, address }: { go: Judgement; address: SocketAddress },
): Judgement {
  switch (who) {
    case "own":
      return go;
    case "foreign":
      return refused(address);
    case "nobody":
      return no("ECONNREFUSED");
  }
}

function refused(address: SocketAddress): Judgement {
  const inet = address.kind === "ipv4" || address.kind === "ipv6";
  const near = inet && is_loopback_address(address);
  const why = near
    ? ", as no process of this run serves it; the user can allow it with --allow-net=loopback"
    : inet
    ? "; the user can allow it with --allow-net"
    : ", as no process of this run serves it; only --sandbox off allows it";
  return kept_from(shown_address(address), why);
}

function kept_from(to: string, why: string): Judgement {
  return { ...no("EACCES"), refused: `the sandbox refused a connection to ${to}${why}` };
}

function no(errno: ErrnoName): Extract<Judgement, { kind: "no" }> {
  return { kind: "no", errno: errno_of(errno) };
}

/** A socket with a path is opened, looked at, and connected to through the descriptor, so that the path can't be swapped. */
function judge_path(
  libc: Libc,
  wanted: WantedAddress & { readonly path: Uint8Array<ArrayBuffer> },
  { policy, listeners }: { policy: Policy; listeners: Listeners },
): Judgement {
  const socket = open_as(libc, wanted);
  if (socket < 0) return { kind: "no", errno: libc.errno() };
  // Servers behind sockets outside (docker, tmux, D-Bus, ssh-agent) would run commands there.
  const real = path_of_fd(libc, socket);
  const close = () => void libc.call("close", [socket]);
  const may = real !== null && may_write(policy, real) &&
    !is_others(libc, { socket, real, policy, listeners });
  if (real === null || !may) {
    close();
    const shown = shown_name(real ?? wanted.path);
    // The C library tries it for each name and user, and goes on without.
    if (is_resolver(shown)) return no("EACCES");
    return kept_from(shown, `; the user can allow it with ${flag_with("--allow-write", shown)}`);
  }
  return { kind: "go", address: unix_address(`/proc/self/fd/${socket}`), close };
}

/** A folder in which everybody makes files (`/tmp`): sticky, and written by all. */
const STICKY_AND_OPEN = 0o1002;

/**
 * Whether another program than one of the run serves what may be written only because a folder is that everybody writes, such as `/tmp`:
 * who allows that means files, not the user's tmux, ssh-agent and display. Nor does it help to move a socket from there.
 */
function is_others(libc: Libc, { socket, real, policy, listeners }: {
  socket: number;
  real: string;
  policy: Policy;
  listeners: Listeners;
}): boolean {
  if (policy.write === "all") return false;
  const is_shared = (folder: string) =>
    ((look_at(libc, folder, { follow: true })?.mode ?? 0) & STICKY_AND_OPEN) === STICKY_AND_OPEN;
  const roots = [...own_writable(policy), ...policy.write];
  const shared = roots.filter(is_shared);
  if (shared.length === 0) return false;
  const meant = roots.filter((root) => !shared.includes(root));
  const is_meant = (path: string) => meant.some((root) => is_inside(path, root));
  const names = listeners.others_at_file(look_at(libc, socket)?.inode ?? 0);
  return names.some((name) =>
    !is_meant(real) || (!is_meant(name) && shared.some((root) => is_inside(name, root)))
  );
}

/** `struct sockaddr_un` */
function unix_address(path: string): Uint8Array<ArrayBuffer> {
  const name = c_string(path);
  const bytes = buffer_of(2 + name.length);
  new DataView(bytes.buffer).setUint16(0, AF_UNIX, true);
  bytes.set(name, 2);
  return bytes;
}
