import assert from "node:assert/strict";
import { in_folder } from "./_testing.ts";
import { hurry, open_database } from "./database.ts";
import { Patience } from "./patience.ts";

Deno.test("after a wait that failed nobody waits, until the database is free", () =>
  in_folder(async (folder) => {
    const [db, other] = [open_database(folder), open_database(folder)];
    hurry(db);
    const patience = new Patience(db);
    const tries = { write: 0, read: 0 };
    const write = () => {
      tries.write++;
      db.exec("CREATE TABLE IF NOT EXISTS held (n); INSERT INTO held VALUES (1)");
    };
    other.exec("BEGIN IMMEDIATE");
    await assert.rejects(patience.wait(write), /locked/);
    assert.ok(tries.write > 1 && patience.in_vain && patience.held_ms >= 1000);
    tries.write = 0;
    await assert.rejects(patience.wait(write), /locked/);
    // What only reads is told the same: it would not find out that nothing can be written.
    await assert.rejects(patience.wait(() => tries.read++, true), /locked/);
    assert.deepEqual([tries, patience.in_vain], [{ write: 0, read: 0 }, true]);
    const settled = patience.settle();
    other.exec("COMMIT");
    assert.deepEqual([await settled, patience.in_vain, patience.held_ms], [true, false, 0]);
    await patience.wait(write);
    assert.equal(tries.write, 1);
    await assert.rejects(patience.wait(() => Promise.reject(new Error("disk"))), /disk/);
    assert.equal(patience.in_vain, false);
    db.close();
    other.close();
  }));
