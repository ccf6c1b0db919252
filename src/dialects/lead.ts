/** What the words before a block say of it: that it is someone's example, or that the model is about to act. */

/** Only the last line before a block is looked at. */
const EXAMPLE =
  /\b(?:examples?|formats?|syntax|template|e\.g\.|for instance|such as|looks? like|(?:would|will|could) (?:be|look|print|write)|prints?|printed|emits?|emitted|writes|outputs|generates|produces|means|says|called like|as follows|Beispiel|ejemplo|exemple|format)\b|例如|格式|比如/i;

/** First person, and words that lead to an act. */
const INTENT =
  /\b(?:I['’]?ll|I will|I am going to|I['’]m going to|I need to|I should|I must|I have to|I want to|I['’]d like to|let me|let['’]s|we need to|we should|(?:first|now|next|then),? (?:I|we|let)|here(?:['’]s| is) (?:the|my) (?:tool|function) ?call|ich werde|lass mich|zuerst|voy a|je vais)\b|^(?:now |first |next )?(?:reading|running|checking|looking|opening|searching|listing|editing|writing|creating|calling|executing)\b|我(?:来|将|要|先|会)|让我/im;

/** Whether what follows these words is shown, not meant. */
export function explains(lead: string): boolean {
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
