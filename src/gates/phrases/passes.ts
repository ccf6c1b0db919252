/** Words by which an answer says that a test, a build or the like passes. */
import { any, table } from "./words.ts";

/** What tests, lints or builds, and what is counted in it. */
const CHECKER = any(
  `tests? specs? suites? builds? lint(?:er|ing)? type-?_?check\\w* checks ci pipeline compilation scenarios? cases examples assertions doctests
  (?:npm|pnpm|yarn|deno|cargo|go|make|dotnet)(?:_run)?_(?:test|check|lint|build|vet|clippy)
  pytest unittest ruff mypy pyright flake8 pylint eslint tsc jest vitest mocha playwright cypress rspec rubocop phpunit phpstan psalm clippy
  golangci-lint actionlint valgrind cppcheck credo dialyzer gradle maven mvn ctest shellcheck \\S*(?:test|spec)\\S*\\.\\w+ test\\x5f\\w+`,
);
/** These are passed to something. */
const PASSED_ON =
  "(?! (?:the|an?|its?|them|their|this|that|to|into|through|along|args?|arguments?|--\\S+|\\w+: (?:true|false|null|\\d+))(?![\\w-]))";
/** Between it and what is said of it; no denial, condition or wish. */
const BETWEEN = `(?:[:,]? (?!(?:${
  any(
    "verify not no never none neither nor only should would will can could may might must to if when once until that which whether fail\\w* red before \\w+n't un\\w+",
  )
})(?![\\w-]))\\S+){0,5}?:? +(?:now |all |still |also |both |again )*`;
/** The answer says that a test, a build or the like passes. */
export const claims_pass = table(
  `(?<!\\bno |not all |\\bif |\\bwhen |\\bonce |\\buntil |\\bwhether |\\bso that |\\bmake |\\bthat )\\b${CHECKER}${BETWEEN}(?:pass(?:es|ed|ing)?\\b${PASSED_ON}|succeed(?:s|ed)?\\b|succeeding\\b|(?:reports? (?:ok|no)|no longer (?:reports?|complains?|warns?|flags?|finds?|fails?|errors?))\\b|(?:is|are|was|were|runs?|ran|(?:comes?|came) (?:out|back)) (?:now |all |\\w+ing )*(?:green|passing|successful|clean(?:ly)?|happy|ok(?:ay)?)\\b|(?<=: )(?:all )?(?:green|clean|ok|passing)\\b)`,
  `(?<!\\bif |\\bonce |\\buntil |\\bwhether )\\b${CHECKER} (?:ran|runs?|complete[sd]?|finish(?:es|ed)|executed) (?:\\w+ )?(?:ok|successfully|cleanly|without (?:any )?(?:errors?|failures?|problems?|warnings?|complaints?))\\b|\\b(?:build|compilation) success(?:ful)?\\b|(?<!\\bnot )\\ball (?:is |are )?green\\b|\\bran (?:it|them|the \\w+) (?:\\d+|\\w+ty|ten|a hundred|several) times\\b[^.;]*\\b(?:without|no failures?|all|each|every)\\b|\\b(?:re-?)?ran\\b[^.;]*\\band (?:it|they|(?:all|both|each)(?: of (?:them|these|those))?|everything)(?:'s|'re| is| are| was| were| now| all)* (?:green|pass(?:es|ed)?|clean)\\b`,
  `\\b\\d+ (?:tests? )?pass(?:e[sd]|ing)?\\b${PASSED_ON}|\\beverything (?:pass(?:es)?|is green)\\b|\\b(?:ran|it|they) (?:and )?pass(?:es|ed)\\b${PASSED_ON}|(?<!\\bnot )\\ball (?:\\d+|of them|(?:two|three|four|five|six)(?: \\w+)?) (?:now )?(?:pass|succeed)(?:ed)?\\b${PASSED_ON}`,
  "^(?!.*\\b(?:log|should|would|will|can|if|so that)\\b).*\\b(?:reports?|reported|shows?|with|finds?|found|are|:) (?:no|0|zero) (?:\\w+ )?(?:errors?|warnings?|failures?)\\b|\\bno (?:errors?|warnings?|failures?) (?:remain|are left|left)\\b",
  "(?<!\\b(?:if|once|until|whether|that|make sure) )\\b(?:everything|it all|(?:the |your |whole |entire )(?:\\w+ )?(?:project|code(?:base)?|crate|app(?:lication)?|package|program|workspace|solution|file|document|module|header)) (?:now |still |also |again )*(?:compiles|builds|type-?checks)(?= (?:again|now|cleanly|without|with no|fine|successfully|on|under)\\b|[,;:]|\\W*$)|(?<!\\b(?:if|once|until|whether|that|so|and) )\\b(?:it|this|\\S+\\.[a-z]{1,5}) (?:now |still |also |again )*(?:compiles|builds|type-?checks) (?:again\\b|cleanly|without|with no|fine\\b|successfully)|\\bno regressions\\b|\\bbuild (?:now )?works\\b",
  "\\balle (?:\\d+ )?grun\\b|\\b(?:alle|die|samtliche) (?:\\S+ )?tests?\\b[^.;]{0,60}\\b(?:grun|erfolgreich|bestanden|laufen(?: \\S+)? durch|bestehen)\\b|^(?!.*\\b(?:nicht|wenn|ob|damit|falls)\\b).*\\bkompilier(?:t|en) (?:jetzt |nun |wieder )*(?:fehlerfrei|sauber|erfolgreich|ohne (?:fehler|warnung))",
  "^(?!.*\\b(?:ne|n'\\w+|pas|no|ni|nem|nao|non|si|se|quand|cuando)\\b).*(?:\\b(?:suite|serie) (?:de |des )?tests? passe\\b|\\btests?\\b[^;]{0,60}\\b(?:passent|reussissent|sont (?:verts|passes))\\b|\\b(?:pruebas|tests?)\\b[^;]{0,40}\\b(?:pasan?|pasaron|estan en verde|han pasado)\\b|\\btestes?\\b[^;]{0,40}\\b(?:passam|passaram|passou|passa)\\b|\\btout passe\\b|\\b(?:projet|code|application|fichier|document|tout) compile\\b|\\bil compile (?:sans|bien|correctement|proprement)\\b|\\bcompila (?:sin|sem|senza|bien|correct\\w+|limpi\\w+)\\b|\\bcontinuam passando\\b|\\bsiguen pasando\\b)|\\bpasan (?:ya )?(?:todas las|todos los|las|los) (?:pruebas|tests)\\b",
  "\\btests?(?: results?)?: (\\d+) ?/ ?\\1\\b|\\btests?(?: results?)?: (?:all |\\d+ )?(?:ok|green|passed|passing)\\b|\\btests? (?:that|which) (?:failed|were failing|broke)(?: \\w+){0,2} (?:now )?(?:pass|succeed)\\b|\\bno tests? fails?(?! (?:if|when|because|for|with|in)\\b)",
  `(?<!\\b(?:if|once|until|whether) (?:all )?)\\b(\\d+) ?(?:of|out of|/) ?(?:the )?\\1 (?:\\w+ )?(?:runs?|times|iterations|attempts|rounds|repetitions|tests?|cases|specs) (?:now |have |all )*(?:pass(?:ed)?|succeed(?:ed)?|(?:are|were) (?:green|clean))\\b${PASSED_ON}|\\bpass(?:ed|es)? (?:all )?(\\d+) ?(?:of|out of|/) ?(?:the )?\\2 (?:runs|times|iterations|attempts)\\b`,
  "\\btests?\\b[^.;]{0,30}\\bnone (?:of (?:them|which|these|those) )?(?:fails?|failed|(?:is|are) failing)\\b(?! (?:if|when|because|for|with|in|without)\\b)|\\btests?[,;] (?:0|zero) (?:fail|failed|failing|failures)\\b",
  "\\btests ausgefuhrt[;,.] (?:und )?(?:sie |es )?alle (?:bestehen|bestanden|laufen|grun)|\\bbuild passa (?:sem|senza)\\b|(?:^|[^\\p{L}])тест[^.;]*, (?:и )?все прошли|^(?!.*(?:^|[^\\p{L}])не ).*(?:сборка|компиляция) (?:\\p{L}+ )?(?:проходит|прошла)",
  "(?:ビルド|コンパイル)[^。]{0,10}成功(?:し(?:ました|ます|ています))|(?:빌드|컴파일)[^.]{0,10}(?:성공|통과)(?:했|합|하)",
  "(?:测试|用例|构建|编译)(?:(?![不未没无])[^。;!?]){0,14}?(?:通过|成功)",
  "テスト[^。]{0,20}(?:成功し|通り|通過し|パスし|合格し)(?:ました|ます|ています)|成功することを確認|테스트[^.]{0,20}(?:통과|성공)(?:합니다|했습니다)|^(?!.*(?:^|[^\\p{L}])не ).*тест\\p{L}* (?:\\p{L}+ ){0,2}(?:проход[яи]т|прошл[иа]|пройдены?|зелены[ей])|^(?!.*(?:^|[^\\p{L}])не ).*все (?:\\d+ )?(?:тест\\p{L}* )?проходят",
  "^(?!.*\\b(?:nem|nao|non|nie|niet)\\b).*(?:\\bi (?:\\S+ )?test (?:\\S+ )?(?:passano|sono passati)\\b|\\btesty (?:\\S+ )?(?:przechodza|przeszły)(?!\\p{L})|\\b\\d+ testow przechodzi\\b|\\b(?:alle|de) tests? (?:\\S+ )?(?:sla(?:gen|agt)|(?:zijn|is) (?:nu )?geslaagd)\\b|\\btestler (?:\\S+ )?geciyor\\b)|^(?!.*नहीं).*टेस्ट (?:अब )?पास (?:हो|हैं)",
);
/** It is about a build or a linter. */
export const speaks_of_builds = table(
  "\\b(?:builds?|compil\\w+|\\w*lint\\w*|clippy|checks|types?|tsc|mypy|ruff)\\b",
);
/** It is about tests, and no build or linter. */
export const speaks_of_tests = table(
  "^(?!.*\\b(?:builds?|compil\\w+|lint\\w*|clippy|checks|types?)\\b).*(?:\\b(?:tests?|specs?|suites?|pruebas|testes|testy|testler)\\b|测试|テスト|테스트|тест|टेस्ट)",
);
/** It is about all the tests that there are, by its own words or those of the task, and not those of a file or folder. */
export function speaks_of_all_tests(sentence: string, task: string): boolean {
  const names_some = [sentence, task].some((text) => SOME_TESTS.test(text));
  return !names_some && (ALL_TESTS.test(sentence) ||
    ALL_TESTS.test(task) && /\b(?:all|everything|suite)\b/.test(sentence));
}
const SOME_TESTS =
  /\b(?:tests?|suite) (?:of|in|for|from|under) (?!(?:the )?(?:all|every|each|project|repo\w*|code\w*|packages?|suite|whole|workspace)\b)/;
