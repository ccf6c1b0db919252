import assert from "node:assert/strict";
import { buffer_of, type Libc, linux_libc } from "../kernel/libc.ts";
import { open_mute_socket } from "./mute_socket.ts";
import { bound_address, keep_to_loopback, set_number, SOCK_DGRAM } from "./socket_options.ts";

const SOL_SOCKET = 1, SO_DETACH_FILTER = 27, SO_LOCK_FILTER = 44, SO_ATTACH_FILTER = 26;
const AF_INET = 2, AF_INET6 = 10, SOCK_CLOEXEC = 0x80000;
const MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000;
const EPERM = 1, EAGAIN = 11, EPIPE = 32;
const FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL;
const libc = linux_libc();

/** Errors of what was tried, by its name; 0 where it was done. */
function tries(libc: Libc, socket: number, to: Uint8Array<ArrayBuffer>) {
  const errno = (result: number) => result < 0 ? libc.errno() : 0;
  const keep_all = buffer_of(16);
  const view = new DataView(keep_all.buffer);
  view.setUint16(0, 1, true);
  const program = buffer_of(8);
  program.set([0x06, 0, 0, 0, 255, 255, 255, 0]);
  view.setBigUint64(8, libc.address(program), true);
  return {
    attach: errno(libc.call("setsockopt", [socket, SOL_SOCKET, SO_ATTACH_FILTER, keep_all, 16])),
    detach: set_number(libc, socket, [SOL_SOCKET, SO_DETACH_FILTER, 0]) ? 0 : libc.errno(),
    unlock: set_number(libc, socket, [SOL_SOCKET, SO_LOCK_FILTER, 0]) ? 0 : libc.errno(),
    send: errno(libc.call("sendto", [socket, buffer_of(1), 1, FLAGS, to, to.length])),
    receive: errno(libc.call("recvfrom", [socket, buffer_of(9), 9, MSG_DONTWAIT, 0, 0])),
  };
}

/** A loopback address without a port. */
function loopback(family: number): Uint8Array<ArrayBuffer> {
  const address = buffer_of(family === AF_INET ? 16 : 28);
  address[0] = family;
  if (family === AF_INET) address.set([127, 0, 0, 1], 4);
  else address[23] = 1;
  return address;
}

function bind(libc: Libc, socket: number, family: number): boolean {
  const address = loopback(family);
  return libc.call("bind", [socket, address, address.length]) === 0;
}

/** Whether this machine has the address, and lets a socket be held to a device (Linux 5.7). */
function able(family: number): boolean {
  if (libc === null) return false;
  const socket = libc.call("socket", [family, SOCK_DGRAM | SOCK_CLOEXEC, 0]);
  try {
    return socket >= 0 && keep_to_loopback(libc, socket) && bind(libc, socket, family);
  } finally {
    libc.call("close", [socket]);
  }
}

for (const [name, family] of [["IPv4", AF_INET], ["IPv6", AF_INET6]] as const) {
  Deno.test({
    name: `a mute socket of ${name} has a port, and neither sends nor receives for good`,
    ignore: !able(family),
    fn: () => {
      assert.ok(libc);
      const mute = open_mute_socket(libc, family);
      const plain = libc.call("socket", [family, SOCK_DGRAM | SOCK_CLOEXEC, 0]);
      assert.ok(mute !== null && plain >= 0);
      try {
        assert.ok(bind(libc, mute, family) && bind(libc, plain, family));
        const [of_mute, of_plain] = [bound_address(libc, mute), bound_address(libc, plain)];
        assert.ok(of_mute && of_plain);
        const send = (to: Uint8Array<ArrayBuffer>) =>
          libc.call("sendto", [plain, buffer_of(1), 1, FLAGS, to, to.length]);
        assert.equal(send(of_mute), 1);
        const refused = { attach: EPERM, detach: EPERM, unlock: EPERM, send: EPIPE };
        assert.deepEqual(tries(libc, mute, of_plain), { ...refused, receive: EAGAIN });
        // Another one gets what it is sent, so that the sandbox is what refused.
        assert.equal(send(of_plain), 1);
        assert.equal(tries(libc, plain, of_plain).receive, 0);
      } finally {
        for (const socket of [mute, plain]) libc.call("close", [socket]);
      }
    },
  });
}
