/** Settings of the guards and of the context window. The numbers are those of seed 000; of continued answers, seeds 003 and 004. */
import { type Key, share, whole, word } from "./key.ts";

/** Bytes of one result of a tool: what other agents take at most, 50 kB. */
export const TOOL_RESULT_BYTES = 51_200;

/** `[guards]`; 0 is off, or no limit. */
export const GUARD_KEYS = {
  action_nudges: whole(
    3,
    "0: an answer that does nothing is judged at once; else the model is asked about it, once a turn",
  ),
  claim_nudges: whole(
    2,
    "0: a claim without evidence is judged at once; else the model is asked about it, once a turn",
  ),
  identical_reads: whole(
    5,
    "reads of the same range, unchanged, before the next is answered, not run; 0 is no limit",
  ),
  identical_bash: whole(
    3,
    "runs of a command with the same result before the next is answered; 0 is no limit",
  ),
  doom_loop_threshold: whole(
    3,
    "the same calls in a row, same results, before the next are answered; 0 is off",
  ),
  read_warning: whole(32, "reads that showed nothing new before the model hears of it; 0 is off"),
  read_limit: whole(64, "the same before such reads are answered, not run; 0 is no limit"),
  escalation_steps: {
    kind: "integers",
    doc: "steps that showed nothing new at which the model hears of it, if a change is asked for",
    fallback: [8, 9, 10],
    expects: "a list of whole numbers",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  } as Key<number[]>,
  max_truncations: whole(3, "replies in a row with cut calls before the run ends; 0 is no limit"),
  recoveries: whole(
    5,
    "messages before a stop, until a change or a passing command gives them back; 0: stop at once",
  ),
  auto_continues: whole(2, "times a cut answer is asked to go on where it stopped"),
};

/** `[context]` */
export const CONTEXT_KEYS = {
  compact_at: share(
    0.75,
    "share of the room in the window at which older messages are compacted; 0 is never",
  ),
  critical_at: share(0.95, "share that ends the run if compaction does not help; 0 is never"),
  protect_last: whole(20, "latest messages that a compaction leaves alone, if they fit"),
  summarize_after_steps: whole(
    8,
    "steps that are worth a summary by the model; fewer are just listed",
  ),
  strategy: word(["compact", "sliding_window"], {
    fallback: "compact",
    doc: "what happens to older messages: compact summarizes them, sliding_window drops them",
  }),
  tool_result_lines: whole(
    2000,
    "most lines of one tool result that the model sees; 0 is no limit",
  ),
  tool_result_bytes: whole(
    TOOL_RESULT_BYTES,
    "most bytes of a tool result; bash (10 kB), and read without limit (16 kB), give less unless it is raised; 0: all",
  ),
};
