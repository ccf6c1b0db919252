import { group, pattern, type Phrases } from "./pattern.ts";

/** Who is about to act. "I can", "I could" and "I would" are offers, not announcements. */
const SOON = group`
  i'll | i will | i shall | i'm going to | i am going to | i'm gonna | i'm about to | i am about to
  i need to | i have to | i must | i should | i want to | i'd like to | i would like to | i'd better
  i plan to | i intend to | let me | lemme | let us | let's | allow me to | permit me to
  my (?:next|first) step (?:is|will be) to | i still need to | i also need to | i'll need to | i will need to
`;

/** May stand between that and the verb. */
const THEN = group`
  now | first | next | then | just | also | quickly | carefully | again | simply | briefly | directly
  immediately | actually | start by | begin by | start with | begin with | go ahead and | try to | try
  continue to | proceed to | attempt to | need to | have to | want to | like to | be
  help you(?: to| with)? | help to | help | take a moment to
`;

/** What is done with tools. Explaining, showing, summarising and knowing are done with words. */
const ACT = group`
  look | check | read | run | examine | inspect | explore | analy[sz]e | investigate | search | find
  open | view | review | scan | understand | start | begin | continue | proceed | try | test | write
  create(?! an? (?:plan|list|summary)) | add(?! that\b) | edit | fix | update | modify | implement
  change(?! my mind) | make | do(?! my best) | list | grep | verify | get(?! back) | fetch | gather
  identify | locate | figure | dig | apply | install | build | compile | execute | refactor | retry | revert
  re-?(?:run|read|check|verify|test|try|start|build|create|write|place|move|name|set|load|construct|order|do|generate|install|evaluate|visit|examine|apply|compute|compile|implement|solve|format|use|structure|trieve|produce|design|import|view|work)
  delete | debug | trace | double-check | cross-check | correct | adjust | configure | convert | copy
  see (?:what|if|how|whether|the|where|which) | take (?:a|another|one)\b.{0,20}?look | move | clone
  set(?! aside) | work on | tackle | address | handle | call | invoke | peek | poke | clean up
  complete | go (?:ahead|through|check|look) | give (?:it|this|that) a (?:try|shot|go) | draft | design
  think (?:about|through) | validate | confirm | compare | compute | calculate | count | extract
  parse | print | query | collect | diagnose | download | enable | disable | ensure | generate | grab
  insert | integrate | merge | navigate | optimi[sz]e | organi[sz]e | patch | perform | prepare | pull
  push | put together | save | simplify | split | swap | switch | tweak | undo | wire | commit | map
  use .{0,30}?(?:tool|command|bash|grep|find|read|edit|write|sed|ls|cat)
`;

/** What follows "let me" where the reply itself is the deed, or where the person is to act. */
const SAY = group`
  know | explain | show | say | tell | summari[sz]e | clarify | walk | give | put (?:it|this|that) | be
  answer | describe | outline | elaborate | illustrate | break | point | note | mention | share | present
  remind | introduce | demonstrate | recap | state | rephrase | conclude | assume | suppose | imagine
  recall | quote | finish | end | close | stop | guess | ask | help you understand | provide | offer
  consider an? | take an? example | add that | define | emphasi[sz]e | highlight | respond | reply
  start (?:by|with) (?:explaining|saying|summari[sz]ing|describing|an?|the) | repeat
`;

const DOING = group`
  reading | checking | running | looking | searching | inspecting | examining | opening | analy[sz]ing
  reviewing | scanning | building | adding | implementing | applying
  proceeding | continuing | exploring | investigating | starting | fixing | updating | creating | writing
  editing
`;

/** Files, not thoughts: what is also said of a guess or of a path needs its object. */
const DID = group`
  fixed | updated | created | added(?! up\b) | modified | changed | removed | deleted | implemented
  edited | corrected | renamed | refactored | rewrote | rewritten | replaced | applied | patched
  adjusted(?! for\b) | moved(?! on\b) | inserted | appended | configured | set up | bumped | cleaned up
  resolved (?:the|this|that|both|all|an?)\b.{0,40}?(?:bug|issue|problem|error|failure|conflict|warning)
  (?:wrote|written|generated|saved)\b.{0,40}?(?:file|script|tests?|module|class|\.\w{1,5})
  made (?:the|all|these|those|this|some|several|a few|both|minimal|following|necessary|required)\b.{0,30}?(?:change|edit|fix|modification|update|adjustment|correction)(?:s|es)?
`;

const DONE = group`
  fixed | updated | created | added | modified | changed | removed | deleted | implemented | edited
  corrected | renamed | refactored | rewritten | replaced | applied | resolved | saved | written
  generated | adjusted | patched | made | moved
`;

const NOW = `(?: ${group`
  now | also | just | already | since | successfully | both | all | then | directly | carefully | finally
`})*`;

