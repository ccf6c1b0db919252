/**
 * Puts the files of a bundle that every run evaluates into one script a thread, and keeps what V8 makes of that script in a run: the
 * bytecode of all functions that were called. A start of the binary spent more than a third of its CPU on making it. Deno keeps such
 * for modules only, and in the temporary folder, where others could put theirs; here it is in the binary itself. All else of the bundle
 * stays as it is, and finds these files' exports where they were.
 */
import { Script } from "node:vm";
import { environment } from "../tests/support/hamr.ts";
import { bash, call, say, serve_model } from "../tests/support/model_server.ts";

/** A thread of every run: its scripts, each with what it loads, that with the thread's first file first. */
export type Thread = Readonly<Record<string, readonly string[]>>;

const IMPORT = /\bimport(?:\{([^{}]*)\}from)?"((?:\.\/|node:)[^"]+)";/g;
const EXPORT = /\bexport\{([^{}]*)\};\s*$/;
const LAZY = /\bimport\((?="\.\/|new URL\()/g;
const NAMED = /\b__import\("\.\/([^"]+)"\)/g;
const LOADER = "hot.js";
/** The only file that waits while it is evaluated. */
const MAIN = "main.js";
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

/**
 * Makes the scripts, in the bundle's `folder`. Gives the files that they load lazily and are in none: nothing but a script names these.
 * Throws a `SyntaxError` where a file has what a script can't have.
 */
export function make_scripts(folder: string, threads: readonly Thread[]): readonly string[] {
  const lazily = new Set<string>();
  const all = threads.map((thread) => {
    const found = new Map<string, Part>();
    for (const [script, files] of Object.entries(thread)) {
      for (const file of files) reach(folder, file, { script, found });
    }
    return found;
  });
  const begun: Record<string, Record<string, string>> = {};
  threads.forEach((thread, i) => {
    const parts = [...all[i]!];
    for (const name of Object.keys(thread)) {
      const rows = parts.filter(([, { script }]) => script === name)
        .map(([file, { text }]) => `"${file}":${as_function(file, text)}`);
      const script = `"use strict";({\n${rows.join(",\n")}\n})`;
      new Script(script);
      for (const [, file = ""] of script.matchAll(NAMED)) lazily.add(file);
      Deno.writeTextFileSync(`${folder}/${name}.script`, script);
    }
    for (const [file, { text }] of parts) {
      Deno.writeTextFileSync(`${folder}/${file}`, stub(file, text));
    }
    const [[first]] = parts as [[string, Part]];
    const begin = `${first === MAIN ? "await " : ""}begin("${first}");`;
    Deno.writeTextFileSync(`${folder}/${first}`, `import{begin}from"./hot.js";${begin}`);
    begun[first] = Object.fromEntries(parts.map(([file, { script }]) => [file, script]));
  });
  Deno.writeTextFileSync(`${folder}/${LOADER}`, loader(begun));
  return [...lazily].filter((file) => !all.some((found) => found.has(file)));
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

/** A file of a script. */
interface Part {
  readonly script: string;
  readonly text: string;
}

/** Adds a file with all that it imports, other than lazily, if it is in no script yet. */
function reach(
  folder: string,
  file: string,
  to: { readonly script: string; readonly found: Map<string, Part> },
): void {
  if (to.found.has(file)) return;
  const text = Deno.readTextFileSync(`${folder}/${file}`);
  to.found.set(file, { script: to.script, text });
  for (const [, , from = ""] of text.matchAll(IMPORT)) {
    if (from.startsWith("./")) reach(folder, from.slice(2), to);
  }
}

/** A file that is evaluated when it is first wanted, and gives its exports. The parts of a bundle never import each other in a circle. */
function as_function(file: string, text: string): string {
  const body = text.replace(EXPORT, "")
    .replace(IMPORT, (_, names: string | undefined, from: string) => {
      const found = from.startsWith("./") ? `__hot("${from.slice(2)}")` : `__node("${from}")`;
      return names === undefined
        ? `${found};`
        : `const{${names.replaceAll(" as ", ":")}}=${found};`;
    })
    .replace(LAZY, "__import(")
    .replaceAll("import.meta.url", "__url");
  const given = exports_of(text).map(([own, name]) => `get ${name}(){return ${own}}`);
  const async = file === MAIN ? "async " : "";
  return `${async}function(__hot,__node,__import,__url){${body};return{${given}}}`;
}

/** What a file exports: its own names, and those it gives them. */
function exports_of(text: string): readonly (readonly [string, string])[] {
  return (EXPORT.exec(text)?.[1] ?? "").split(",").filter((one) => one !== "").map((one) => {
    const [own = "", name = own] = one.split(" as ");
    return [own, name] as const;
  });
}

/** What is left of a file in its place, for those that are no part of a script. */
function stub(file: string, text: string): string {
  const names = exports_of(text).map(([, name]) => name);
  const found = names.map((name, i) => `const m${i}=m.${name};`).join("");
  const given = names.map((name, i) => `m${i} as ${name}`);
  return `import{hot}from"./hot.js";const m=hot("${file}");${found}export{${given}};`;
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
self.kept[name].script=script;
`;

/** The module that has the files of a thread evaluated. V8 takes only what the same V8 has made under the same flags. */
function loader(threads: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  return `import vm from"node:vm";
const threads=${JSON.stringify(threads)},url=import.meta.url,at=(name)=>new URL(name,url);
const opened={},made={};
let files;
function open(name){
const path=at(name+".script");let cachedData;
try{cachedData=Deno.readFileSync(at(name+".compiled"))}catch{}
const script=new vm.Script(Deno.readTextFileSync(path),{filename:path.href,cachedData});
${KEPT}
return script.runInThisContext()}
export function begin(name){files=threads[name];return hot(name)}
export function hot(name){
// A thread that has no script may share a file with one that has.
files??=Object.values(threads).find((one)=>name in one);
return made[name]??=(opened[files[name]]??=open(files[name]))[name](hot,process.getBuiltinModule,load,url)}
async function load(path){
const name=path.slice(path.lastIndexOf("/")+1);
return Object.hasOwn(files,name)?hot(name):await import(at(path).href)}
`;
}
