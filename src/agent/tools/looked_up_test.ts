import assert from "node:assert/strict";
import { looked_up } from "./web_fetch_run.ts";

/** A name that leads to an address: what `web_fetch` makes of it where these are named. */
async function led(url: string, to: string, web: readonly string[], more = {}) {
  let asked = 0;
  const found = await looked_up(
    new URL(url),
    { net: "own", web, is_proxied: () => false, ...more },
    ({ hostname, port }) => {
      asked++;
      assert.equal(`${hostname}:${port}`, "docs.example:8080");
      const remoteAddr = { transport: "tcp", hostname: to, port };
      return Promise.resolve({ remoteAddr, close: () => {} } as Deno.TcpConn);
    },
  );
  if (found.kind === "refused") return found.at.host;
  assert.equal(found.at?.pathname, asked === 0 ? undefined : "/a");
  return asked === 0 ? "as usual" : "there";
}

Deno.test("a name that leads to this machine's own servers is asked where these are allowed, too", async () => {
  const url = "http://docs.example:8080/a";
  const named = ["docs.example"];
  const own: readonly (readonly [to: string, host: string])[] = [
    ["127.0.0.1", "127.0.0.1:8080"],
    ["127.9.9.9", "127.9.9.9:8080"],
    ["0.0.0.0", "0.0.0.0:8080"],
    ["::1", "[::1]:8080"],
    ["::ffff:127.0.0.1", "[::ffff:7f00:1]:8080"],
    // What a cloud tells its machines, keys included.
    ["169.254.169.254", "169.254.169.254:8080"],
    ["100.100.100.200", "100.100.100.200:8080"],
    ["::ffff:169.254.169.254", "[::ffff:a9fe:a9fe]:8080"],
    ["::ffff:168.63.129.16", "[::ffff:a83f:8110]:8080"],
    ["::ffff:100.100.100.200", "[::ffff:6464:64c8]:8080"],
    ["::ffff:192.0.0.192", "[::ffff:c000:c0]:8080"],
    ["fd00:ec2::254", "[fd00:ec2::254]:8080"],
    ["fd00:c1::a9fe:a9fe", "[fd00:c1::a9fe:a9fe]:8080"],
    ["fd20:ce::254", "[fd20:ce::254]:8080"],
    ["fd00:42::42", "[fd00:42::42]:8080"],
    ["fe80::1%2", "[fe80::1]:8080"],
  ];
  for (const [to, host] of own) {
    assert.equal(await led(url, to, named), host);
    assert.equal(await led(url, to, [...named, host]), "there");
  }
  assert.equal(await led(url, "127.0.0.1", named, { net: "loopback" }), "there");
  assert.equal(await led(url, "169.254.169.254", named, { net: "loopback" }), own[5]![1]);
});

Deno.test("names of the web, and of a network around this machine, are asked at the address that was looked at", async () => {
  for (
    const to of [
      "93.184.216.34",
      "10.1.2.3",
      "192.168.1.1",
      "2606:2800::1",
      "fd12::1",
      "::ffff:10.1.2.3",
    ]
  ) {
    assert.equal(await led("http://docs.example:8080/a", to, ["docs.example"]), "there");
  }
});

Deno.test("what nobody can lead elsewhere is not looked up", async () => {
  const named = ["docs.example", "localhost:8080", "127.0.0.1", "[::1]"];
  const urls = [
    "https://docs.example:8080",
    "http://localhost:8080",
    "http://127.0.0.1",
    "http://[::1]",
  ];
  for (const url of urls) assert.equal(await led(url, "127.0.0.1", named), "as usual");
  const url = "http://docs.example:8080";
  assert.equal(await led(url, "127.0.0.1", named, { net: "all" }), "as usual");
  assert.equal(await led(url, "127.0.0.1", named, { is_proxied: () => true }), "as usual");
});
