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
const MAPPED: readonly number[] = [...Array<number>(10).fill(0), 255, 255];
const INET_HOST_AT = 4, INET6_HOST_AT = 8;

/** Sockets of nscd(8), nss-resolve(8) and nss-mdns. */
const RESOLVERS =
  /^(?:\/var)?\/run\/(?:nscd\/socket|systemd\/resolve\/io\.systemd\.Resolve|avahi-daemon\/socket)$/;

/** Whether the C library looks names or users up at this path before it goes on to files and DNS. */
export function is_resolver(path: string): boolean {
  return RESOLVERS.test(path);
}

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
      return {
        kind: "ipv4",
        host: [...bytes.slice(INET_HOST_AT, INET_BYTES)],
        port: view.getUint16(2),
      };
    case AF_INET6: {
      if (bytes.length < INET6_BYTES) return { kind: "unknown" };
      const host = unmapped([...bytes.slice(INET6_HOST_AT, INET6_BYTES)]);
      return { kind: host.length === 4 ? "ipv4" : "ipv6", host, port: view.getUint16(2) };
    }
    default:
      return { kind: "unknown" };
  }
}

/** An IPv4 address in IPv6 clothes without them. */
export function unmapped(host: readonly number[]): readonly number[] {
  return host.length === 16 && MAPPED.every((byte, at) => host[at] === byte)
    ? host.slice(MAPPED.length)
    : host;
}

/** 0.0.0.0 or `::`. */
export function is_any(host: readonly number[]): boolean {
  return host.every((byte) => byte === 0);
}

/** The same address, but loopback for "any": the kernel would take that for the address to which the socket is bound. */
export function with_loopback(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const address = parse_address(bytes);
  const inet = address.kind === "ipv4" || address.kind === "ipv6";
  if (!inet || !is_any(address.host)) return bytes;
  const own = bytes.slice();
  const end = new DataView(own.buffer).getUint16(0, true) === AF_INET ? INET_BYTES : INET6_BYTES;
  const host = address.kind === "ipv4" ? [127, 0, 0, 1] : [1];
  own.set(host, end - host.length);
  return own;
}

/** Whether an address leads to this machine and stays on it: 127.0.0.0/8, ::1, and the "any" addresses, which mean it. */
export function is_loopback_address(
  { kind, host }: SocketAddress & { kind: "ipv4" | "ipv6" },
): boolean {
  if (kind === "ipv4") return host[0] === 127 || is_any(host);
  return host.slice(0, 15).every((byte) => byte === 0) && (host[15] ?? 2) <= 1;
}

export function shown_address(address: SocketAddress): string {
  switch (address.kind) {
    case "ipv4":
      return `${address.host.join(".")}:${address.port}`;
    case "ipv6":
      return `[${shown_ipv6(address.host)}]:${address.port}`;
    case "path":
      return shown_name(address.path);
    case "abstract":
      return `@${shown_name(address.name)}`;
    case "none":
    case "unknown":
      return "an address of another kind";
  }
}

/** A name for people, which whoever chose it can't use to draw on a terminal or to begin a line. */
export function shown_name(name: string | Uint8Array<ArrayBuffer>): string {
  const text = typeof name === "string" ? name : new TextDecoder().decode(name);
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

function shown_ipv6(host: readonly number[]): string {
  const groups = Array.from(
    { length: 8 },
    (_, i) => (((host[2 * i] ?? 0) << 8) | (host[2 * i + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
