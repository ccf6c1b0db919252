/** The commands of the table in docs/permissions.md whose programs this machine does not have: they are fetched, and tried. */
import assert from "node:assert/strict";
import { EVERYDAY } from "../support/everyday.ts";
import { absent, faults } from "../support/everyday_runs.ts";
import { debian, node_tools, skip } from "./tools.ts";

/** Packages of Debian by a program; where the name of both is the same, it is not here. */
const PACKAGES: Readonly<Record<string, string>> = {
  ctest: "cmake",
  initdb: "postgresql",
  ninja: "ninja-build",
  pg_ctl: "postgresql",
  "redis-server": "redis-server",
  "ssh-keygen": "openssh-client",
  javac: "default-jdk-headless",
  mvn: "maven",
  pytest: "python3-pytest",
  pip: "python3-pip",
};

Deno.test({
  name: "the everyday commands whose programs were not there do what the table says, too",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const modules = await node_tools();
    const path = [
      ...modules === null ? [] : [`${modules}/.bin`],
      Deno.env.get("PATH") ?? "",
      // Debian's place for the programs of PostgreSQL.
      ...[...folders("/usr/lib/postgresql")].map((name) => `/usr/lib/postgresql/${name}/bin`),
    ].join(":");
    const rows = EVERYDAY.filter((row) => absent(row).length > 0);
    const got = [];
    for (const row of rows) {
      for (const name of absent(row, path)) await debian(name, PACKAGES[name] ?? name);
      const still = absent(row, path);
      if (still.length === 0) got.push(row);
      else skip(row.name, `${still.join(", ")}: not to be had`);
    }
    assert.deepEqual(await faults(got, path), []);
  },
});

function* folders(path: string): Generator<string> {
  try {
    for (const { name } of Deno.readDirSync(path)) yield name;
  } catch {
    // PostgreSQL is elsewhere, or not there.
  }
}
