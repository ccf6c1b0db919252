/** What the words around a block say about it: that it is an example, or that the model is about to act. */

/** Only the last line of the words before a block is looked at. */
const EXAMPLE =
  /\b(?:examples?|formats?|syntax|template|e\.g\.|for instance|such as|looks? like|like (?:this|so)|(?:would|will|could) (?:be|look|print|write)|prints?|printed|emits?|emitted|writes|outputs|generates|produces|means|says|called like|as follows|Beispiel|ejemplo|exemple|format)\b|例如|格式|比如/i;

/** First person, and words that lead to an act. */
const INTENT =
  /\b(?:I['’]?ll|I will|I am going to|I['’]m going to|I need to|I should|I must|I have to|I want to|I['’]d like to|let me|let['’]s|we need to|we should|(?:first|now|next|then),? (?:I|we|let)|here(?:['’]s| is) (?:the|my) (?:tool|function) ?call|ich werde|lass mich|zuerst|voy a|je vais)\b|^(?:now |first |next )?(?:reading|running|checking|looking|opening|searching|listing|editing|writing|creating|calling|executing)\b|我(?:来|将|要|先|会)|让我/im;

const REPORT =
  /\b(?:expects?|contains?|holds|shows?|showed|sen(?:ds?|t)|said|returns?|returned|replied|answers?|answered|receives?|received|calls|called|wrote|logs|logged|quotes?|quoted|reads|was|were|had|did(?: not|n['’]t)|would|could)\b/i;

/** A model that tells itself, or its user, what comes next: each part has one way to match, as it may be without end. */
const ORDER =
  /^(?:(?:now|next|first|then|finally|and|so|okay|ok|also|step \d+)[,:.]? +|to [^,]+, +)*(?:to [^,]+ )?(?:run|read|check|look|open|search|find|list|edit|write|create|add|fix|update|verify|test|try|see|inspect|view|show|get|fetch|grep|build|install|commit|call|use|make|set|remove|delete|replace|change|apply|rerun|confirm|explore|start|examine|compare|count|print)\b/i;

/** A quotation, or an entry of a list under a name, with a block in the same line. */
const QUOTED = /^\s*>|^\s*(?:[-*+]|\d+[.)])\s[^:]*[:：]\s*$/;
const ROLE = /^(?:assistant|model|agent|AI)\s*:\s*$/i;
const OTHER_ROLE = /^(?:user|human|system|tool)\s*:/im;

/** A sentence that goes on behind a block. */
const GOES_ON =
  /^\s*(?:and|so|or|but|which|that|then|because|as|in|is|are|was|were|would|to|for|with|while|where|when|if|instead|before|after|yet|not|it)\s/;
/** What ends a string around a block. */
const CLOSES = /^[ \t]*["'`)]/;
/** Words of a sentence, and not the result that a model has made up. */
const PROSE = /^\s*(?!\w+(?: \w+)? (?:output|results?|response)\b)[A-Z][\w'’]* [a-z]/;
/** The end of an element that is not about calls. */
const ENDS_ELEMENT = /^\s*<\/(?![\w:-]*(?:call|tool|answer|action|response|think))([\w:-]+)>/i;

interface Around {
  readonly lead: string;
  readonly inline: boolean;
  readonly rest: string;
}

/** Whether a block is a call, or part of what a model tells about calls; `doubtful` where only the model knows. */
export function intent_of({ lead, inline, rest }: Around): "meant" | "shown" | "doubtful" {
  if (explains(lead) || GOES_ON.test(rest) || CLOSES.test(rest)) return "shown";
  const before = lead.split("\n").at(-1) ?? "";
  const announced = INTENT.test(last_line(lead));
  const in_transcript = ROLE.test(before) && OTHER_ROLE.test(lead);
  if (inline && ((QUOTED.test(before) && !announced) || in_transcript)) return "shown";
  const [, element] = ENDS_ELEMENT.exec(rest) ?? [];
  if (element !== undefined && lead.includes(`<${element}`)) return "shown";
  const clause = last_line(lead).split(/[.!?。！？]\s+/).at(-1) ?? "";
  const reported = /[:：]$/.test(clause) && !announced && !ORDER.test(clause);
  return reported && (REPORT.test(clause) || PROSE.test(rest)) ? "doubtful" : "meant";
}

/** Whether what follows these words is shown, not meant. */
function explains(lead: string): boolean {
  const line = last_line(lead);
  return !/[.!?。！？]$/.test(line) && EXAMPLE.test(line) && !INTENT.test(line);
}

/** Whether a model that says this continues with an act, or says nothing at all. */
export function leads_to_act(lead: string): boolean {
  const line = last_line(lead);
  return line === "" || (INTENT.test(line) && !EXAMPLE.test(line));
}

function last_line(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
