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
    "unchanged reads of one range that are run; more are answered without reading; 0 is no limit",
  ),
  identical_bash: whole(
    3,
    "runs of a command with the same result; more are answered without running; 0 is no limit",
  ),
  doom_loop_threshold: whole(
    3,
    "the same calls in a row with the same results; more are answered without running; 0 is off",
  ),
  read_warning: whole(32, "reads that show nothing new before the model is told; 0 is off"),
  read_limit: whole(
    64,
    "reads that show nothing new; more are answered without reading; 0 is no limit",
  ),
  escalation_steps: {
    kind: "integers",
    doc: "steps that show nothing new after which the model is told, if a change is asked for",
    fallback: [8, 9, 10],
    expects: "a list of whole numbers",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  } as Key<number[]>,
  max_truncations: whole(3, "replies in a row with cut calls before the run ends; 0 is no limit"),
  recoveries: whole(
    5,
    "warnings before a run stops; a change or a passing command gives them back; 0: stop at once",
  ),
  auto_continues: whole(2, "how many times a cut answer is asked to go on where it stopped"),
};

export const CONTEXT_KEYS = {
  compact_at: share(
    0.75,
    "share of the room in the window at which older messages are compacted; 0 is never",
  ),
  critical_at: share(0.95, "share that ends the run if compaction does not help; 0 is never"),
  protect_last: whole(20, "latest messages that compaction keeps, if they fit"),
  summarize_after_steps: whole(
    8,
    "steps from which the model writes a summary; fewer are only listed",
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
    "most bytes of a tool result; bash (10 kB), and read without a limit (16 kB), show less unless this is raised; 0: all",
  ),
};