/** The bridge in "I found the bug and fixed it". These words break it: somebody else may be the one. */
const BRIDGE = `(?:(?!\\b${group`
  that | was | were | is | are | which | who | how | why | where | if | would | could | should | not
`}\\b)[^;:]){0,90}`;

/** The object of a claim as it stands at the start of a reply: "Created `a.txt`", "Updated the test". */
const OBJECT = String.raw`(?:the|a|an|it|this|\S+\.\w{1,5})\b`;

/** What a bare status may be about. Small letters and single spaces, as `Phrases.status` sees it. */
const WORK = group`
  tasks? | work | job | requests? | implementation | everything | objective | goal | assignment | operation
  requested tasks?
`;

const STATUS = group`
  (?:(?:its|im|i am|it is|now|were|we are|everything is|everythings|thats|that is) )?(?:all )?(?:done|finished|completed?)(?: now| successfully)?
  (?:(?:the|this|your|all|my) )*${WORK} (?:(?:is|are|was|were|has|have|been|now|all|successfully) )*(?:done|finished|completed?|accomplished|fulfilled)(?: successfully| as requested| now)?
  (?:i have|ive|i) (?:(?:now|successfully|just) )*(?:done|finished|completed)(?: (?:the|this|your|all))*(?: ${WORK})?(?: successfully| as requested)?
  success | successful | successfully (?:completed|done|finished) | (?:youre )?all set
  mission accomplished | in progress | end of task
`;

/**
 * What a task changes, at the start of the sentence. Not "this option has been removed": documentation is
 * full of that, and so are answers out of it.
 */
const SUBJECT = String
  .raw`^(?:(?:done|ok|okay|great|success|now|also|finally),? )?(?:\S+ ){0,4}?${group`
  files? | changes? | edits? | fix(?:es)? | patch(?:es)? | bugs? | issues? | problems? | errors? | typos?
  code | functions? | class(?:es)? | methods? | modules? | components? | scripts? | tests? | readme
  config\w* | settings? | documentation | folders? | director(?:y|ies) | implementation | imports?
  \S*[a-z_]\.[a-z]\w{0,4}
`}(?: \S+){0,3}?(?<!\b${group`
  if | once | whether | until | unless | when | whenever | after | before | no | none | not | nothing
  says? | states? | means? | indicates? | reports? | that | which | whose | where | because | since | as
`}\b.*)`;

/** "Removed" and "moved" are what happened to an option two versions ago. */
const PASSIVE = group`
  fixed | updated | created | added | modified | changed | deleted | implemented | edited | corrected
  renamed | refactored | rewritten | replaced | applied | resolved | saved | written | adjusted | patched
  made
`;

