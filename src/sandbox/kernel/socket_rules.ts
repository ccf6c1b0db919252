/** Filter rules for sockets: which kinds are allowed, and who connects them. */
import {
  any_bit,
  type Condition,
  type FilterRule,
  low,
  on_call,
  type SyscallAction,
} from "./filter.ts";
import type { Policy } from "../policy.ts";

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

export function socket_rules(
  net: Policy["net"],
  { supervised, takes_sockets }: Supervision,
): FilterRule[] {
  const made: SyscallAction = supervised && !takes_sockets ? "ask" : "allow";
  const own = net === "own" || net === "loopback";
  return [
    // Never a unix datagram socket (SOCK_RAW makes one, too), not even a pair: each of its messages can carry the
    // address of any server's socket on this machine.
    on_call("socketpair", "allow", family(AF_UNIX), type(SOCK_STREAM)),
    on_call("socketpair", "allow", family(AF_UNIX), type(SOCK_SEQPACKET)),
    on_call("socketpair", "EACCES", family(AF_UNIX)),
    on_call("socketpair", "EAFNOSUPPORT"),
    // connect() gets its address in memory, so a filter can't tell a web server from docker.sock, tmux or ssh-agent, each of
    // which would run commands outside. Where nobody looks at it for the filter, there is no unix socket beside TCP.
    ...(supervised || net !== "all"
      ? [SOCK_STREAM, SOCK_SEQPACKET].map((is) =>
        on_call("socket", made, family(AF_UNIX), type(is))
      )
      : []),
    ...(net === "all"
      ? [AF_INET, AF_INET6].map((is) => on_call("socket", "allow", family(is)))
      : own && supervised
      ? [...tcp_rules(made), ...udp_rules()]
      : []),
    // Which addresses and routes there are, as in /proc/net: development servers show theirs. Changing them needs CAP_NET_ADMIN.
    ...(net === "all" || (own && supervised)
      ? [on_call("socket", "allow", family(AF_NETLINK), low(2, NETLINK_ROUTE))]
      : []),
    // EACCES makes programs say "Permission denied".
    ...[AF_UNIX, AF_INET, AF_INET6].map((is) => on_call("socket", "EACCES", family(is))),
    on_call("socket", "EAFNOSUPPORT"),
    // Before a port is taken the supervisor closes its copies of sockets that programs have closed.
    ...(made === "ask" ? [on_call("bind", "ask")] : []),
    ...(supervised ? [on_call(["connect", "listen"], "ask")] : net === "all"
      ? []
      // Only unix sockets are left to connect, and a server behind one is a way out.
      : [on_call("connect", "EACCES")]),
    ...(net === "all" ? [] : address_rules()),
  ];
}

/** TCP proper. Multipath TCP would bring more addresses along; programs that try it first fall back on this answer. */
function tcp_rules(then: SyscallAction): FilterRule[] {
  return [AF_INET, AF_INET6].flatMap((is) => [
    ...[0, IPPROTO_TCP].map((protocol) =>
      on_call("socket", then, family(is), type(SOCK_STREAM), low(2, protocol))
    ),
    on_call("socket", "EPROTONOSUPPORT", family(is), type(SOCK_STREAM)),
  ]);
}

/** The JDK, `ifconfig` and Python's servers ask a UDP socket for interfaces: they get a mute one. Resolvers set SOCK_NONBLOCK and are refused. */
function udp_rules(): FilterRule[] {
  return [
    ...[AF_INET, AF_INET6].flatMap((is) =>
      [0, IPPROTO_UDP].map((protocol) =>
        on_call("socket", "ask", family(is), type(SOCK_DGRAM), low(2, protocol))
      )
    ),
    // On a port that another program shares, it would take datagrams away from it.
    ...[SO_REUSEADDR, SO_REUSEPORT].map((name) => option("ask", SOL_SOCKET, name)),
  ];
}

/** Ways to name an address without connect(), or to lead a connection to another one than it names. */
function address_rules(): FilterRule[] {
  const no_option = (level: number, name: number) => option("ENOPROTOOPT", level, name);
  return [
    on_call("sendto", "EACCES", any_bit(3, MSG_FASTOPEN)),
    on_call("sendmsg", "EACCES", any_bit(2, MSG_FASTOPEN)),
    on_call("sendmmsg", "EACCES", any_bit(3, MSG_FASTOPEN)),
    no_option(IPPROTO_TCP, TCP_FASTOPEN_CONNECT),
    // Source routes: the packets go to the first stop, whatever the address says.
    no_option(IPPROTO_IP, IP_OPTIONS),
    no_option(IPPROTO_IPV6, IPV6_RTHDR),
    no_option(IPPROTO_IPV6, IPV6_2292PKTOPTIONS),
    // Joining a group tells the network, even on a TCP socket: in a packet, with an address of one's own choosing.
    ...JOINING.ip.map((name) => no_option(IPPROTO_IP, name)),
    ...JOINING.ipv6.map((name) => no_option(IPPROTO_IPV6, name)),
  ];
}

function option(then: SyscallAction, level: number, name: number): FilterRule {
  return on_call("setsockopt", then, low(1, level), low(2, name));
}

function family(is: number): Condition {
  return low(0, is);
}

function type(is: number): Condition {
  return low(1, is, SOCK_TYPE_MASK);
}
