import assert from "node:assert/strict";
import { client_for } from "./ca_file.ts";

Deno.test("client_for() makes one client a file, and says in words what is wrong with one", () => {
  const folder = Deno.makeTempDirSync();
  const ca = new URL("../../../tests/support/tls/ca.pem", import.meta.url);
  Deno.copyFileSync(ca, `${folder}/ca.pem`);
  Deno.writeTextFileSync(`${folder}/junk.pem`, "-----BEGIN PRIVATE KEY-----\n");
  const env = (name: string) =>
    ({ HOME: folder, SSL_CERT_FILE: "~/junk.pem" } as Record<string, string>)[name];
  try {
    const client = client_for("~/ca.pem", env);
    assert.ok(typeof client !== "string", String(client));
    assert.equal(client_for(`${folder}/ca.pem`, env), client);
    client.close();
    const cases: readonly (readonly [string, RegExp])[] = [
      ["", /^SSL_CERT_FILE ~\/junk\.pem: no certificate in it/],
      ["~/gone.pem", /^--ca-file \(provider\.ca_file\) ~\/gone\.pem: can't be read: no such file/],
      ["/dev/zero", /^--ca-file \(provider\.ca_file\) \/dev\/zero: larger than 64 MiB$/],
    ];
    for (const [given, words] of cases) assert.match(String(client_for(given, env)), words);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