const ALL_TESTS =
  /\b(?:whole|entire|full|complete) (?:\w+ )?(?:tests?|suite)\b|\btests? (?:of|in) (?:all|every|each) (?:\S+ ){0,2}(?:packages?|crates?|modules?|projects?|workspaces?|services?|apps?|folders?|director(?:y|ies)|repos\w*|librar(?:y|ies)|members?)\b|\b(?:run|ran|execute|executed) [^.;]{0,40}\btests? (?:of|in|for) (?:all|every|each) |\b(?:run|ran|execute|executed) (?:all|every)\b.*\btests?\b|\ball (?:\w+ )?tests? in all\b/;
/** Makes it a condition, or a wish. */
export const supposes_pass = table(
  "\\bafter (?:all |the )*(?:\\w+ )?(?:tests?|checks|suite|runs?) pass\\b",
  "\\b(?:expect|hope|assume|believe|want|need)\\b[^.;]{0,60}\\bto pass",
  "^(?:then |now |just |simply )?(?:run|use|change|replace|install|add|remove|call|pass|start|update|apply|delete|rename|export)\\b(?! (?:is|was|now|has)\\b).* (?:and|then)\\b",
  "\\b(?:should|would|ought to|sollten?|mussten?|devrai(?:t|ent)|deberian?)\\b[^.;]{0,40}\\bpass",
  "\\bpass(?:es)? only (?:if|when|with|once|after)\\b|\\bwhich pass(?:es)? (?:if|when|once|unless)\\b",
  "\\bwhen(?:ever)? (?:\\S+ ){0,3}(?:pass|succeed)(?:es|s)?\\b|\\b(?:if|once|until|unless|whether|so that|should|would|will|make sure|ensure|wenn|falls|sobald|damit|si|cuando|quand|se)\\b[^.;]*\\b(?:tests?|checks|build|suite|pruebas|specs?)\\b|(?:如果|一旦|等).*测试",
);
