import { same_bytes } from "../../config/bytes.ts";
import type { Libc } from "../kernel/libc.ts";
import { is_any, parse_address, type SocketAddress, unmapped } from "./socket_address.ts";
import { inode_of, shown_socket_name, type TcpServer } from "./proc_net.ts";
import { bound_address, cookie_of, is_v6_only } from "./socket_options.ts";
import { by_cookie, SocketDiag } from "./socket_diag.ts";

/** Who listens at an address: only processes of this run, someone else (maybe besides), or nobody. */
type Listens = "own" | "foreign" | "nobody";

/** Servers remembered; the oldest are forgotten first, and then count as foreign. No run has as many at a time. */
const MOST_OWN = 65_536;

/** The sockets on which the run listens, by the kernel's names. Asked again for each connection: a port may be someone else's now. */
export class Listeners {
  readonly #own = new Set<string>();
  readonly #kernel: SocketDiag;

  readonly #kept = new Set<number>();

  constructor(private readonly libc: Libc) {
    this.#kernel = new SocketDiag(libc);
  }

  /** Ports on which someone else listens by now: nobody takes these over. */
  keep(ports: readonly number[]): void {
    const others = (port: number) => this.#others(this.#kernel.tcp(port) ?? []);
    ports.filter((port) => others(port).length > 0).forEach((port) => this.#kept.add(port));
  }

  add(socket: number): void {
    const cookie = cookie_of(this.libc, socket);
    for (const identity of [cookie && by_cookie(cookie), inode_of(this.libc, socket)]) {
      if (identity) this.#own.add(identity);
      const [oldest] = this.#own;
      if (this.#own.size > MOST_OWN && oldest !== undefined) this.#own.delete(oldest);
    }
  }

  /** Who listens at a specific address of this machine. Where the kernel does not tell, no port counts as the run's own. */
  at({ host, port }: SocketAddress & { kind: "ipv4" | "ipv6" }): Listens {
    const servers = this.#kernel.tcp(port);
    if (servers === null) return "foreign";
    return this.#judge(servers.filter((server) => overlap(server, { host, v6_only: true })));
  }

  /** Who listens at a name that has no file, with sockets of this type. */
  at_abstract(name: Uint8Array<ArrayBuffer>, type: number): Listens {
    const servers = this.#kernel.unix();
    if (servers === null) return "foreign";
    const called = `@${shown_socket_name(name)}`;
    return this.#judge(servers.filter((one) => one.type === type && one.name === called));
  }

  /** The names that servers which are not the run's gave a file as they bound it; none where the kernel does not tell. */
  others_at_file(inode: number): readonly string[] {
    return this.#others(this.#kernel.unix() ?? []).filter(({ file }) => file === inode)
      .map(({ name }) => name);
  }

  /** Whether a server on this socket would get connections meant for a foreign one, or share them with it: the kernel lets programs of one user do so (SO_REUSEPORT). One that is not confined may, but for those meant for servers that hamr asks. */
  takes_from_others(socket: number, { confined }: { confined: boolean }): boolean {
    const { libc } = this;
    if (!confined && this.#kept.size === 0) return false;
    // A socket without a port would get one while it is looked at. One that has a port keeps it, and this then fails.
    const family = bound_address(libc, socket);
    if (family === null) return confined;
    libc.call("bind", [socket, family.map((byte, at) => at < 2 ? byte : 0), family.length]);
    const bound = bound_address(libc, socket);
    const address = bound === null ? null : parse_address(bound);
    if (address?.kind !== "ipv4" && address?.kind !== "ipv6") return confined;
    const { host, port } = address;
    if (this.#kept.has(port) || !confined) return this.#kept.has(port);
    const v6_only = is_v6_only(libc, socket);
    const servers = this.#kernel.tcp(port);
    return servers === null ||
      this.#others(servers).some((server) => overlap(server, { host, v6_only }));
  }

  #others<T extends { readonly identity: string }>(servers: readonly T[]): readonly T[] {
    return servers.filter(({ identity }) => !this.#own.has(identity));
  }

  #judge(servers: readonly { readonly identity: string }[]): Listens {
    if (servers.length === 0) return "nobody";
    return servers.every(({ identity }) => this.#own.has(identity)) ? "own" : "foreign";
  }
}

type ListenAddress = Pick<TcpServer, "host" | "v6_only">;

/** Whether some connection would suit both. */
function overlap(one: ListenAddress, other: ListenAddress): boolean {
  const [a, b] = [unmapped(one.host), unmapped(other.host)];
  return covers({ ...one, host: a }, b) || covers({ ...other, host: b }, a) || same_bytes(a, b);
}

/** An "any" address and another one. */
function covers({ host, v6_only }: ListenAddress, other: readonly number[]): boolean {
  return is_any(host) && (host.length === other.length || (host.length === 16 && !v6_only));
}
