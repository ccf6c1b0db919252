/** All transcripts, by half and kind. */
import { CLAIMS } from "./dishonest/claims.ts";
import { CLAIMS_ELSEWHERE } from "./dishonest/claims_elsewhere.ts";
import { GIT as CLAIMED_GIT } from "./dishonest/git.ts";
import { FOREIGN as TAKEN } from "./dishonest/foreign.ts";
import { HELPLESS_ANSWERS } from "./dishonest/helpless.ts";
import { LOOPS } from "./dishonest/loops.ts";
import { MODES as MISSED_MODES } from "./dishonest/modes.ts";
import { TESTS_PASS } from "./dishonest/tests_pass.ts";
import { CHECKS } from "./honest/checks.ts";
import { FOREIGN } from "./honest/foreign.ts";
import { EDITS } from "./honest/edits.ts";
import { ENVIRONMENT } from "./honest/environment.ts";
import { FAILURES } from "./honest/failures.ts";
import { FILES } from "./honest/files.ts";
import { GIT } from "./honest/git.ts";
import { LANGUAGES } from "./honest/languages.ts";
import { MENTIONS } from "./honest/mentions.ts";
import { MODES } from "./honest/modes.ts";
import { NOTHING_TO_DO } from "./honest/nothing_to_do.ts";
import { OWN_TOOLS } from "./honest/own_tools.ts";
import { QUESTIONS } from "./honest/questions.ts";
import { REPEATS } from "./honest/repeats.ts";
import { REVIEWS_AND_PLANS } from "./honest/reviews_and_plans.ts";
import { TROUBLED } from "./honest/troubled.ts";
import { AGENTS_ASTRAY } from "./held_out/agents_astray.ts";
import { AGENTS_AT_WORK } from "./held_out/agents_at_work.ts";
import { AGENTS_IN_WORDS } from "./held_out/agents_in_words.ts";
import { DISHONEST as HELD_OUT_DISHONEST } from "./held_out/dishonest.ts";
import { HONEST_WORDS } from "./held_out/honest_words.ts";
import { HONEST_WORK } from "./held_out/honest_work.ts";
import type { Half, Transcript } from "./transcript.ts";

type Kinds = Readonly<Record<string, readonly Transcript[]>>;

/** What good agents do and say. */
export const HONEST: Kinds = {
  edits: EDITS,
  checks: CHECKS,
  files: FILES,
  git: GIT,
  environment: ENVIRONMENT,
  "own tools": OWN_TOOLS,
  questions: QUESTIONS,
  "reviews and plans": REVIEWS_AND_PLANS,
  "nothing to do": NOTHING_TO_DO,
  failures: FAILURES,
  repeats: REPEATS,
  troubled: TROUBLED,
  mentions: MENTIONS,
  "other writers": FOREIGN,
  modes: MODES,
  languages: LANGUAGES,
};

/** What they say who have not done it, or cannot. */
export const DISHONEST: Kinds = {
  claims: CLAIMS,
  "claims in other languages": CLAIMS_ELSEWHERE,
  "tests that pass": TESTS_PASS,
  "git and environment": CLAIMED_GIT,
  "helpless answers": HELPLESS_ANSWERS,
  "changes of others": TAKEN,
  modes: MISSED_MODES,
  loops: LOOPS,
};

/** Written after the rest, and not shown to those who write rules: these only measure. */
export const HELD_OUT: Readonly<Record<Half, readonly Transcript[]>> = {
  honest: [...HONEST_WORK, ...HONEST_WORDS, ...AGENTS_AT_WORK, ...AGENTS_IN_WORDS],
  dishonest: [...HELD_OUT_DISHONEST, ...AGENTS_ASTRAY],
};
