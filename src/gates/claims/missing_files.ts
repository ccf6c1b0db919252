/** Files that an answer says were made, that are not there, and that no call has named. */
import { file_name, files_in, names_file } from "../answer/files.ts";
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import type { Message } from "../../model/message.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { changed, is_same } from "../facts/facts.ts";
import { lines_on_files } from "./lists.ts";
import { listed_files } from "../answer/changed_files.ts";
import { plain } from "../answer/text.ts";
import { table } from "../phrases/words.ts";

/** A path without blanks that stays in the workspace. */
const PATH =
  /(?<![\w/~@.:$*<{-])(?:\.?[\w+-](?:[\w.+-]*[\w+-])?)(?:\/[\w+-](?:[\w.+-]*[\w+-])?)*(?![\w/*<{(])/g;
/** Files by their names, beside those that hold text. */
const OTHER_FILE =
  /\.(?:zip|gz|tar|bz2|xz|png|jpe?g|svg|gif|pdf|log|bin|wasm|jar|whl|parquet|xlsx?|docx?|patch|diff|map|timer|socket|plist|desktop|mk|cmake|j2|tmpl|hbs|ejs|prisma|graphql|ps1|bat|hcl|tfvars|pem|crt|mdx|astro|adoc)$|^\.(?:env|gitignore|dockerignore|editorconfig|\w+rc)(?:\.\w+)?$|^\.\w+\//i;
/** A file without an ending, below a folder: `tools/hooks/pre-commit`. */
const BELOW = /(?<=`)(?:\.?[\w+-][\w.+-]*\/)+[\w+-]+(?=`)/g;
const FENCED = /^[ \t]*(```|~~~)[^]*?^[ \t]*\1/gm;
/** Of a long answer, as many as are looked for. */
const MOST_PATHS = 30;

/** The files that no call and no result names, and the answer does. */
export function only_told(answer: string, before: readonly Message[]): readonly string[] {
  const prose = answer.replace(FENCED, "");
  const below = new Set(prose.match(BELOW));
  const told = [...new Set([...prose.match(PATH) ?? [], ...below])]
    .filter((path) => files_in(plain(path)).length > 0 || OTHER_FILE.test(path) || below.has(path));
  if (told.length === 0) return [];
  const known = before.map(text_of).join("\n").toLowerCase();
  return told.filter((path) => !known.includes(file_name(path))).slice(0, MOST_PATHS);
}

/** What a message shows to be there: what is asked for may not be, and what is only said. */
function text_of(message: Message): string {
  switch (message.role) {
    case "assistant":
      return (message.tool_calls ?? []).map((call) => call.arguments).join("\n");
    case "user":
      return "";
    default:
      return message.content;
  }
}

/** "Saved in", "are in": not "is written to", which tells what a program does. */
const MADE = table(
  "(?<!\\b(?:is|are|be|been|gets?|it|which|that) (?:\\w+ly )?)\\b(?:created|wrote|written|saved|generated|exported|stored|placed|put|added|moved|extracted|documented|configured|recorded|collected|covered|split)\\b",
  "\\b(?:has been|have been|was|were) (?:\\w+ )?(?:created|written|saved|generated|exported|stored|placed|put|added|moved|extracted|documented|configured)\\b",
  "\\b(?:is|are|lives?) (?:now |all |both )*(?:available )?(?:in|at|under)\\b",
  "→|->|\\b(?:habe|wurden?|liegt|liegen|ist|sind|esta|estan|est|sont|foi|foram|e|sono|guarde|cree|creado|creei|enregistre\\w*)\\b",
);
/** What comes right before a file that was made. */
const PLACE =
  /(?:\b(?:in|into|to|as|at|under|called|named|files?|script|test|dans|sous|en|em|unter|im|und|et|y|e|and)|[:,(&]|→|->)(?: (?:an?|the|its))?\s*["'(]*$/;
const DIRECT =
  /\b(?:created|wrote|written|added|generated|saved|made)(?: (?:an?|the|new|its|file|script|hook|called|named))*\s*["'(]*$/;
/** It may be there some day, is not, or is told of something else. */
const NOT_NOW = table(
  "\\b(?:if|when\\w*|once|would|should|could|can|may|might|must|will|suggest\\w*|recommend\\w*|consider|your?|e\\.g|for example|such as|like|looks?|reads?|loads?|supports?|accepts?|searches|tries|ignores?|covers|merges|links?|mentions?|expects?|needs?|writes?|produces?|outputs?|no|not|never|without|none|missing|absent|instead|unless|says?|default|first|usage|next)\\b|n't\\b|'ll\\b",
  "\\b(?:wenn|falls|wird|werden|kann|konnte|soll\\w*|nicht|keine?\\w*|ne|pas|si|sera|peut|pourrait|puede|podria|seria|cuando|quando|no|nao|non|se|pode|escribe|ecrit|schreibt|grava)\\b|[没不]|ない|не ",
);

/** What is said of a file that the task names, as if it was there. */
const HOLDS =
  /^["'):]* (?:now |also )*(?:has|holds|contains?|lists|includes|shows|documents|describes|defines|(?:both|all) (?:have|hold|contain|list|include|show)|(?:is|are) (?:now )?(?:there|ready|done|complete|written|created|saved|in place))\b/;

const SUBJECTS = /(?:^\W*|,? and |[,;:] )(?:(?:the|file|archive|and|both|\S*[./]\S+) )*["'(]*$/;

/** "Added a.example, copy it to a", "Tip: put it in a." */
const ORDER =
  /(?:, |^(?:tip|hint|next|optional\w*|tipp): )(?:and |then |so |please |just )*(?:copy|rename|move|put|save|create|add|set|run|edit|fill|use|see|open|paste|write|kopiere|copie[rz]?|copia)\b[^,]*$/;

/** What it claims of them. In a list with what has changed, no more than a name is needed. */
export function claims_nowhere(
  { said, blocks }: FinalAnswer,
  { nowhere, run, asked }: View,
): readonly Claim[] {
  if (nowhere.length === 0) return [];
  const is_open = (one: string) =>
    NOT_NOW(nowhere.reduce((rest, name) => rest.replaceAll(name, ""), one));
  const paths = changed(run).map(plain);
  // What a command is given is no list: "cp a.md b.md".
  const rows = [
    ...said.flatMap((one) =>
      is_open(one)
        ? []
        : listed_files(one).filter((names) =>
          !names.some((name, n) => one.includes(`${names[n - 1]} ${name}`))
        )
    ),
    lines_on_files(blocks).filter(({ line }) => !is_open(line)).map(({ name }) => name),
  ].filter((names) => names.some((name) => paths.some((path) => is_same(path, name))));
  // "I added:", and the files below it.
  const below = blocks.flatMap(({ kind, lines }, at) => {
    const above = blocks[at - 1]?.sentences.at(-1) ?? "";
    const is_told = kind === "list" && above.endsWith(":") && MADE(above) && !is_open(above);
    return is_told ? lines.filter((line) => !is_open(line)).map((line) => `${line} `) : [];
  });
  const stands_below = (name: string) =>
    below.some((line) => new RegExp(`^[^\\w.]*${RegExp.escape(name)}[^\\w/.-]`).test(line));
  // What a command has built may be where nobody looks.
  const is_built = (name: string) =>
    run.some((row) => row.kind === "path" && name.startsWith(plain(row.path).split("/")[0] ?? ""));
  return nowhere.filter((name) => !is_built(name)).filter((name) =>
    rows.some((names) => names.includes(name)) || stands_below(name) ||
    said.some((one) => {
      const at = one.search(new RegExp(`(?<![\\w./-])${RegExp.escape(name)}(?![\\w/-]|\\.\\w)`));
      const clauses = one.slice(0, Math.max(at, 0)).split(/[;.] | [–—-] /);
      const head = clauses.at(-1) ?? "";
      const rest = one.slice(at + name.length);
      const is_ordered = ORDER.test(head) || clauses.length > 1 && ORDER.test(`, ${head}`);
      const clause = [one.slice(0, Math.max(at, 0)).split("; ").at(-1), rest.split("; ")[0]];
      if (at < 0 || is_ordered || is_open(clause.join(" "))) return false;
      return names_file(asked, name) && SUBJECTS.test(head) && HOLDS.test(rest) ||
        MADE(head) && (PLACE.test(head) || DIRECT.test(head));
    })
  ).map((name) => ({ what: "any", names: [name] }));
}
