/** An address as `connect` is given it (`struct sockaddr`, linux/socket.h and below). */
export type SocketAddress =
  /** IPv4, or IPv4 in IPv6 clothes; `host` is its four numbers. */
  | { readonly kind: "ipv4"; readonly host: readonly number[]; readonly port: number }
  | { readonly kind: "ipv6"; readonly host: readonly number[]; readonly port: number }
  /** The path as given, up to its NUL. */
  | { readonly kind: "path"; readonly path: Uint8Array<ArrayBuffer> }
  | { readonly kind: "abstract"; readonly name: Uint8Array<ArrayBuffer> }
  /** Takes a connection back. */
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

const AF_UNSPEC = 0, AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10; // linux/socket.h
const INET_BYTES = 8, INET6_BYTES = 24; // up to the end of the host
/** The first 12 bytes of an IPv4 address in IPv6: ::ffff:0:0/96. */
export const MAPPED: readonly number[] = [...Array<number>(10).fill(0), 255, 255];

/** Reads an address; `unknown` for what is too short or of another family. */
export function parse_address(bytes: Uint8Array<ArrayBuffer>): SocketAddress {
  if (bytes.length < 2) return { kind: "unknown" };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (view.getUint16(0, true)) {
    case AF_UNSPEC:
      return { kind: "none" };
    case AF_UNIX: {
      if (bytes.length === 2) return { kind: "unknown" };
      if (bytes[2] === 0) return { kind: "abstract", name: bytes.slice(3) };
      const end = bytes.indexOf(0, 2);
      return { kind: "path", path: bytes.slice(2, end < 0 ? undefined : end) };
    }
    case AF_INET:
      if (bytes.length < INET_BYTES) return { kind: "unknown" };
      return { kind: "ipv4", host: [...bytes.slice(4, 8)], port: view.getUint16(2) };
    case AF_INET6: {
      if (bytes.length < INET6_BYTES) return { kind: "unknown" };
      const host = [...bytes.slice(8, 24)];
      const port = view.getUint16(2);
      return MAPPED.every((byte, at) => host[at] === byte)
        ? { kind: "ipv4", host: host.slice(12), port }
        : { kind: "ipv6", host, port };
    }
    default:
      return { kind: "unknown" };
  }
}

/** Whether an address leads to this machine and stays on it: 127.0.0.0/8, ::1, and the "any" addresses, which mean it. */
export function is_loopback_address(
  { kind, host }: SocketAddress & { kind: "ipv4" | "ipv6" },
): boolean {
  if (kind === "ipv4") return host[0] === 127 || host.every((byte) => byte === 0);
  return host.slice(0, 15).every((byte) => byte === 0) && (host[15] ?? 2) <= 1;
}

/** An address for people. */
export function shown_address(address: SocketAddress): string {
  switch (address.kind) {
    case "ipv4":
      return `${address.host.join(".")}:${address.port}`;
    case "ipv6":
      return `[${shown_ipv6(address.host)}]:${address.port}`;
    case "path":
      return new TextDecoder().decode(address.path);
    case "abstract":
      return `@${new TextDecoder().decode(address.name)}`;
    case "none":
    case "unknown":
      return "an address of another kind";
  }
}

function shown_ipv6(host: readonly number[]): string {
  const groups = Array.from(
    { length: 8 },
    (_, i) => (((host[2 * i] ?? 0) << 8) | (host[2 * i + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
