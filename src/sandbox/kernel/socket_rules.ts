/** Filter rules for sockets: which kinds are allowed, and who connects them. */
import type { Condition, FilterRule } from "./filter.ts";
import type { Policy } from "../policy.ts";
import type { Syscall } from "./syscalls.ts";

/** Constants of the kernel's interface, each from the header named. */
const AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16; // linux/socket.h
const SOCK_STREAM = 1, SOCK_DGRAM = 2, SOCK_SEQPACKET = 5, SOCK_TYPE_MASK = 0xf; // linux/net.h
const NETLINK_ROUTE = 0; // linux/netlink.h
const MSG_FASTOPEN = 0x20000000; // linux/socket.h
const IPPROTO_IP = 0, IPPROTO_TCP = 6, IPPROTO_UDP = 17, IPPROTO_IPV6 = 41; // linux/in.h
const SOL_SOCKET = 1, SO_REUSEADDR = 2, SO_REUSEPORT = 15; // asm-generic/socket.h
const TCP_FASTOPEN_CONNECT = 30, IP_OPTIONS = 4; // linux/tcp.h, linux/in.h
const IPV6_RTHDR = 57, IPV6_2292PKTOPTIONS = 6; // linux/in6.h
/** IP_ADD_MEMBERSHIP to IP_MSFILTER, IPV6_JOIN_GROUP, IPV6_JOIN_ANYCAST, MCAST_JOIN_GROUP to MCAST_MSFILTER; not those that leave (linux/in.h). */
const JOINING = {
  ip: [35, 37, 38, 39, 41, 42, 43, 44, 46, 48],
  ipv6: [20, 27, 42, 43, 44, 46, 48],
};

/** Whether someone answers what is asked, and can have a copy of a program's socket; if not, it makes the sockets itself. */
interface Supervision {
  readonly supervised: boolean;
  readonly takes_sockets: boolean;
}

/** Of a policy's network. */
export function socket_rules(
  net: Policy["net"],
  { supervised, takes_sockets }: Supervision,
): FilterRule[] {
  const made: FilterRule["then"] = supervised && !takes_sockets ? "ask" : "allow";
  const own = net === "own" || net === "loopback";
  // Never a unix datagram socket (SOCK_RAW makes one, too), not even a pair: each of its messages can carry the
  // address of any server's socket on this machine.
  const pair: FilterRule[] = [
    allow("socketpair", [family(AF_UNIX), type(SOCK_STREAM)]),
    allow("socketpair", [family(AF_UNIX), type(SOCK_SEQPACKET)]),
    { calls: ["socketpair"], when: [family(AF_UNIX)], then: "EACCES" },
    { calls: ["socketpair"], then: "EAFNOSUPPORT" },
  ];
  return [
    ...pair,
    // connect() gets its address in memory, so a filter can't tell a web server from docker.sock, tmux or ssh-agent, each of
    // which would run commands outside. Where nobody looks at it for the filter, there is no unix socket beside TCP.
    ...(supervised || net !== "all" ? unix_rules(made) : []),
    ...(net === "all"
      ? inet_rules()
      : own && supervised
      ? [...tcp_rules(made), ...udp_rules()]
      : []),
    // EACCES makes programs say "Permission denied".
    ...[AF_UNIX, AF_INET, AF_INET6].map((is) => refuse("socket", [family(is)], "EACCES")),
    { calls: ["socket"], then: "EAFNOSUPPORT" },
    // Before a port is taken the supervisor closes its copies of sockets that programs have closed.
    ...(made === "ask" ? [{ calls: ["bind"], then: "ask" } as const] : []),
    ...(supervised ? [{ calls: ["connect", "listen"], then: "ask" } as const] : net === "all"
      ? []
      // Only unix sockets are left to connect, and a server behind one is a way out.
      : [refuse("connect", [], "EACCES")]),
    ...(net === "all" ? [] : address_rules()),
  ];
}

function unix_rules(then: FilterRule["then"]): FilterRule[] {
  return [SOCK_STREAM, SOCK_SEQPACKET].map((is) => ({
    calls: ["socket"],
    when: [family(AF_UNIX), type(is)],
    then,
  }));
}

