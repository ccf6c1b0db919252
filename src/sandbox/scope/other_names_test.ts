import assert from "node:assert/strict";
import { elsewhere, mounts_of } from "./other_names.ts";

const MOUNTS = mounts_of(
  `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 254:0 / /mnt/wslg/distro ro,relatime - ext4 /dev/vda rw
31 27 254:0 /home /srv/with\\040space rw - ext4 /dev/vda rw
32 27 254:0 /home/u/.ssh/part /part rw shared:1 - ext4 /dev/vda rw
33 27 254:1 / /data rw - ext4 /dev/vdb rw
34 27 254:1 /deep /home/u/data rw - ext4 /dev/vdb rw
`,
);
const found = (path: string, is_same = true) =>
  elsewhere(path, { mounts: MOUNTS, is_same: () => is_same });

Deno.test("a path is found below every other mount of its file system", () => {
  assert.deepEqual(found("/home/u/.ssh"), [
    "/mnt/wslg/distro/home/u/.ssh",
    "/srv/with space/u/.ssh",
    "/part",
  ]);
  assert.deepEqual(found("/home/u/data/key"), ["/data/deep/key"]);
  assert.deepEqual(found("/data/deep"), ["/home/u/data"]);
  assert.deepEqual(found("/etc/key"), ["/mnt/wslg/distro/etc/key"]);
});

Deno.test("a name under which something else lies is none", () => {
  assert.deepEqual(found("/etc/key", false), []);
  assert.deepEqual(found("/home/u/.ssh", false), ["/part"]);
});

Deno.test("what is not a list of mounts has no mounts", () => {
  assert.deepEqual(mounts_of(""), []);
  assert.deepEqual(elsewhere("/x", { mounts: [], is_same: () => true }), []);
});
