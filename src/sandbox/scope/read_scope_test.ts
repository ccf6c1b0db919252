import assert from "node:assert/strict";
import { dirname } from "node:path";
import { is_readable, readable, real_of_missing } from "./read_scope.ts";
import { linux_libc } from "../kernel/libc.ts";
import { test_policy } from "../_testing.ts";
import { Listings } from "./listings.ts";

async function with_tree(work: (root: string) => void): Promise<void> {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  try {
    for (const folder of ["home/.ssh", "home/.config/gcloud", "home/.config/app", "home/docs"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${root}/home/notes`, "x");
    work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

Deno.test("what is denied is left out, with every folder on the way to it", () =>
  with_tree((root) => {
    const home = `${root}/home`;
    const policy = test_policy({ deny_read: [`${home}/.ssh`, `${home}/.config/gcloud`] });
    const found = readable(policy).paths;
    const below = found.filter((path) => path.startsWith(`${root}/`)).sort();
    assert.deepEqual(below, [`${home}/.config/app`, `${home}/docs`, `${home}/notes`]);
    assert.ok(found.includes("/usr") && found.includes("/w"));
    for (const path of ["/", dirname(root), root, home, `${home}/.config`]) {
      assert.ok(!found.includes(path), path);
    }
  }));

Deno.test("what is not there yet is denied too, so that it stays closed when it appears", () =>
  with_tree((root) => {
    const found = readable(test_policy({ deny_read: [`${root}/home/.aws/credentials`] })).paths;
    assert.ok(!found.includes(`${root}/home`));
    assert.ok(found.includes(`${root}/home/docs`));
  }));

Deno.test("a link to what is denied grants nothing, and a denied link closes what it leads to", () =>
  with_tree((root) => {
    const home = `${root}/home`;
    Deno.symlinkSync(`${home}/.ssh`, `${home}/door`);
    Deno.symlinkSync(home, `${root}/way`);
    Deno.symlinkSync(`${home}/docs`, `${home}/.gnupg`);
    const given = readable(test_policy({ deny_read: [`${root}/way/.ssh`] })).paths;
    const below = given.filter((path) => path.startsWith(`${root}/`));
    assert.ok(!below.some((path) => /door|way|\.ssh|home$/.test(path)), below.join(" "));
    const link = readable(test_policy({ deny_read: [`${home}/.gnupg`] })).paths;
    assert.ok(!link.includes(`${home}/docs`) && link.includes(`${home}/notes`));
  }));

Deno.test("with a list, that, the workspace and what programs need; what is denied stays denied", () =>
  with_tree((root) => {
    const home = `${root}/home`;
    const policy = test_policy({
      read: [home],
      deny_read: [`${home}/.ssh`],
      env: { PATH: `${home}/docs/bin:/usr/bin` },
    });
    Deno.mkdirSync(`${home}/docs/lib`);
    const found = readable(policy).paths;
    assert.ok(found.includes("/usr") && found.includes("/w"));
    assert.ok(found.includes(`${home}/docs`) && !found.includes(home) && !found.includes("/tmp"));
    const lone = readable({ ...policy, read: [`${home}/notes`] }).paths;
    assert.ok(lone.includes(`${home}/notes`) && lone.includes(`${home}/docs/lib`));
    assert.ok(!lone.includes(`${home}/docs`));
  }));

Deno.test("the tools ask the same question by name", () => {
  const policy = test_policy({ deny_read: ["/h/.ssh"], spill: "/h/.ssh/spill" });
  const may = (path: string, change = {}) => is_readable({ ...policy, ...change }, path);
  assert.ok(may("/h/x") && may("/h/.sshd") && may("/w/a") && may("/h/.ssh/spill/1"));
  assert.ok(!may("/h/.ssh") && !may("/h/.ssh/id"));
  const listed = { read: ["/h/docs"] };
  assert.ok(may("/h/docs/a", listed) && may("/usr/include/stdio.h", listed) && may("/w", listed));
  assert.ok(!may("/h/other", listed) && !may("/h/docs", { read: ["/h/docs"], deny_read: ["/h"] }));
});

Deno.test("of /dev the tools read what programs need and what the user has named", () => {
  const policy = test_policy({ write: ["/dev/ttyUSB0"] });
  const may = [
    "/dev/null",
    "/dev/shm/x",
    "/dev/ttyUSB0",
    "/dev/pts/0",
    "/dev/tty1",
    "/dev/sda",
    "/dev/mqueue/x",
    "/dev/hugepages/x",
  ]
    .filter((path) => is_readable(policy, path));
  assert.deepEqual(may, ["/dev/null", "/dev/shm/x", "/dev/ttyUSB0"]);
});

Deno.test("where links in a denied folder lead is denied as well, but not in the workspace", () =>
  with_tree((root) => {
    const home = `${root}/home`;
    Deno.mkdirSync(`${home}/dotfiles/aws`, { recursive: true });
    Deno.mkdirSync(`${home}/.aws`);
    Deno.writeTextFileSync(`${home}/dotfiles/aws/credentials`, "key");
    Deno.symlinkSync("../dotfiles/aws/credentials", `${home}/.aws/credentials`);
    const policy = test_policy({ deny_read: [`${home}/.aws`], env: { HOME: home } });
    assert.ok(!is_readable(policy, `${home}/dotfiles/aws/credentials`));
    const found = readable(policy).paths;
    assert.ok(!found.includes(`${home}/dotfiles`) && found.includes(`${home}/docs`));
    const own = test_policy({ ...policy, workspace: `${home}/dotfiles` });
    assert.ok(is_readable(own, `${home}/dotfiles/aws/credentials`));
  }));

Deno.test("a long list of missing paths does not take forever", () =>
  with_tree((root) => {
    const deep = Array.from({ length: 40 }, (_, i) => `${root}/none/a/b/c/d/${i}/key`);
    const found = readable(test_policy({ deny_read: deep })).paths;
    assert.ok(found.includes(`${root}/home`) && found.length < 20_000);
  }));

Deno.test("of what is not there the folder that is there tells where it would be", () =>
  with_tree((root) => {
    Deno.symlinkSync(`${root}/home`, `${root}/way`);
    const cases: [path: string, expected: string][] = [
      [`${root}/way`, `${root}/home`],
      [`${root}/way/notes`, `${root}/home/notes`],
      [`${root}/way/none/deep`, `${root}/home/none/deep`],
      [`${root}/way/a\0b`, `${root}/home/a\0b`],
      ["/no_such_folder/x", "/no_such_folder/x"],
      ["/", "/"],
    ];
    for (const [path, expected] of cases) assert.equal(real_of_missing(path), expected);
  }));

Deno.test({
  name: "what is denied is so in the spelling in which its folder lists it, where both are one",
  ignore: linux_libc() === null,
  fn: () =>
    with_tree((root) => {
      const home = `${root}/home`;
      Deno.renameSync(`${home}/.ssh`, `${home}/.SSH`);
      Deno.mkdirSync(`${home}/Gnu\u212aeys`);
      const given = (change: Parameters<typeof test_policy>[0], finds_all: boolean) => {
        // A file system that finds a name in every spelling.
        const listings = finds_all ? [new Listings(linux_libc()!, () => true)] : [];
        return readable(test_policy(change), ...listings).paths
          .filter((path) => path.startsWith(`${root}/`)).sort();
      };
      const deny_read = [`${root}/HOME/.ssh`, `${home}/.Config/GCloud`, `${home}/gnukeys/x`];
      const rest = [`${home}/.config/app`, `${home}/docs`, `${home}/notes`];
      assert.deepEqual(given({ deny_read }, true), rest);
      assert.deepEqual(given({ deny_read, read: [home] }, true), rest);
      const apart = given({ deny_read: [`${home}/.ssh`, `${home}/.Config`] }, false);
      const all = [".SSH", ".config", "Gnu\u212aeys", "docs", "notes"];
      assert.deepEqual(apart, all.map((name) => `${home}/${name}`), "elsewhere they are two");
    }),
});
