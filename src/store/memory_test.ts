import { deepEqual, equal, match, ok } from "node:assert/strict";
import { open_database } from "./database.ts";
import { FACT_CHARS, Memory, open_memory } from "./memory.ts";
import { in_folder, with_memory } from "./_testing.ts";
import { INDEX_BYTES, read_index } from "./memory_index.ts";

const texts = (facts: readonly { readonly text: string }[]) => facts.map(({ text }) => text);

const FACTS = [
  "Deploys run with `make ship`, never by hand.",
  "getUserName lives in src/users/name_service.ts",
  "The café's menu is cached for an hour.",
  "数据库连接在 config.yaml 里配置",
  "ビルドは make build で行う",
  "Write C# bindings by hand",
  "The release branch is v2.x 🚀",
];

Deno.test("search() finds words in any form, pieces of names, and scripts without spaces", () =>
  with_memory((memory) => {
    for (const fact of FACTS) memory.save(fact);
    const table: [string, number][] = [
      ["deploying", 0],
      ["how do we DEPLOY this?", 0],
      ["cafe menus", 2],
      ["UserName", 1],
      ["name_service", 1],
      ["src/users/name_service.ts", 1],
      ["users name service", 1],
      ["serv", 1],
      ["数据库", 3],
      ["数据", 3],
      ["数据库连接失败了怎么办", 3],
      ["ビルド", 4],
      ["🚀", 6],
    ];
    for (const [query, at] of table) equal(memory.search(query)[0]?.text, FACTS[at], query);
    deepEqual(memory.search("nothing-of-the-kind zzz"), []);
  }));

Deno.test("search() takes any characters; nothing in a query is syntax", () =>
  with_memory((memory) => {
    memory.save("alpha-beta gamma:delta NEAR the end");
    const queries = [
      'a-b c:d "x" NEAR(',
      ...['"', '""', "'", "*", "^", "(", ")", "{", "}:", "text:", "-", "+", "AND", "OR NOT", ";--"],
      ...["", " ", "\0", "\ud800", "🎉", "%", "_", "\\", "a".repeat(5000), "( ".repeat(900)],
      ...["NEAR(alpha beta, 2)", "fact_words : alpha", "alpha*", '"alpha', "é̂", "\u202e", "\n\t"],
    ];
    for (const query of queries) ok(Array.isArray(memory.search(query)), JSON.stringify(query));
    for (const query of ["alpha-beta", "gamma:delta", '"alpha"', "NEAR(", "alpha*", "-alpha"]) {
      equal(memory.search(query).length, 1, query);
    }
  }));

Deno.test("search() puts what fits better first, and of two that fit alike the newer", () =>
  with_memory((memory, folder) => {
    for (let n = 0; n < 30; n++) memory.save(`The server number ${n} listens on a port`);
    memory.save("The parser is recursive and slow");
    memory.save("The server that parses mail is behind the parser of dates");
    equal(memory.search("slow parser")[0]?.text, "The parser is recursive and slow");
    match(memory.search("server parser")[0]?.text ?? "", /^The server that parses/);
    memory.save("Use port 8080 for tests");
    memory.save("Use port 9090 for tests");
    const db = open_database(folder);
    const old = Date.now() - 400 * 86_400_000;
    db.prepare("UPDATE facts SET saved_ms = ? WHERE text LIKE '%9090%'").run(BigInt(old));
    db.close();
    deepEqual(texts(memory.search("tests")), [
      "Use port 8080 for tests",
      "Use port 9090 for tests",
    ]);
    equal(memory.search("9090 tests")[0]?.text, "Use port 9090 for tests", "age is not all");
    equal(memory.search("server", 5).length, 5);
  }));

Deno.test("search() finds common words too, the newest with all of them first", () =>
  with_memory((memory, folder) => {
    const db = open_database(folder);
    db.exec(`INSERT INTO scopes VALUES (1, '/work/one');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO facts SELECT 4294967296 + i, 1,
        iif(i % 2, 'common word ', 'shared word ') || iif(i = 900, 'common needle', i),
        'f' || i, 1000000 + i FROM n`);
    db.close();
    equal(memory.search("needle")[0]?.text, "shared word common needle");
    equal(memory.search("common shared")[0]?.text, "shared word common needle");
    equal(memory.search("common")[0]?.text, "common word 2999");
    equal(memory.search("common needle")[0]?.text, "shared word common needle");
  }));

