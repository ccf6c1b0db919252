import { equal, match, throws } from "node:assert/strict";
import { open_database, read_database, StoreError, transaction } from "./database.ts";
import { in_folder } from "./_testing.ts";

const count = (folder: string) => {
  const db = open_database(folder);
  const n = db.prepare("SELECT count(*) AS n FROM facts").get()?.["n"];
  db.close();
  return n;
};

Deno.test("open_database() makes folder and file for their owner alone", {
  ignore: Deno.build.os === "windows",
}, () =>
  in_folder((folder) => {
    const data = `${folder}/new/hamr`;
    const db = open_database(data);
    for (const name of ["hamr.db", "hamr.db-wal", "hamr.db-shm"]) {
      equal((Deno.statSync(`${data}/${name}`).mode ?? 0) & 0o777, 0o600, name);
    }
    equal((Deno.statSync(data).mode ?? 0) & 0o777, 0o700);
    equal(db.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "wal");
    db.close();
    equal(count(data), 0);
  }));

Deno.test("open_database() says in a line what is wrong with a file, and leaves it as it is", () => {
  const cases: [string, (file: string, folder: string) => void, RegExp][] = [
    ["no database", (file) => Deno.writeTextFileSync(file, "x".repeat(5000)), /not a database/],
    ["a newer one", (_, folder) => {
      const db = open_database(folder);
      db.exec("PRAGMA user_version = 99");
      db.close();
    }, /written by a newer hamr \(format 99, this one knows 2\): update hamr/],
    ["a log that can't be opened", (file, folder) => {
      open_database(folder).close();
      Deno.mkdirSync(`${file}-wal`);
    }, /is its disk full, or a file beside it another user's\?$/],
    ["a folder", (file) => Deno.mkdirSync(file), /hamr\.db can't be written/],
  ];
  for (const [name, make, expected] of cases) {
    in_folder((folder) => {
      make(`${folder}/hamr.db`, folder);
      throws(() => open_database(folder), (error) => {
        if (!(error instanceof StoreError)) throw error;
        match(error.message, expected, name);
        return !error.message.includes("\n");
      });
    });
  }
});

Deno.test("read_database() reads without writing anything, unless what was written last is not in the file", () =>
  in_folder((folder) => {
    const data = `${folder}/a b?c#d%41`;
    equal(read_database(data), null);
    const db = open_database(data);
    db.exec("INSERT INTO scopes (workspace) VALUES ('/w')");
    equal(read_database(data), null, "its last writes stand beside it");
    db.close();
    const read = read_database(data);
    equal(read?.prepare("SELECT count(*) AS n FROM scopes").get()?.["n"], 2);
    throws(() => read?.exec("DELETE FROM scopes"), /readonly/);
    read?.close();
    equal([...Deno.readDirSync(data)].length, 1);
  }));

Deno.test("transaction() does all or nothing", () =>
  in_folder((folder) => {
    const db = open_database(folder);
    throws(() =>
      transaction(db, () => {
        db.exec("INSERT INTO scopes (workspace) VALUES ('/gone')");
        throw new Error("stopped");
      }), /stopped/);
    equal(db.prepare("SELECT count(*) AS n FROM scopes").get()?.["n"], 1);
    equal(transaction(db, () => 7), 7);
    db.close();
  }));

Deno.test("an open database goes on working once the rights to write are gone", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_store_" });
  const script = `
    import { Memory } from ${JSON.stringify(new URL("./memory.ts", import.meta.url).href)};
    const memory = new Memory({ data_dir: Deno.args[0], workspace: "/work/one" });
    for (const name of ["run", "write", "ffi", "env", "sys"]) Deno.permissions.revokeSync({ name });
    // More than the thousand pages after which SQLite writes them back.
    for (let n = 0; n < 600; n++) memory.save(n + " " + "many different words ".repeat(90) + n);
    console.log(memory.search("599").length, memory.list().length);
    memory.close();
  `;
  try {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", "--ext=ts", script, folder],
    }).output();
    equal(new TextDecoder().decode(stderr), "");
    equal(new TextDecoder().decode(stdout), "1 600\n");
    const texts = [...index_files(folder)].map((file) => Deno.readTextFileSync(file));
    equal(texts.filter((text) => text.startsWith("- 599 many different")).length, 1);
    equal(count(folder), 600);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("who opens a new database while another process makes it waits for that", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_store_" });
  const script = `
    import { DatabaseSync } from "node:sqlite";
    const db = new DatabaseSync(Deno.args[0]);
    db.exec("BEGIN IMMEDIATE");
    console.log("begun");
    await Deno.stdin.read(new Uint8Array(1));
    setTimeout(() => db.exec("ROLLBACK"), 200);
  `;
  try {
    const other = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", script, `${folder}/hamr.db`],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    await other.stdout.getReader().read();
    const busy = () => open_database(folder, 0).close();
    throws(busy, /locked by another process/);
    await other.stdin.close();
    open_database(folder).close();
    equal((await other.status).code, 0);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("eight processes write to one new database at once, and no fact is lost", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_store_" });
  const script = `
    import { Memory } from ${JSON.stringify(new URL("./memory.ts", import.meta.url).href)};
    const [folder, who] = Deno.args;
    const memory = new Memory({ data_dir: folder, workspace: "/work/" + (who % 2) });
    for (let n = 0; n < 25; n++) memory.save("fact " + n + " of " + who);
    memory.close();
  `;
  try {
    const outputs = await Promise.all(
      Array.from({ length: 8 }, (_, who) =>
        new Deno.Command(Deno.execPath(), {
          args: ["eval", "--quiet", "--ext=ts", script, folder, String(who)],
        }).output()),
    );
    for (const { stderr } of outputs) equal(new TextDecoder().decode(stderr), "");
    const db = open_database(folder);
    equal(db.prepare("SELECT count(*) AS n FROM facts").get()?.["n"], 200);
    equal(db.prepare("SELECT count(*) AS n FROM scopes").get()?.["n"], 3);
    equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
    db.close();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

function* index_files(folder: string): Generator<string> {
  for (const { name } of Deno.readDirSync(`${folder}/memory_index`)) {
    yield `${folder}/memory_index/${name}`;
  }
}
