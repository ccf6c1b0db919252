/** Files that an answer says were all that was changed, and others were. */
import type { View } from "../../guards/rule.ts";
import { files_in, names_file } from "../answer/files.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { plain } from "../answer/text.ts";
import { table } from "../phrases/words.ts";
import { changed, is_same } from "../facts/facts.ts";

const ONLY = table(
  "\\b(?:i(?:'ve| have)? )?only (?:changed|edited|touched|modified)\\b|\\bonly \\S+ (?:(?:was|has been|is) )?(?:changed|edited|touched|modified)\\b",
  "\\b(?:is|was) the only (?:difference|change)\\b|\\bthe only (?:file|one) (?:i(?:'ve)? |that (?:i |was |has been )?)?(?:changed|edited|touched|modified)\\b",
  "\\bnur \\S+ (?:\\S+ ){0,3}geandert\\b|\\bseul \\S+ (?:a ete|est) modifie\\b|\\bsolo (?:he )?(?:cambie|cambiado|modifique|modificado)\\b|\\bmodificato solo\\b|只(?:修改|改动|改)了?",
  "\\beinzige datei, die \\S+ geandert\\b|\\bseul fichier (?:que j'ai )?modifie\\b|\\bunico (?:archivo|arquivo|file) que (?:alterei|modifiquei|mudei|cambie|modifique|ho modificato)\\b",
);

/** Not all that was done. */
const LATER = /\b(?:after|since|then|later|afterwards|this (?:time|turn)|danach|depuis|despues)\b/;

/** Whether a tool has changed a file that the answer does not name, where it says that it changed only files that it names. */
export function leaves_out_changes({ text, said }: FinalAnswer, { turn }: View): boolean {
  const told = said.some((one) => ONLY(one) && !LATER.test(one) && files_in(one).length > 0);
  if (!told) return false;
  const left = changed(turn).map(plain);
  return turn.some((row) => {
    const path = row.kind === "attempt" && row.ok ? row.path : undefined;
    return path !== undefined && left.some((one) => is_same(one, plain(path))) &&
      !names_file(text, path, { stem: true });
  });
}
