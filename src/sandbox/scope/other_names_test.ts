import assert from "node:assert/strict";
import { mounts_of, paths_on_other_mounts } from "./other_names.ts";

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
  paths_on_other_mounts(path, { mounts: MOUNTS, is_same: () => is_same });

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
  assert.deepEqual([...mounts_of("")], []);
  assert.deepEqual(paths_on_other_mounts("/x", { mounts: new Map(), is_same: () => true }), []);
});

Deno.test("what lies under a later mount is not where a path leads", () => {
  const mounts = mounts_of(
    `27 1 254:0 / / rw - ext4 /dev/vda rw
40 27 254:1 / /home/u rw - ext4 /dev/vdb rw
41 27 254:2 / /home rw - ext4 /dev/vdc rw
42 27 254:2 / /media/c rw - ext4 /dev/vdc rw
43 40 254:3 / /home/u/deep rw - ext4 /dev/vdd rw
44 41 254:4 / /home/on rw - ext4 /dev/vde rw
45 44 254:5 / /home/on rw - ext4 /dev/vdf rw
`,
  );
  assert.deepEqual([...mounts.keys()], ["/", "/home", "/media/c", "/home/on"]);
  assert.equal(mounts.get("/home/on")?.device, "254:5");
  assert.deepEqual(paths_on_other_mounts("/home/u/.ssh", { mounts, is_same: () => true }), [
    "/media/c/u/.ssh",
  ]);
});

Deno.test("the layers of an overlay are known, with colons and commas in their names", () => {
  const line = "48 45 0:40 / /m rw - overlay overlay " +
    String.raw`rw,lowerdir=/a\134:b:/c\054d:relative,upperdir=/up,workdir=/w,uuid=on`;
  assert.deepEqual(mounts_of(line).get("/m")?.layers, ["/a:b", "/c,d", "/up"]);
});
