import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { with_place } from "./_testing.ts";

/** Has a list of one pack begin with the name of another, which holds none of its objects (gitformat-pack(5)). */
function forge(file: string, name: string): void {
  const bytes = Deno.readFileSync(file).slice(0, -20);
  const view = new DataView(bytes.buffer);
  const chunks = Array.from({ length: bytes[6]! }, (_, n) => {
    const at = 12 + 12 * n;
    const [from, to] = [at + 4, at + 16].map((at) => Number(view.getBigUint64(at)));
    return { id: view.getUint32(at), data: bytes.slice(from, to) };
  });
  for (const chunk of chunks) {
    if (chunk.id === 0x504e414d) {
      const names = `${name}\0${new TextDecoder().decode(chunk.data).replace(/\0+$/, "")}\0`;
      chunk.data = new TextEncoder().encode(names.padEnd(Math.ceil(names.length / 4) * 4, "\0"));
    } else if (chunk.id === 0x4f4f4646) {
      for (let at = 0; at < chunk.data.length; at += 8) {
        new DataView(chunk.data.buffer).setUint32(at, 1);
      }
    }
  }
  const head = new DataView(new ArrayBuffer(12 + 12 * (chunks.length + 1)));
  new Uint8Array(head.buffer).set(bytes.subarray(0, 12));
  head.setUint32(8, 2);
  let end = head.byteLength;
  chunks.concat({ id: 0, data: new Uint8Array() }).forEach(({ id, data }, n) => {
    head.setUint32(12 + 12 * n, id);
    head.setBigUint64(16 + 12 * n, BigInt(end));
    end += data.length;
  });
  const all = new Uint8Array([
    ...new Uint8Array(head.buffer),
    ...chunks.flatMap(({ data }) => [...data]),
  ]);
  const sum = createHash("sha1").update(all).digest();
  Deno.chmodSync(file, 0o644);
  Deno.writeFileSync(file, new Uint8Array([...all, ...sum]));
}

const SETUP = `for r in . ../other; do git init -q $r; git -C $r commit -q --allow-empty -m $r
git -C $r gc -q; git -C $r multi-pack-index write; done`;

Deno.test("a list of packs by which git would remove another repository's is set aside", () =>
  with_place(SETUP, async ({ watch, sh, workspace }) => {
    const { step, guarded } = await watch();
    await step("git commit -q --allow-empty -m two; git gc -q; git multi-pack-index write");
    assert.deepEqual(guarded.take().warnings, []);
    const list = ".git/objects/pack/multi-pack-index";
    const other = sh("cd ../other/.git/objects/pack; ls *.idx");
    forge(`${workspace}/${list}`, `../../../../other/.git/objects/pack/${other}`);
    await step("git log");
    assert.equal(
      guarded.take().warnings.join(),
      `${workspace}/${list} has git remove what is not this repository's; it is multi-pack-index.refused now`,
    );
    sh("git multi-pack-index write; git multi-pack-index expire; git -C ../other log");
    await step("mkdir .git/reftable; echo ../../../other/x.ref > .git/reftable/tables.list");
    assert.match(guarded.take().warnings.join(), /tables\.list has git remove what is not /);
  }));

const CONFLICT =
  `git init -qb main .; git config rerere.enabled true; echo 1 > a; git add a; git commit -qm a
git checkout -qb side; echo 2 > a; git commit -qam b; git checkout -q main; echo 3 > a; git commit -qam c
mkdir -p .git/rr-cache/${"7".repeat(40)}; echo key > ../home/key; ln -s ../home linked`;

Deno.test("a conflict outside the working tree, which git would record, is set aside, and one in it is not", () =>
  with_place(CONFLICT, async ({ watch, sh, exists, root }) => {
    const { step, guarded } = await watch();
    for (
      const command of ["git merge side || git rerere status", "echo 4 > a; git commit -qam d"]
    ) {
      await step(command);
      assert.deepEqual(guarded.take().warnings, []);
    }
    for (const file of [`${root}/home/key`, "../home/key", "linked/key", ".git/config"]) {
      await step(`printf '%s\\t%s\\0' ${"7".repeat(40)} ${file} > .git/MERGE_RR`);
      assert.match(
        guarded.take().warnings.join(),
        /MERGE_RR lists .*: git would read or write that outside .* it is MERGE_RR\.refused\S* now$/,
        file,
      );
      sh("git commit -q --allow-empty -m e");
      assert.ok(!exists(`.git/rr-cache/${"7".repeat(40)}/postimage`), file);
    }
  }));