function inet_rules(): FilterRule[] {
  return [
    allow("socket", [family(AF_INET)]),
    allow("socket", [family(AF_INET6)]),
    interfaces_rule(),
  ];
}

/** Which addresses and routes there are, as in /proc/net: development servers show theirs. Changing them needs CAP_NET_ADMIN. */
function interfaces_rule(): FilterRule {
  return allow("socket", [family(AF_NETLINK), { kind: "low", arg: 2, is: NETLINK_ROUTE }]);
}

/** TCP proper. Multipath TCP would bring more addresses along; programs that try it first fall back on this answer. */
function tcp_rules(then: FilterRule["then"]): FilterRule[] {
  const made = (is: number, protocol: number): FilterRule => ({
    calls: ["socket"],
    when: [family(is), type(SOCK_STREAM), { kind: "low", arg: 2, is: protocol }],
    then,
  });
  return [interfaces_rule()].concat([AF_INET, AF_INET6].flatMap((is) => [
    made(is, 0),
    made(is, IPPROTO_TCP),
    refuse("socket", [family(is), type(SOCK_STREAM)], "EPROTONOSUPPORT"),
  ]));
}

/** The JDK, `ifconfig` and Python's servers ask a UDP socket for interfaces: they get a mute one. Resolvers set SOCK_NONBLOCK and are refused. */
function udp_rules(): FilterRule[] {
  const low = (arg: number, is: number): Condition => ({ kind: "low", arg, is });
  const sockets = [AF_INET, AF_INET6].flatMap((is) =>
    [0, IPPROTO_UDP].map((protocol): FilterRule => ({
      calls: ["socket"],
      when: [family(is), type(SOCK_DGRAM), low(2, protocol)],
      then: "ask",
    }))
  );
  // On a port that another program shares, it would take datagrams away from it.
  const shared = [SO_REUSEADDR, SO_REUSEPORT].map((name): FilterRule => ({
    calls: ["setsockopt"],
    when: [low(1, SOL_SOCKET), low(2, name)],
    then: "ask",
  }));
  return [...sockets, ...shared];
}

/** Ways to name an address without connect(), or to lead a connection to another one than it names. */
function address_rules(): FilterRule[] {
  const option = (level: number, name: number) =>
    refuse(
      "setsockopt",
      [{ kind: "low", arg: 1, is: level }, { kind: "low", arg: 2, is: name }],
      "ENOPROTOOPT",
    );
  const fast = (arg: number): Condition => ({ kind: "any_bit", arg, mask: MSG_FASTOPEN });
  return [
    refuse("sendto", [fast(3)], "EACCES"),
    refuse("sendmsg", [fast(2)], "EACCES"),
    refuse("sendmmsg", [fast(3)], "EACCES"),
    option(IPPROTO_TCP, TCP_FASTOPEN_CONNECT),
    // Source routes: the packets go to the first stop, whatever the address says.
    option(IPPROTO_IP, IP_OPTIONS),
    option(IPPROTO_IPV6, IPV6_RTHDR),
    option(IPPROTO_IPV6, IPV6_2292PKTOPTIONS),
    // Who joins a group tells the network, on a TCP socket as well: a packet, in which an address of its own choosing stands.
    ...JOINING.ip.map((name) => option(IPPROTO_IP, name)),
    ...JOINING.ipv6.map((name) => option(IPPROTO_IPV6, name)),
  ];
}

function family(is: number): Condition {
  return { kind: "low", arg: 0, is };
}

function type(is: number): Condition {
  return { kind: "low", arg: 1, mask: SOCK_TYPE_MASK, is };
}

function allow(call: Syscall, when: readonly Condition[]): FilterRule {
  return { calls: [call], when, then: "allow" };
}

function refuse(call: Syscall, when: readonly Condition[], then: FilterRule["then"]): FilterRule {
  return when.length === 0 ? { calls: [call], then } : { calls: [call], when, then };
}
