/**
 * Whose the servers on this machine are. What is found by its port alone would be sent the task, the files that are read, and the key
 * it asks for, and it says which commands are run: no other user of the machine may be found so, nor what a command of another run has
 * started. Loaded where somebody listens.
 */
import { text_of } from "../../permission/paths.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { SocketDiag } from "../../sandbox/supervisor/socket_diag.ts";

/** The kernel's lists (proc_pid_net(5)); without them nothing is known. */
const LISTS = ["/proc/net/tcp", "/proc/net/tcp6"];
const LISTENS = "0A";
/** 127.0.0.1, alone or as an IPv6 address, and every address: as the lists have them. */
const HERE = /^(?:0{16}F{4}0000)?0100007F$/;
const ANYWHERE = /^0+$/;

/** The loopback device's number, to which the sandbox binds every server of a run (`keep_to_loopback`), and hardly anybody else. */
const LOOPBACK = 1;

/** People (login.defs(5), systemd's `UIDS-GIDS`): below are services, between are services that get one when they start, and nobody. */
const FIRST_PERSON = 1000, FIRST_DYNAMIC = 61_184, PERSONS_AGAIN = 65_536;

/** Of these ports, those on which another person's program answers to 127.0.0.1, or one of a run. */
export function strangers_ports(ports: readonly number[]): readonly number[] {
  const listeners = LISTS.flatMap((file) => listeners_in(text_of(file)));
  const libc = linux_libc();
  const asked = libc === null ? null : new SocketDiag(libc);
  const found = ports.filter((port) => {
    if (asked?.tcp(port)?.some(({ device }) => device === LOOPBACK)) return true;
    const at = listeners.filter((one) => one.port === port);
    const nearest = at.filter(({ host }) => HERE.test(host));
    const answering = nearest.length > 0 ? nearest : at.filter(({ host }) => ANYWHERE.test(host));
    return answering.some(({ uid }) => is_stranger(uid));
  });
  asked?.close();
  return found;
}

interface PortHolder {
  readonly host: string;
  readonly port: number;
  readonly uid: number;
}

function listeners_in(list: string): PortHolder[] {
  return list.split("\n").slice(1).flatMap((row) => {
    const [, address = "", , state, , , , uid] = row.trim().split(/\s+/);
    const [host = "", port = ""] = address.split(":");
    return state === LISTENS ? [{ host, port: parseInt(port, 16), uid: Number(uid) }] : [];
  });
}

function is_stranger(uid: number): boolean {
  const is_person = (uid >= FIRST_PERSON && uid < FIRST_DYNAMIC) || uid >= PERSONS_AGAIN;
  return is_person && uid !== Deno.uid() && String(uid) !== Deno.env.get("SUDO_UID");
}
