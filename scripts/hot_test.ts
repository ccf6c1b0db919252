import assert from "node:assert/strict";
import { V8_FLAGS } from "./compile.ts";
import { keep_compiled, make_scripts, type Thread } from "./hot.ts";

const FILES = {
  "main.js": 'import{a as x,b as y}from"./chunk-A.js";import"./chunk-B.js";' +
    'let{modules:r}=await import("./run-A.js"),c=await import("./cold.js");' +
    'let w=new Worker(new URL("./tools.js",import.meta.url),{type:"module"});' +
    "let d=await new Promise(k=>{w.onmessage=e=>k(e.data)});" +
    "console.log(JSON.stringify([x(),y,globalThis.seen,r(),c.default(),c.same===x,d]));Deno.exit(0);",
  "chunk-A.js": 'var n=0;function o(){return++n}var t="in A";export{o as a,t as b};',
  "chunk-B.js": 'import{b as z}from"./chunk-A.js";globalThis.seen=`B after ${z}`;',
  "run-A.js":
    'import{basename as b}from"node:path";import{a as q}from"./chunk-A.js";function m(){return b("/x/run")+q()}export{m as modules};',
  // In no script: it finds what is in one where that was.
  "cold.js": 'import{a}from"./chunk-A.js";var d=()=>a();export{d as default,a as same};',
  "tools.js": 'import{b as t}from"./chunk-A.js";postMessage(t+" of a thread");',
};
const THREADS: readonly Thread[] = [
  { program: ["main.js"], run: ["run-A.js"] },
  { tools: ["tools.js"] },
];
const SAID = '[1,"in A","B after in A","run2",3,true,"in A of a thread"]\n';

Deno.test("hot: files in scripts do what the bundle's do, and V8 takes back what it made of them", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_hot_" });
  const ran = (path: string, ...args: string[]) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", `--v8-flags=${V8_FLAGS.join(",")}`, "-A", path, ...args],
    }).outputSync();
  const said = ({ stdout, stderr }: Deno.CommandOutput) =>
    new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  try {
    for (const [name, text] of Object.entries(FILES)) {
      Deno.writeTextFileSync(`${folder}/${name}`, text);
    }
    assert.equal(said(ran(`${folder}/main.js`)), SAID);
    assert.deepEqual(make_scripts(folder, THREADS), ["cold.js"]);
    assert.equal(said(ran(`${folder}/main.js`)), SAID, "in scripts");
    const made = { deno: Deno.execPath(), flags: V8_FLAGS };
    assert.equal(await keep_compiled(folder, THREADS, made), null);
    assert.equal(said(ran(`${folder}/main.js`)), SAID, "with what was kept");
    Deno.writeTextFileSync(
      `${folder}/taken.js`,
      'import{Script}from"node:vm";for(const name of Deno.args){const cachedData=Deno.readFileSync(name+".compiled");' +
        'console.log(new Script(Deno.readTextFileSync(name+".script"),{cachedData}).cachedDataRejected)}',
    );
    const names = THREADS.flatMap(Object.keys).map((name) => `${folder}/${name}`);
    assert.equal(said(ran(`${folder}/taken.js`, ...names)), "false\n".repeat(3));
    for (const name of names) Deno.writeTextFileSync(`${name}.compiled`, "not V8's");
    assert.equal(said(ran(`${folder}/main.js`)), SAID, "with what V8 does not take");
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("hot: what no script can have is refused", () => {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_hot_" });
  try {
    Deno.writeTextFileSync(`${folder}/main.js`, 'import x from"node:os";x.name;');
    assert.throws(() => make_scripts(folder, [{ program: ["main.js"] }]), SyntaxError);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
