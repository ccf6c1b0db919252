import assert from "node:assert/strict";
import {
  is_loopback_address,
  is_resolver,
  parse_address,
  shown_address,
  with_loopback,
} from "./socket_address.ts";

/** `struct sockaddr_in`, port 80. */
const v4 = (...host: number[]) => Uint8Array.of(2, 0, 0, 80, ...host, ...Array(8).fill(0));
/** `struct sockaddr_in6`, port 80, of the last bytes of a host. */
const v6 = (...end: number[]) =>
  Uint8Array.of(10, 0, 0, 80, 0, 0, 0, 0, ...Array(16 - end.length).fill(0), ...end, 0, 0, 0, 0);
const unix = (name: string) => Uint8Array.of(1, 0, ...new TextEncoder().encode(name));

function is_loopback(bytes: Uint8Array<ArrayBuffer>): boolean {
  const address = parse_address(bytes);
  return (address.kind === "ipv4" || address.kind === "ipv6") && is_loopback_address(address);
}

Deno.test("what stays on this machine, in either dress", () => {
  for (const bytes of [v4(127, 0, 0, 1), v4(127, 9, 9, 9), v4(0, 0, 0, 0), v6(1), v6()]) {
    assert.ok(is_loopback(bytes), shown_address(parse_address(bytes)));
  }
  assert.ok(is_loopback(v6(255, 255, 127, 0, 0, 1)) && is_loopback(v6(255, 255, 0, 0, 0, 0)));
  for (
    const bytes of [v4(10, 0, 0, 1), v4(128, 0, 0, 1), v4(0, 0, 0, 1), v6(2), v6(127, 0, 0, 1)]
  ) {
    assert.ok(!is_loopback(bytes), shown_address(parse_address(bytes)));
  }
  assert.ok(!is_loopback(v6(255, 255, 10, 0, 0, 1)));
});

Deno.test("any address becomes the loopback one, and nothing else changes", () => {
  assert.deepEqual(with_loopback(v4(0, 0, 0, 0)), v4(127, 0, 0, 1));
  assert.deepEqual(with_loopback(v6()), v6(1));
  assert.deepEqual(with_loopback(v6(255, 255, 0, 0, 0, 0)), v6(255, 255, 127, 0, 0, 1));
  for (const bytes of [v4(127, 0, 0, 2), v4(10, 0, 0, 1), v6(1), v6(2), unix("/s"), unix("\0s")]) {
    assert.deepEqual(with_loopback(bytes), bytes);
  }
});

Deno.test("what is too short, or of another family, is unknown", () => {
  for (
    const bytes of [
      new Uint8Array(),
      Uint8Array.of(2),
      v4(127, 0, 0, 1).slice(0, 7),
      v6(1).slice(0, 23),
    ]
  ) {
    assert.equal(parse_address(bytes).kind, "unknown");
    assert.deepEqual(with_loopback(bytes), bytes);
  }
  assert.equal(parse_address(Uint8Array.of(16, 0, 0, 0)).kind, "unknown");
  assert.equal(parse_address(unix("")).kind, "unknown");
  assert.equal(parse_address(Uint8Array.of(0, 0)).kind, "none");
});

Deno.test("names of unix sockets, and how they are shown", () => {
  const shown = (name: string) => shown_address(parse_address(unix(name)));
  assert.equal(shown("/run/s\0rest"), "/run/s");
  assert.equal(shown("\0name"), "@name");
  assert.equal(shown("/a\x1b[2J\nb\u2028c\u202ed"), "/a\ufffd[2J\ufffdb\ufffdc\ufffdd");
  assert.equal(shown_address(parse_address(v6(1))), "[::1]:80");
  assert.equal(shown_address(parse_address(v6(255, 255, 127, 0, 0, 1))), "127.0.0.1:80");
});

Deno.test("where the C library looks names up, and sockets that only look like it", () => {
  const resolvers = ["/run/nscd/socket", "/var/run/nscd/socket", "/run/avahi-daemon/socket"];
  for (const path of [...resolvers, "/run/systemd/resolve/io.systemd.Resolve"]) {
    assert.ok(is_resolver(path), path);
  }
  for (const path of ["/run/docker.sock", "/tmp/run/nscd/socket", "/run/nscd/socket2"]) {
    assert.ok(!is_resolver(path), path);
  }
});
