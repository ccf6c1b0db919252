/**
 * Puts the files of a bundle that every run evaluates into one script a thread, and keeps what V8 makes of that script in a run: the
 * bytecode of all functions that were called. A start of the binary spent more than a third of its CPU on making it. Deno keeps such
 * for modules only, and in the temporary folder, where others could put theirs; here it is in the binary itself. Each other file
 * becomes a script of its own, packed where it is large: a binary's start reads and copies all that is in it, a millisecond a megabyte
 * (Deno 2.6.10).
 */
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { environment } from "../tests/support/hamr.ts";
import { bash, call, say, serve_model } from "../tests/support/model_server.ts";

/** A thread of every run: its scripts, each with what it loads, that with the thread's first file first. */
export type Thread = Readonly<Record<string, readonly string[]>>;

const IMPORT =
  /\bimport(?: ?(?:\*as )?([\w$]+) from(?="node:)|(?:\{([^{}]*)\} ?from ?)?)"((?:\.\/|node:)[^"]+)";/g;
/** What a package of another form of modules gives is one call; licenses may follow. */
const EXPORT = /\bexport(?:\{([^{}]*)\}| default (\w+\(\)));(?=(?:\s*\/\*[^]*?\*\/)*\s*$)/;
const LAZY = /\bimport\((?="\.\/|new URL\()/g;
/** What another thread begins with. */
const THREAD = /\bnew URL\("\.\/([\w-]+\.js)",import\.meta\.url\)/g;
const LOADER = "hot.js";
/** The only file that waits while it is evaluated. */
const MAIN = "main.js";
/** From so many bytes on a script is packed. Smaller ones are what is asked for often and starts fast: help, sessions, settings. */
const LARGE = 32_000;
/** No run that a script plays takes as long, whatever else the machine does. */
const PLAY_MS = 120_000;

/** The threads of every run, in the bundle of the program in `folder`. What is wanted at another time is a script of its own. */
export function threads_of(folder: string): readonly Thread[] {
  const main = Deno.readTextFileSync(`${folder}/${MAIN}`);
  const [, run = ""] = /\bimport\("\.\/(run-\w+\.js)"\)/.exec(main) ?? [];
  return [{
    program: [MAIN],
    run: [run],
    start: ["src_app_start_tools.js"],
    later: ["run.js"],
    gates: ["src_gates_mod.js"],
  }, { tools: ["src_tools_worker_worker.js"] }];
}

/** Makes the scripts in the bundle's `folder`, in the place of its files. Throws a `SyntaxError` where a file has what a script can't have. */
export function make_scripts(folder: string, threads: readonly Thread[]): void {
  const texts = new Map(
    [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".js"))
      .map(({ name }) => [name, Deno.readTextFileSync(`${folder}/${name}`)]),
  );
  const hot = threads.map((thread) => {
    const found = new Map<string, string>();
    for (const [script, files] of Object.entries(thread)) {
      for (const file of files) reach(texts, file, { script, found });
    }
    return found;
  });
  const script_of = (files: readonly string[], more = "") => {
    const rows = files.map((file) => `"${file}":${as_function(file, texts.get(file)!)}`);
    const script = `"use strict";({\n${[...rows, more].join(",\n")}})`;
    new Script(script);
    return script;
  };
  hot.forEach((found, i) => {
    for (const name of Object.keys(threads[i]!)) {
      const files = [...found].filter(([, script]) => script === name).map(([file]) => file);
      Deno.writeTextFileSync(`${folder}/${name}.script`, script_of(files));
    }
  });
  const is_hot = (file: string) => hot.some((found) => found.has(file));
  const packed: string[] = [];
  for (const [file, text] of texts) {
    if (is_hot(file)) continue;
    const needs = imports_of(text).filter((from) => !is_hot(from));
    const script = script_of([file], `needs:${JSON.stringify(needs)}`);
    const path = `${folder}/${file}.script`;
    if (script.length < LARGE) {
      Deno.writeTextFileSync(path, script);
      continue;
    }
    Deno.writeFileSync(`${path}.gz`, gzipSync(script, { level: 9 }));
    packed.push(file);
  }
  for (const file of texts.keys()) Deno.removeSync(`${folder}/${file}`);
  const firsts = hot.map((found) => [...found.keys()][0]!);
  for (const file of firsts) Deno.writeTextFileSync(`${folder}/${file}`, begins(file));
  const others = [...texts.values()].flatMap((text) => [...text.matchAll(THREAD)])
    .map(([, file = ""]) => file).filter((file) => !firsts.includes(file));
  for (const file of others) {
    // Until it is unpacked nobody hears what is said to it.
    const text = `const early=[];onmessage=(e)=>early.push(e);${begins(file, "await ")}` +
      "early.forEach((e)=>onmessage(e));";
    Deno.writeTextFileSync(`${folder}/${file}`, text);
  }
  const begun = hot.map((found, i) => [firsts[i]!, Object.fromEntries(found)]);
  Deno.writeTextFileSync(`${folder}/${LOADER}`, loader(Object.fromEntries(begun), packed));
}

function begins(file: string, wait = file === MAIN ? "await " : ""): string {
  return `import{begin}from"./${LOADER}";${wait}begin("${file}");`;
}

/** Has V8's work on the scripts in `folder` kept beside them, as a run by `deno` with these `flags` leaves it. Gives why it could not be. */
export async function keep_compiled(
  folder: string,
  threads: readonly Thread[],
  { deno, flags }: { readonly deno: string; readonly flags: readonly string[] },
): Promise<string | null> {
  const place = Deno.makeTempDirSync({ prefix: "hamr_play_" });
  const [cwd, home] = ["ws", "home"].map((name) => `${place}/${name}`) as [string, string];
  for (const path of [cwd, home]) Deno.mkdirSync(path);
  const server = serve_model([
    bash("echo one > a.txt; cat a.txt"),
    call("read", { path: "a.txt" }),
    call("edit", { path: "a.txt", old_text: "one", new_text: "two" }),
    bash("ls missing"),
    say("I wrote a.txt. The command `ls missing` failed."),
  ], { validate: false });
  const loader = Deno.readTextFileSync(`${folder}/${LOADER}`);
  // Those of tests are others, and V8 takes nothing that was made under others.
  const { DENO_V8_FLAGS: _, ...env } = environment(home, {
    HAMR_BASE_URL: server.url,
    HAMR_MODEL: "scripted",
  });
  try {
    Deno.writeTextFileSync(`${folder}/${LOADER}`, loader.replace(KEPT, KEEPS));
    const { code, stderr } = await new Deno.Command(deno, {
      args: [
        ...["run", "--quiet", "--no-config", "--no-code-cache", "--unstable-worker-options"],
        ...[`--v8-flags=${flags.join(",")}`, "-A", `${folder}/${MAIN}`],
        ...["run", "Write one to a.txt, make it two, then look whether missing is there."],
      ],
      cwd,
      clearEnv: true,
      env,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(PLAY_MS),
    }).output();
    if (code !== 0) return new TextDecoder().decode(stderr);
    for (const name of threads.flatMap(Object.keys)) {
      Deno.copyFileSync(`${cwd}/${name}.compiled`, `${folder}/${name}.compiled`);
    }
    return null;
  } finally {
    Deno.writeTextFileSync(`${folder}/${LOADER}`, loader);
    await server.close();
    Deno.removeSync(place, { recursive: true });
  }
}

/** The files of the bundle that one imports, other than lazily. */
function imports_of(text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, , , from = ""]) => from)
    .filter((from) => from.startsWith("./")).map((from) => from.slice(2));
}

/** Adds a file with all that it imports, if it is in no script yet. */
function reach(
  texts: ReadonlyMap<string, string>,
  file: string,
  to: { readonly script: string; readonly found: Map<string, string> },
): void {
  if (to.found.has(file)) return;
  to.found.set(file, to.script);
  for (const from of imports_of(texts.get(file)!)) reach(texts, from, to);
}

/** A file that is evaluated when it is first wanted, and gives its exports. The parts of a bundle never import each other in a circle. */
function as_function(file: string, text: string): string {
  const body = text.replace(EXPORT, "")
    .replace(IMPORT, (_, whole: string | undefined, names: string | undefined, from: string) => {
      const found = from.startsWith("./") ? `__hot("${from.slice(2)}")` : `__node("${from}")`;
      const name = whole ?? (names === undefined ? null : `{${names.replaceAll(" as ", ":")}}`);
      return name === null ? `${found};` : `const ${name}=${found};`;
    })
    .replace(LAZY, "__import(")
    .replaceAll("import.meta.url", "__url");
  const given = exports_of(text).map(([own, name]) => `get ${name}(){return ${own}}`);
  const async = file === MAIN ? "async " : "";
  return `${async}function(__hot,__node,__import,__url){${body};return{${given}}}`;
}

/** What a file exports: its own names, and those it gives them. */
function exports_of(text: string): readonly (readonly [string, string])[] {
  const [, names = "", whole] = EXPORT.exec(text) ?? [];
  if (whole !== undefined) return [[whole, "default"]];
  return names.split(",").filter((one) => one !== "").map((one) => {
    const [own = "", name = own] = one.split(" as ");
    return [own, name] as const;
  });
}

/** Where a loader may note what becomes of a script. */
const KEPT = "/*kept*/";
/** The program's end, or any word of the thread, writes it down. Neither may open files once the thread has had its first word. */
const KEEPS = `
if(self.kept===undefined){
self.kept=Object.fromEntries([...new Set(Object.values(files))].map((one)=>
[one,{file:Deno.openSync(one+".compiled",{write:true,create:true})}]));
const {exit}=Deno,post=self.postMessage,keep=()=>{
for(const{file,script}of Object.values(self.kept)){
const bytes=script?.createCachedData()??[];
file.seekSync(0,0);
for(let at=0;at<bytes.length;)at+=file.writeSync(bytes.subarray(at))}};
Deno.exit=(code)=>{keep();exit(code)};
if(post)self.postMessage=(...said)=>{keep();post(...said)}}
if(name in self.kept)self.kept[name].script=script;
`;

/** The module that has the files of a thread evaluated. V8 takes only what the same V8 has made under the same flags. */
function loader(
  threads: Readonly<Record<string, Readonly<Record<string, string>>>>,
  packed: readonly string[],
): string {
  return `import vm from"node:vm";
const threads=${JSON.stringify(threads)},packed=new Set(${JSON.stringify(packed)});
const url=import.meta.url,at=(name)=>new URL(name,url);
const scripts={},made={},coming={};
// A thread that has no script may share a file with one that has.
let files=Object.assign({},...Object.values(threads));
function open(name,text=Deno.readTextFileSync(at(name+".script")),cachedData=undefined){
const script=new vm.Script(text,{filename:at(name+".script").href,cachedData});
${KEPT}
return scripts[name]=script.runInThisContext()}
function open_hot(name){
let kept;
try{kept=Deno.readFileSync(at(name+".compiled"))}catch{}
return open(name,undefined,kept)}
function hot(name){
const script=files[name]??name;
return made[name]??=(scripts[script]??open_hot(script))[name](hot,process.getBuiltinModule,load,url)}
function ready(name){return name in files?undefined:coming[name]??=fetched(name)}
async function fetched(name){
const{needs}=open(name,packed.has(name)?await unpacked(name):undefined);
await Promise.all(needs.map(ready))}
async function unpacked(name){
const{readable,writable}=new DecompressionStream("gzip"),writer=writable.getWriter(),decoder=new TextDecoder;
void writer.write(Deno.readFileSync(at(name+".script.gz")));
void writer.close();
let text="";
for await(const part of readable)text+=decoder.decode(part,{stream:true});
return text}
async function load(path){
const name=path.slice(path.lastIndexOf("/")+1);
await ready(name);
return hot(name)}
export function begin(name){
files={...files,...threads[name]};
return ready(name)?.then(()=>hot(name))??hot(name)}
`;
}
