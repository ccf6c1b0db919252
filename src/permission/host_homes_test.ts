import assert from "node:assert/strict";
import { host_homes } from "./host_homes.ts";

/** As WSL 2, an older one, WSL 1 and virtiofs have it; then what is no drive of Windows. */
const MOUNTS = (top: string) =>
  `80 75 0:54 / ${top}/mnt/c rw,noatime shared:9 - 9p C:\\134 rw,aname=drvfs;path=C:\\;uid=1000,trans=fd
81 75 0:55 / ${top}/my\\040d rw - 9p drvfs rw,trans=fd
82 75 0:56 / ${top}/e rw - drvfs E: rw
83 75 0:57 / ${top}/f rw - virtiofs drvfsaF rw
84 75 0:58 / ${top}/mnt/wsl rw - tmpfs none rw
85 75 0:59 / ${top}/mnt/share rw - 9p host rw,aname=share
`;

Deno.test({
  name: "homes of Windows below WSL and of a Mac are known, and no others",
  ignore: Deno.build.os !== "linux",
  fn() {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      for (const drive of ["mnt/c", "my d", "e", "f", "mnt/wsl", "mnt/share"]) {
        for (const name of ["me", "All Users", "Public"]) {
          Deno.mkdirSync(`${top}/${drive}/Users/${name}`, { recursive: true });
        }
        Deno.writeTextFileSync(`${top}/${drive}/Users/desktop.ini`, "");
      }
      Deno.mkdirSync(`${top}/Users/J Doe`, { recursive: true });
      Deno.mkdirSync(`${top}/Users/Shared`);
      const found = host_homes(`${top}/`, MOUNTS(top));
      assert.deepEqual(
        found,
        ["mnt/c/Users/me", "my d/Users/me", "e/Users/me", "f/Users/me", "Users/J Doe"]
          .map((home) => `${top}/${home}`),
      );
      assert.deepEqual(host_homes(`${top}/e/`, ""), [`${top}/e/Users/me`]);
      assert.deepEqual(host_homes(`${top}/none/`, ""), []);
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  },
});
