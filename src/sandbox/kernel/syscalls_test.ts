import assert from "node:assert/strict";
import { type Arch, SYSCALL_NAMES, syscall_number } from "./syscalls.ts";

/** Where Debian and Fedora keep the kernel's headers. Older ones lack the newest calls. */
const HEADERS: Readonly<Record<Arch, readonly string[]>> = {
  x86_64: ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
  aarch64: ["/usr/include/asm-generic/unistd.h"],
};

function first_text(paths: readonly string[]): string | null {
  for (const path of paths) {
    try {
      return Deno.readTextFileSync(path);
    } catch {
      // Not here: the next, or none.
    }
  }
  return null;
}

for (const arch of ["x86_64", "aarch64"] as const) {
  const header = first_text(HEADERS[arch]);
  Deno.test({
    name: `the numbers for ${arch} are those of the kernel's header`,
    ignore: header === null,
    fn: () => {
      const known = new Map<string, number>();
      for (
        const [, name, number] of header!.matchAll(/#define __NR(?:3264)?_(\w+)[ \t]+(\d+)\s/g)
      ) {
        known.set(name!, Number(number));
      }
      let compared = 0;
      for (const name of SYSCALL_NAMES) {
        const number = syscall_number(name, arch);
        if (!known.has(name)) {
          // Newer than the header (Linux 6.0 ends at 450), or not of this architecture.
          assert.ok(number === null || number > 450, `${name} ${number}`);
          continue;
        }
        assert.equal(number, known.get(name), name);
        compared++;
      }
      assert.ok(compared > 80, `only ${compared} compared`);
    },
  });
}