/** English. */
export const en: Phrases = {
  hint: pattern`
    \b${group`
      i | me | us | my | we | let | lemme | now | first | next | then | time | on it | wait | hold on
      hang on | stand by | moment | second | sec | will do
    `}\b
  `,
  planning: pattern`
    \b${SOON},?(?: ${THEN},?)* (?:${ACT}|${DOING})\b
    # At the start of a clause: "it lets me", "this will let me verify" are something else.
    (?:^|[,:;.)!-] |\b(?:now|first|so|then|and|but|ok|okay|instead|next|well|here) )let (?:me|us) (?!(?:${THEN},? )*${SAY}\b)\w
    # "We" only where the sentence begins with it: explanations are full of "then we need to".
    ^(?:(?:ok|okay|so|now|next|first|then),? )*(?:we'll|we will|we're going to),?(?: ${THEN})* ${ACT}\b
    ^(?:(?:ok|okay|so|now|next|first),? )*we (?:need|have) to(?: ${THEN})* (?:look|inspect|read|check|open|explore|find|search|run|examine|see)\b
    \bi(?:'m| am)(?: (?:now|currently|just|first|going))* ${DOING}\b
    ^(?:ok(?:ay)?,? )?(?:now|next|first|then),? ${DOING}\b
    ^${DOING}\b.{1,80}\b(?:now|first)\W*$
    \bi can (?:run|check|look|use|search)\b.{1,60}\bto (?:find|see|check|determine|figure)\b
    \bwhile i ${ACT}\b
    ^(?:(?:ok|okay|alright|now|so),? )?(?:it's )?time to ${ACT}\b
    \b(?:working|getting) on it\b | ^(?:i'm )?on it\b
    ^(?:please )?(?:wait|hold on|hang on|stand by|one moment|one second|just a (?:moment|second|sec))\b[^?]{0,40}$
    ^(?:(?:ok(?:ay)?|sure),? )?(?:i )?will do\W*$
  `,
  deferral: pattern`
    \blet me know\b | ^you\b | \byou(?:'ll| will| should| must| may want)\b | \bupon request\b
    \b(?:if|once|when|whenever|after|unless|until|before|should|would|as soon as) you\b
    \bif so\b | \bin that case\b | \bnext time\b | \bfrom now on\b | \bgoing forward\b
    \bin (?:the )?future\b | \b(?:looking forward|running into)\b
    \byour (?:approval|confirmation|permission|answer|reply|response|go-ahead|feedback)\b
    # An excuse, and honest: "I need to run the tests, but npm is not installed."
    \bbut\b.*\b(?:not|no|can't|cannot|couldn't|isn't|don't|doesn't|denied|missing|failed|refused|unable)\b
    (?:^|please |just |, |or )(?:share|provide|send|paste|tell me|give me|show me|specify|clarify|upload|attach)\b
  `,
  filler: pattern`
    ^(?:ok(?:ay)?|sure(?: thing)?|of course|certainly|absolutely|al(?:l )?right|great|got it|understood|perfect|no problem|right|thanks?|thank you|good|hello|hi)\b(?:\w|[ ,]){0,40}\W*$
    ^(?:this|that|it) (?:will|should|way|lets|allows|helps)\b.{0,20}\b(?:me|us|i)\b
    ^(?:then|after that|afterwards|next|finally|from there|once)\b.*\bi(?:'ll| will| can)\b
    ^(?:i (?:see|understand)|the user wants|you (?:want|asked|would like))\b
  `,
  status: pattern`
    ^(?:(?:ok|okay|great|sure|perfect|al(?:l )?right|excellent|good|yes) )*(?:(?:(?:current|task|final) )?(?:status|result|state)(?: is)? )?(?:${STATUS} ?){1,3}(?:(?:please )?let me know.*|(?:is there |do you need )?anything else.*|feel free.*|how can i help.*)?$
  `,
  claim: pattern`
    (?<!\b(?:if|once|when|whenever|until|before|unless|whether|soon as|suppose|imagine|had) )\b(?:i|i've|i have|we've|we have)${NOW} ${DID}\b
    \b(?:i|i've|i have)\b${BRIDGE} and${NOW} ${DID}\b
    \b(?:changes|edits|modifications|fixes) (?:that )?i(?:'ve| have)?(?: just)? (?:made|applied)\b
    ^(?:summary of (?:the )?)?changes made\W*$
    ^successfully ${DONE}\b
  `,
  opening: pattern`
    ^(?:fixed|updated|created|added|modified|changed|removed|deleted|implemented|edited|renamed|refactored|rewrote|replaced|wrote) ${OBJECT}
    ^(?:renamed|replaced|moved|changed) \S+ (?:to|with|from|into)\b
  `,
  passive: pattern`
    ${SUBJECT} (?:has|have)(?: now| successfully| just| all| already)* been${NOW} ${PASSIVE}\b
    ${SUBJECT} (?:was|were|is|are)(?: now)? successfully ${PASSIVE}\b
    ${SUBJECT} (?:is|are) now ${PASSIVE}\b
    ${SUBJECT} (?:is|are) fixed(?=\W*$|,| and\b)
    ^(?:\S+ ){0,3}(?:issue|problem|bug|error)s? (?:is|are) resolved\W*$
    ${SUBJECT} (?:was|were) (?:created|written|updated) with (?:the )?(?:content|text|following)
    ${SUBJECT} ${PASSIVE} successfully\b
    ^summary of (?:the )?changes\W*$
  `,
  denial: pattern`
    \b(?:nothing|none of|neither|never|no (?:files?|changes?|code|edits?|modifications?))\b
    \bchanged my mind\b | \bfrom (?:the list|consideration)\b
    # What is made of words: "I've written a summary", unless it is one in a file.
    \b(?:added|created|made|written|wrote|generated)(?: (?:a|an|the|this|some))?(?: (?:\w|-)+){0,2} (?:summary|plan|table|overview|explanation|answer|report|breakdown|analysis|examples?|snippet|outline|diagram|draft|comparison|notes?)\b(?!\.\w| (?:to|in|of|at) \S*\.\w)
    # Somebody else, some other time.
    \b(?:version|release|python|node|deno|rust|go|commit) v?\d | \b(?:in|since|with|as of|from) v?\d+\.\d
    \b(?:in|since) (?:19|20)\d\d\b
    \b(?:last (?:week|month|year|time)|yesterday|ago|(?:earlier|previous) (?:session|version|commit|release))\b
    \b${DONE}(?: \w+)? by (?!\w+ing\b)
  `,
  history: pattern`
    \bcommits?\b | \bcommitted\b | \bchange ?log\b | \brelease notes\b | \breleased?\b | \bgit log\b
    \bupstream\b | \bmerged\b | \bpull requests?\b | \bpr #?\d | \bversion \d | \bv\d+\.\d | \bauthors?\b
    \b\d{4}-\d\d-\d\d\b | \bdeprecated\b
  `,
};