Deno.test("save() merges what says the same, and refuses what is not a fact", () =>
  with_memory((memory, folder) => {
    equal(memory.save("Tests need Docker.").kind, "saved");
    equal(memory.save("  tests  need\ndocker ").kind, "merged");
    equal(memory.save("ｔｅｓｔｓ need Docker!").kind, "merged");
    equal(memory.save("Tests need Podman.").kind, "saved");
    deepEqual(texts(memory.list()), ["Tests need Podman.", "ｔｅｓｔｓ need Docker!"]);
    equal(memory.search("docker").length, 1);
    const refused: [string, RegExp][] = [
      ["", /empty/],
      [" \n\0", /empty/],
      ["x".repeat(FACT_CHARS + 1), /2001 characters; a fact may have 2000/],
      ["the token is ghp_aB3dE5gH7jK9mN1pQ3rS5tU7vW9x", /a GitHub token, and memory is no place/],
    ];
    for (const [text, expected] of refused) {
      const saved = memory.save(text);
      match(saved.kind === "refused" ? saved.why : "", expected);
    }
    equal(memory.list().length, 2);
    equal(memory.save("x".repeat(FACT_CHARS)).kind, "saved");
    ok(!Deno.readTextFileSync(`${folder}/hamr.db-wal`).includes("ghp_"));
  }));

Deno.test("a workspace sees its own facts and those of all, and no other's", () =>
  with_memory((one, folder) => {
    const two = new Memory({ data_dir: folder, workspace: "/work/two" });
    const all = new Memory({ data_dir: folder, workspace: null });
    deepEqual(
      [one.save("Port 1 is ours"), two.save("Port 2 is ours"), all.save("Port 0 is free")],
      [
        { kind: "saved", id: "1" },
        { kind: "saved", id: "1" },
        { kind: "saved", id: "g1" },
      ],
    );
    deepEqual(texts(one.search("port")).toSorted(), ["Port 0 is free", "Port 1 is ours"]);
    deepEqual(texts(two.search("port")).toSorted(), ["Port 0 is free", "Port 2 is ours"]);
    deepEqual(texts(all.search("port")), ["Port 0 is free"]);
    deepEqual(one.save("port 0 is free"), { kind: "known", id: "g1" });
    equal(one.list().find(({ id }) => id === "g1")?.scope, "global");
    deepEqual(["2", "g2", "x", "", "-1", "1e0"].map((id) => one.remove(id)), Array(6).fill(false));
    equal(one.remove("1"), true);
    equal(one.remove("g1"), true);
    deepEqual(one.search("port"), []);
    deepEqual(texts(two.search("port")), ["Port 2 is ours"]);
    two.close();
    all.close();
  }));

Deno.test("the index has the beginnings of the newest facts, in few bytes, as they are at each moment", () =>
  with_memory((memory, folder) => {
    const place = { data_dir: folder, workspace: "/work/one" };
    deepEqual(read_index(place), []);
    memory.save("First\nfact");
    deepEqual(read_index(place), ["- First fact"]);
    const all = new Memory({ data_dir: folder, workspace: null });
    all.save("Holds everywhere");
    deepEqual(read_index(place), ["- First fact", "- Holds everywhere"]);
    deepEqual(read_index({ ...place, workspace: "/work/two" }), ["- Holds everywhere"]);
    for (let n = 0; n < 30; n++) memory.save(`é ${n} ${"long ".repeat(40)}`);
    const lines = read_index(place);
    ok(new TextEncoder().encode(lines.join("\n")).length <= INDEX_BYTES);
    ok(lines.length > 3 && lines[0]?.startsWith("- é 29 long") && lines[0].length < 90, lines[0]);
    for (const { id } of memory.list().filter(({ id }) => !id.startsWith("g"))) memory.remove(id);
    deepEqual(read_index(place), ["- Holds everywhere"]);
    all.close();
  }));

Deno.test("open_memory() gives null and one reason where the file is of no use", () =>
  in_folder((folder) => {
    Deno.writeTextFileSync(`${folder}/hamr.db`, "no database ".repeat(500));
    const told: string[] = [];
    equal(open_memory({ data_dir: folder, workspace: "/w" }, (line) => told.push(line)), null);
    equal(told.length, 1);
    match(told[0] ?? "", /^memory is off: .*hamr\.db can't be used: .*; move it away/);
  }));
