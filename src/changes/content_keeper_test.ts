/** What is written down where not all of it can be stored. */
import { randomBytes } from "node:crypto";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { ChangeRow } from "../store/file_state.ts";
import { KeptContents } from "./content_keeper.ts";

/** Nobody can compress it. */
function noise(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(bytes));
}

/** A store with room for no more than so many bytes at once. */
async function with_room(
  most: number,
  work: (kept: KeptContents, hashes: ReadonlySet<string>) => Promise<void>,
): Promise<readonly string[]> {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_kept_" });
  const hashes = new Set<string>();
  const rows: string[] = [];
  const kept = new KeptContents(folder, (request) => {
    let ok = true;
    if (request.kind === "changes") {
      rows.push(
        ...request.rows.map(({ kind, files, step = "" }) => `${kind} ${files[0]?.path}${step}`),
      );
    }
    if (request.kind === "contents") {
      ok = request.contents.reduce((sum, { body }) => sum + body.length, 0) <= most;
      if (ok) request.contents.forEach(({ hash }) => hashes.add(hash));
    }
    return Promise.resolve({ ok, unknown: request.kind === "unknown" ? request.hashes : [] });
  });
  try {
    await work(kept, hashes);
  } finally {
    kept[Symbol.dispose]();
    Deno.removeSync(folder, { recursive: true });
  }
  return rows;
}

const row = (kind: "wrote" | "done", path: string, before: string | null): ChangeRow => ({
  ...{ kind, call: "c" },
  files: [{ path, before: before === null ? null : { mode: 0o100644, hash: before }, after: null }],
});

Deno.test("a content for which there is no room holds up no other, and rows to the end at most", async () => {
  const rows = await with_room(100_000, async (kept, stored) => {
    const [small, last] = [await kept.put(noise(10)), noise(20)];
    const large = await kept.put(noise(2_000_000));
    await kept.row(row("wrote", "large", large));
    kept.mark(3);
    await kept.row(row("wrote", "last", await kept.put(last)));
    await kept.write({ last: true });
    deepStrictEqual([stored.has(small), stored.has(large), stored.size], [true, false, 2]);
  });
  deepStrictEqual(rows, ["wrote large3", "wrote last"]);
});

Deno.test("a command is not told as ended where only packs have what its files held", async () => {
  const ended = async (most: number) =>
    await with_room(most, async (kept) => {
      const old = noise(200_000);
      const pack = kept.keep(noise(50_000));
      await kept.store_packs([pack]);
      await kept.row(row("done", "old", await kept.put(old)));
      await kept.row(row("done", "new", null));
      await kept.write({ last: true });
    });
  strictEqual((await ended(100_000)).join(), "done new");
  strictEqual((await ended(1_000_000)).join(), "done old,done new");
  strictEqual((await ended(10_000)).join(), "done old,done new", "there are no packs");
});

Deno.test("what the disk does not take is kept in memory, up to a limit", () => {
  const kept = new KeptContents("/dev/null/none", null);
  const [small, large] = [noise(1000), new Uint8Array(17 * 1024 * 1024)];
  const [hash, none] = [kept.keep(small), kept.keep(large)];
  deepStrictEqual(kept.get(hash), small);
  deepStrictEqual(kept.get(hash, 10, 5), small.slice(10, 15));
  strictEqual(kept.get(none), null);
  kept[Symbol.dispose]();
  strictEqual(kept.get(hash), null);
});
