import { GO_ON, type Mode, only_answers, type Rule, rule } from "../guards/rule.ts";
import { is_deferral, is_filler, is_planning } from "./phrases/mod.ts";
import { asks, type Block, read, sentences } from "./text.ts";

const NUDGE =
  "You announced an action but called no tool. Call the tool now, or give the final answer.";

/** Fences of what a small model prints where it should call `bash`. */
const SHELL = /^(?:bash|sh|shell|zsh|console|terminal|cmd|powershell)\b/;

/** "1, 2, 3, ..." is an answer that trails off, not one that breaks off. */
const ENUMERATION =
  /(?:,|、|\b(?:etc|and so on|usw|u\.s\.w|y así|et ainsi de suite)\.?|等等?|\d)\s*\.\.\.$/iu;

const STOP = "The model only announced what it would do, and called no tool in this turn.";

/**
 * May a turn end with an announcement ("Let me look at the code first.")? It is told to act, up to `nudges`
 * times a turn; after that it is no ending where no call was run, else the other gates decide. With 0 it never speaks.
 * The memory is the number of nudges given.
 */
export function intent(settings: { readonly nudges: number }): Rule {
  return rule<number>({
    name: "intent",
    start: 0,
    check(moment, view, given) {
      if (moment.at !== "ending" || !announces(moment.text, view.mode)) {
        return { verdict: GO_ON, memory: given };
      }
      if (given >= settings.nudges) {
        // Modes that ask for evidence have gates that look for it.
        const done = settings.nudges === 0 || view.mode === "patch" || view.mode === "verify" ||
          view.actions.some(({ ran }) => ran);
        return {
          verdict: done ? GO_ON : { kind: "stop", reason: "contract_unsatisfied", text: STOP },
          memory: given,
        };
      }
      return { verdict: { kind: "nudge", text: NUDGE }, memory: given + 1 };
    },
  });
}

/** The end of a reply decides: whatever was said before, an announcement at its end was not followed. */
function announces(text: string, mode: Mode): boolean {
  const { tail, whole } = read(text);
  const last = tail.at(-1);
  if (last === undefined) return false;
  if (last.kind === "prose" && prose_announces(last)) return true;
  if (!whole) return false;
  switch (last.kind) {
    case "prose":
      return only_announces(tail);
    case "list":
      // Announced steps are a plan, and in `ask` mode a plan may be what was asked for.
      return only_announces(tail) || (!only_answers(mode) && leads_in(tail));
    case "code":
      return SHELL.test(last.info) && leads_in(tail);
  }
}

function prose_announces(block: Block): boolean {
  const sentence = sentences(block).at(-1) ?? "";
  return !asks(sentence) && (breaks_off(block, sentence) || is_planning(sentence));
}

/** Ends in `:` or `...`, which means the same in every language. */
function breaks_off(block: Block, sentence: string): boolean {
  const line = block.lines.at(-1) ?? "";
  if (line.endsWith(":")) return true;
  return line.endsWith("...") && !ENUMERATION.test(line) && !is_deferral(sentence);
}

/** Nothing but announcements and what may go with them: "I'll read it. This will help me." */
function only_announces(blocks: readonly Block[]): boolean {
  const said = blocks.flatMap(sentences);
  return !blocks.some((block) => block.kind === "code") && said.some(is_planning) &&
    said.every((sentence) => !asks(sentence) && (is_planning(sentence) || is_filler(sentence)));
}

/** All that stands before the last block is its announcement: "I'll run the tests:" and a command. */
function leads_in(blocks: readonly Block[]): boolean {
  const before = blocks.slice(0, -1);
  return before.length > 0 && only_announces(before);
}
