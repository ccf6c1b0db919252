import assert from "node:assert/strict";
import { V8_FLAGS } from "./compile.ts";
import { keep_compiled, make_scripts, type Thread } from "./hot.ts";

const FILES = {
  "main.js": 'import{a as x,b as y}from"./chunk-A.js";import"./chunk-B.js";' +
    'let{modules:r}=await import("./run-A.js"),c=await import("./cold.js");' +
    "let ask=(w)=>new Promise(k=>{w.onmessage=e=>k(e.data)});" +
    'let w=ask(new Worker(new URL("./tools.js",import.meta.url),{type:"module"}));' +
    'let v=new Worker(new URL("./late.js",import.meta.url),{type:"module"});v.postMessage("soon");' +
    "console.log(JSON.stringify([x(),y,globalThis.seen,r(),c.default(),c.same===x,c.large(),await w,await ask(v)]));Deno.exit(0);",
  "chunk-A.js": 'var n=0;function o(){return++n}var t="in A";export{o as a,t as b};',
  "chunk-B.js": 'import{b as z}from"./chunk-A.js";globalThis.seen=`B after ${z}`;',
  "run-A.js":
    'import{basename as b}from"node:path";import{a as q}from"./chunk-A.js";function m(){return b("/x/run")+q()}export{m as modules};',
  // In no script of a thread: it finds what is in one, and what is in none.
  "cold.js":
    'import{a}from"./chunk-A.js";import{l}from"./chunk-L.js";var d=()=>a();export{d as default,a as same,l as large};',
  // Packed.
  "chunk-L.js":
    `var n="${"n".repeat(40_000)}";import*as p from"node:path";import u from"node:url";` +
    'import{default as c}from"./chunk-C.js";var l=()=>p.join("x",u.fileURLToPath("file:///y"))+c.n+n.length;export{l};\n/*! A license */\n',
  "chunk-C.js":
    'import{createRequire as r} from "node:module";var q=r(import.meta.url),m,c=()=>m??={n:q("node:path").sep};export default c();',
  "tools.js": 'import{b as t}from"./chunk-A.js";postMessage(t+" of a thread");',
  "late.js": 'import{l}from"./chunk-L.js";onmessage=({data})=>postMessage(data+l());',
};
const THREADS: readonly Thread[] = [
  { program: ["main.js"], run: ["run-A.js"] },
  { tools: ["tools.js"] },
];
const SAID =
  '[1,"in A","B after in A","run2",3,true,"x/y/40000","in A of a thread","soonx/y/40000"]\n';

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
    make_scripts(folder, THREADS);
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
      !name.endsWith(".script")
    );
    const packed = ["chunk-L.js.script.gz"];
    assert.deepEqual(left.toSorted(), [...packed, "hot.js", "late.js", "main.js", "tools.js"]);
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
    Deno.writeTextFileSync(`${folder}/main.js`, 'import"./chunk-A.js";');
    Deno.writeTextFileSync(`${folder}/chunk-A.js`, "await 0;");
    assert.throws(() => make_scripts(folder, [{ program: ["main.js"] }]), SyntaxError);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
