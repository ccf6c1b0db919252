/** Orders to the speaker about how to speak and behave: nothing but the next answers shows that they are followed. */
import { files_in } from "./files.ts";
import { any } from "../phrases/words.ts";

const LANGUAGE = any(
  `english german french spanish italian portuguese dutch polish russian ukrainian czech swedish danish norwegian finnish greek turkish arabic
  hindi chinese japanese korean vietnamese deutsch englisch franzosisch spanisch italienisch francais anglais allemand espagnol espanol ingles
  frances aleman italiano italien portugues`,
);
const TONE = any(
  "brief short concise terse succinct polite friendly nice honest critical careful formal casual informal verbose detailed thorough direct blunt patient precise",
);
/** What an answer is made of. */
const FORM = any(
  "emojis? emoticons? smileys? markdown bullet_points bullets lists headings headlines tables apologi[sz]ing apologies small_talk exclamation_marks? filler jargon",
);
/** What a program could not be meant to do. */
const BEHAVE =
  "(?:(?:ask|tell|show|answer|warn) me|commit|push|touch|guess|run (?:the |all |all the )?(?:tests?|test suite|linter|formatter|checks))";
/** In the first place of a sentence: nothing of it is an order of another kind. */
const MANNER = new RegExp(
  `^(?:ok(?:ay)?,? |and |but |please |now |then |just |from (?:now|here) on,? |bitte |por favor,? |s'il te plait,? )*(?:${
    [
      `(?:let's )?(?:answer|reply|respond|speak|talk|write|continue|go on|switch|change)(?: to me| back| with me| over)* (?:in|to) ${LANGUAGE}`,
      `(?:antworte|sprich|schreibe?|rede|wechsle)(?: \\w+){0,4} (?:auf|zu|in) ${LANGUAGE}`,
      `(?:reponds|parle|ecris|continue|passe)(?:-moi| moi)? (?:en|au|a l') ?${LANGUAGE}`,
      `(?:responde|habla|escribe|contesta|cambia|sigue)(?:me)? (?:en|al|a) ${LANGUAGE}`,
      `(?:be|stay) (?:(?:more|less|very|a bit|a little) )?${TONE}(?: with me| here| in your \\w+)?`,
      `keep (?:it|them|(?:your |the )?(?:answers|replies|responses)) (?:\\w+ )?${TONE}`,
      "(?:call|address) me \\S+",
      `(?:stop|no more|avoid|don't|do not|never)(?: using| use| with| adding| writing)? ${FORM}`,
      "(?:act|behave|pretend|role-?play) (?:as|like|to be|that) [^,;:]{1,60}",
      "(?:you are|you're) (?:now )?(?:an?|my|the) [^,;:]{1,60}",
      "(?:forget|disregard|ignore) (?:it|that|this|everything|what i (?:said|wrote|asked)(?: \\w+){0,2}|(?:the|my) (?:last|previous|earlier) \\w+|(?:the )?\\w+ warnings for now)",
      `(?:always|never|don't|do not) ${BEHAVE}\\b[^,;:]{0,60} (?:before|after|first|when|unless|without|until)\\b[^,;:]{0,60}`,
      "(?:let's |we )?(?:start|begin) (?:over|again|afresh)",
    ].join("|")
  })(?:,? (?:please|from (?:now|here) on|for now|again|today|bitte|por favor|ab jetzt|we start over|instead))*\\W*$`,
);

/** How it is to be done whenever it comes to that: "from now on use tabs". */
const STANDING =
  /^(?:again[:,] |ok(?:ay)?,? |and |but |so |please )*(?:from (?:now|here) on|henceforth|going forward),? (?!(?:an?|all|each|every|its?|my|our|th\w+)\b|(?!you\b)\w+ (?:must|should|needs?|has|have|is|are)\b)\w|^(?!(?:an?|all|each|every|its?|my|our|th\w+)\b).*\bfrom (?:now|here) on\W*$/;

/** Whether a task, in `plain` text, is nothing else. */
export function is_of_manner(task: string): boolean {
  const sentences = task.split(/[.!?;\n]+\s*/).filter((one) => one.trim() !== "");
  const is_standing = (one: string) => STANDING.test(one) && files_in(one).length === 0;
  return sentences.length > 0 &&
    sentences.map((one) => one.trim()).every((one) => MANNER.test(one) || is_standing(one));
}
