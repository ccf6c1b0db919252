/**
 * Whose the servers on this machine are. What is found by its port alone would be sent the task, the files that are read, and the key
 * it asks for, and it says which commands are run: no other user of the machine may be found so, nor what a command of another run has
 * started. Loaded where somebody listens.
 */
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { tcp_servers } from "../../sandbox/supervisor/proc_net.ts";
import { is_any, unmapped } from "../../sandbox/supervisor/socket_address.ts";
import { SocketDiag } from "../../sandbox/supervisor/socket_diag.ts";

/** The loopback device's number, to which the sandbox binds every server of a run (`keep_to_loopback`), and hardly anyone else does. */
const LOOPBACK = 1;

/** People (login.defs(5), systemd's `UIDS-GIDS`): below are services, between are services that get one when they start, and nobody. */
const FIRST_PERSON = 1000, FIRST_DYNAMIC = 61_184, PERSONS_AGAIN = 65_536;

/** Which of `ports` are answered at 127.0.0.1, or `anywhere` on this machine, by a program of another person, or of a run. None where the kernel does not tell. */
export function strangers_ports(
  ports: readonly number[],
  { anywhere = false } = {},
): readonly number[] {
  const libc = linux_libc();
  if (libc === null) return [];
  const asked = new SocketDiag(libc);
  const found = ports.filter((port) => {
    const servers = asked.tcp(port) ?? tcp_servers(libc, port) ?? [];
    if (servers.some(({ device }) => device === LOOPBACK)) return true;
    const nearest = servers.filter(({ host }) => unmapped(host).join(".") === "127.0.0.1");
    const answering = anywhere
      ? servers
      : nearest.length > 0
      ? nearest
      : servers.filter(({ host }) => is_any(host));
    return answering.some(({ uid }) => is_stranger(uid));
  });
  asked.close();
  return found;
}

function is_stranger(uid: number): boolean {
  const is_person = (uid >= FIRST_PERSON && uid < FIRST_DYNAMIC) || uid >= PERSONS_AGAIN;
  return is_person && uid !== Deno.uid() && String(uid) !== Deno.env.get("SUDO_UID");
}
