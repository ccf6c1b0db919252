/** Code in colors: its comments, strings, numbers and keywords. Of a language no more is known than these. */

type Painted = "comment" | "string" | "number" | "keyword" | "added" | "removed";

export type CodePaints = Readonly<Record<Painted, (text: string) => string>>;

/** In one line: one that is still open is not a string yet. A longer one would be looked for in vain from each of its quotes. */
const DOUBLE = String.raw`(?<!\w)[bBfFrRuULc@$]{0,2}"(?:\\.|[^"\\\n])*"`;
const SINGLE = String.raw`(?<!\w)[bBfFrRuU]{0,2}'(?:\\.|[^'\\\n])*'`;
/** Where an apostrophe may also begin a lifetime, or stand in a number. */
const CHARACTER = String.raw`(?<!\w)b?'(?:\\[^'\n]{1,9}|[^'\\\n])'`;
const RAW = "`(?:\\\\[^]|[^`\\\\])*(?:`|$)";
const TRIPLE = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)`;
const HASH = String.raw`(?<![^\s;(])#.*`;
const SLASHES = String.raw`(?<!:)\/\/.*|\/\*[^]*?(?:\*\/|$)`;
const DASHES = String.raw`--.*|\/\*[^]*?(?:\*\/|$)`;
const TAGS = String.raw`<!--[^]*?(?:-->|$)`;
const NUMBER = String.raw`(?<![\w.$])\d[\w.]*`;
const WORD = String.raw`(?<![\w.$@-])[a-zA-Z_]\w*(?![\w-])`;

/** Its names, comments, strings and keywords. */
const LANGUAGES: readonly (readonly [string, string, string, string])[] = [
  [
    "c h cpp c++ cc hpp cxx java cs csharp kotlin kt kts scala swift dart objc proto",
    SLASHES,
    `${TRIPLE}|${DOUBLE}|${CHARACTER}`,
    "if else for while do switch case default break continue return goto struct enum union " +
    "typedef static const void int char float double bool boolean long short unsigned signed " +
    "sizeof extern inline class public private protected internal virtual override template " +
    "typename namespace using new delete this try catch finally throw throws true false null " +
    "nullptr NULL auto import package extends implements interface final abstract var val fun " +
    "func let guard when object protocol extension trait def match message async await string",
  ],
  [
    "rust rs go golang zig",
    SLASHES,
    `${DOUBLE}|${CHARACTER}|${RAW}`,
    "fn let mut pub use mod impl trait struct enum match if else for while loop in return break " +
    "continue const static ref move async await unsafe where self Self super crate as type dyn " +
    "true false func package import var range go defer chan select switch case default map " +
    "interface nil try catch defer",
  ],
  [
    "js javascript jsx mjs cjs ts typescript tsx mts php vue svelte",
    SLASHES,
    `${DOUBLE}|${SINGLE}|${RAW}`,
    "const let var function return if else for while do switch case default break continue new " +
    "delete typeof instanceof in of class extends super this import export from as async await " +
    "yield try catch finally throw null undefined true false void static get set enum interface " +
    "type implements readonly private public protected abstract declare keyof echo foreach use",
  ],
  ["css scss less", SLASHES, `${DOUBLE}|${SINGLE}`, "important"],
  ["json jsonc json5 jsonl", SLASHES, `${DOUBLE}|${SINGLE}`, "true false null"],
  [
    "python py python3 pyi",
    HASH,
    `[bBfFrRuU]{0,2}(?:${TRIPLE})|${DOUBLE}|${SINGLE}`,
    "def class return if elif else for while in not and or is import from as with try except " +
    "finally raise lambda yield global nonlocal pass break continue assert del async await " +
    "None True False match case",
  ],
  [
    "sh bash zsh shell fish dockerfile docker make makefile",
    HASH,
    `${DOUBLE}|${SINGLE}`,
    "if then else elif fi for in do done while until case esac function return local export " +
    "unset set source exit FROM RUN COPY ADD WORKDIR ENV ARG CMD ENTRYPOINT EXPOSE USER",
  ],
  [
    "ruby rb perl pl r elixir ex exs julia jl nix powershell ps1",
    HASH,
    `${DOUBLE}|${SINGLE}`,
    "def end class module if elsif elseif else unless while until for in do return yield begin " +
    "rescue ensure raise then case when require require_relative include extend self nil true " +
    "false and or not defmodule defp fn use alias import my sub our foreach function let TRUE FALSE",
  ],
  ["yaml yml toml ini conf tf hcl cmake", HASH, `${TRIPLE}|${DOUBLE}|${SINGLE}`, "true false null"],
  [
    "sql sqlite postgres postgresql mysql",
    DASHES,
    `${DOUBLE}|${SINGLE}`,
    "select from where and or not null insert into values update set delete create table alter " +
    "drop index view join left right inner outer full cross on as group by order having limit " +
    "offset union all distinct case when then else end primary key foreign references default " +
    "unique check begin commit rollback with exists in is like between asc desc",
  ],
  [
    "lua haskell hs elm",
    DASHES,
    `${DOUBLE}|${CHARACTER}`,
    "local function end if then else elseif for while do repeat until return break nil true false " +
    "and or not in where let module import data type of class instance case",
  ],
  ["html xml svg", TAGS, `${DOUBLE}|${SINGLE}`, ""],
];

interface Language {
  readonly token: RegExp;
  readonly keywords: ReadonlySet<string>;
}

let by_name: ReadonlyMap<string, Language> | undefined;

function language_of(name: string): Language | undefined {
  by_name ??= new Map(LANGUAGES.flatMap(([names, comment, string, keywords]) => {
    const parts = { comment, string, number: NUMBER, word: WORD };
    const token = Object.entries(parts).map(([kind, part]) => `(?<${kind}>${part})`).join("|");
    const one = { token: new RegExp(token, "g"), keywords: new Set(keywords.split(" ")) };
    return names.split(" ").map((each) => [each, one] as const);
  }));
  return by_name.get(name);
}

const DIFF = new Set(["diff", "patch"]);
const SQL = /sql/;
/** Characters: twice as many as an answer shows of a block at once. More is one line that nobody reads. */
const MOST = 10_000;

/** Its lines, painted; as they are where the language is not known. `named`: what stands behind the fence. */
export function painted_code(code: string, named: string, paints: CodePaints): readonly string[] {
  const name = /^[\w+]+/.exec(named)?.[0].toLowerCase() ?? "";
  if (DIFF.has(name)) return code.split("\n").map((line) => of_diff(line, paints));
  const language = language_of(name);
  if (language === undefined || code.length > MOST) return code.split("\n");
  const { token, keywords } = language;
  const kind_of = ({ comment, string, number, word = "" }: Record<string, string | undefined>) => {
    if (comment !== undefined) return "comment";
    if (string !== undefined) return "string";
    if (number !== undefined) return "number";
    return keywords.has(SQL.test(name) ? word.toLowerCase() : word) ? "keyword" : null;
  };
  return code.replace(token, (text, ...more) => {
    const kind = kind_of(more.at(-1));
    // A line is drawn by itself, and its indent is looked for.
    return kind === null ? text : text.replace(/\S.*/g, (part: string) => paints[kind](part));
  }).split("\n");
}

function of_diff(line: string, { added, removed, comment }: CodePaints): string {
  if (/^\+/.test(line)) return added(line);
  if (/^-/.test(line)) return removed(line);
  return /^(?:@@|diff |index )/.test(line) ? comment(line) : line;
}
