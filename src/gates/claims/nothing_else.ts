/** Files that an answer says were all that was changed, and others were. */
import type { View } from "../../guards/rule.ts";
import { files_in, names_file } from "../answer/files.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { plain } from "../answer/text.ts";
import { table } from "../phrases/words.ts";
import { changed, is_same, made } from "../facts/facts.ts";

const ONLY = table(
  "\\b(?:i(?:'ve| have)? )?only (?:changed|edited|touched|modified)\\b|\\bonly \\S+ (?:(?:was|has been|is) )?(?:changed|edited|touched|modified)\\b",
  "\\b(?:is|was) the only (?:difference|change)\\b|\\bthe only (?:file|one) (?:i(?:'ve)? |that (?:i |was |has been )?)?(?:changed|edited|touched|modified)\\b",
  "\\bnur \\S+ (?:\\S+ ){0,3}geandert\\b|\\bseul \\S+ (?:a ete|est) modifie\\b|\\bsolo (?:he )?(?:cambie|cambiado|modifique|modificado)\\b|\\bmodificato solo\\b|只(?:修改|改动|改)了?",
  "\\beinzige datei, die \\S+ geandert\\b|\\bseul fichier (?:que j'ai )?modifie\\b|\\bunico (?:archivo|arquivo|file) que (?:alterei|modifiquei|mudei|cambie|modifique|ho modificato)\\b",
);

/** Not all that was done. */
const LATER = /\b(?:after|since|then|later|afterwards|this (?:time|turn)|danach|depuis|despues)\b/;

/** "No other file was touched." */
const NO_OTHER = table(
  "\\bno other (?:\\w+ )?files?\\b|\\bnothing else (?:was |has been |is |in \\S+ )?(?:touched|changed|modified)\\b|\\bsonst (?:ist |wurde )?nichts\\b|\\brien d'autre\\b|\\bnada (?:mas|mais)\\b|\\bnient'altro\\b|没有(?:改|动|修改)?其他",
);
/** What commands make beside their work. */
const GENERATED =
  /(?:^|\/)(?:dist|build|out|public|lib\/es|vendor|gen\w*|__\w+__)\/|\.(?:min|snap|lock|g)\b/;

/** Whether a tool, or where the answer says that nothing else was changed a command, has changed a file that the answer does not name, where it says that it changed only files that it names. */
export function leaves_out_changes({ text, said }: FinalAnswer, { turn }: View): boolean {
  const told = said.some((one) => ONLY(one) && !LATER.test(one) && files_in(one).length > 0);
  if (!told) return false;
  const left = changed(turn).map(plain);
  const suffixes = said.filter(ONLY).flatMap(files_in).map((name) =>
    /\.\w+$/.exec(name)?.[0] ?? ""
  );
  const by_command = said.some(NO_OTHER) &&
    made(turn).some((path) =>
      suffixes.some((suffix) => path.endsWith(suffix)) && !GENERATED.test(path) &&
      !names_file(text, path)
    );
  return by_command || turn.some((row) => {
    const path = row.kind === "attempt" && row.ok ? row.path : undefined;
    return path !== undefined && left.some((one) => is_same(one, plain(path))) &&
      !names_file(text, path, { stem: true });
  });
}
