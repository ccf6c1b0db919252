/** What kind of answer a task wants, as far as its words tell: only ever used in favor of the answer. */
import { files_in } from "./files.ts";
import { is_of_manner } from "./manner.ts";
import { plain } from "./text.ts";
import { IMPERATIVE } from "../phrases/orders.ts";
import { LOOKED_EN } from "../phrases/triggers.ts";
import { any } from "../phrases/words.ts";

/** All false if nothing can be told. */
export interface AskedFor {
  readonly plan: boolean;
  readonly question: boolean;
  /** A question that is not about how this work stands. */
  readonly theory: boolean;
  readonly greeting: boolean;
  /** The answer itself is the product: a mail, a translation. What it says is not said of the run. */
  readonly words: boolean;
  readonly change: boolean;
  /** It begins with something to be done: more than `change` knows, and less sure. */
  readonly work: boolean;
  /** How the speaker is to behave, and nothing else: "answer in German". */
  readonly manner: boolean;
  /** Words that are to be said back. */
  readonly echo: boolean;
  /** A change of what is there: no code in an answer can be it. */
  readonly repair: boolean;
  /** To be done only where that can be: "format it with black if it is installed". */
  readonly optional: boolean;
  /** To be done only where something is: "move it if it is there". */
  readonly conditional: boolean;
  /** What is there may be up to date, and stay as it is. */
  readonly update: boolean;
}

/** Not the name of a file or of a thing, as in "planner.py", "plan_id", "the strategy pattern". */
const PLAN =
  /(?<!\b(?:terraform|tofu|validate (?:and|&)) )(?<![\w/_.-])plan(?:s|e[ds]?|en|ung|n(?:ed|ing)|if\w+|ej\w+|ea\w*)?(?![\w/_(-]|\.\w)|\bpiano\b|计划|方案|計画|план|(?<!\b(?:same|this|that|(?:using|with|by|following) (?:the|this|that|an?)(?: same)?) )\bapproach|\bstrateg(?!y pattern)|\boutline\b|\bsuggest(?:ions?)?\b|\bpropos(?!als? (?:page|form|feature|table|model|view))|\bhow (?:would|should|will)\b|\bwhat (?:will|would) you\b|\bwhat\b.*\bnext\b|\bwie wurdest\b|\b(?:show|ask) me (?:them |it |the list )?first\b|\blet'?s (?:first |just )?(?:discuss|brainstorm|talk (?:about|through)|think (?:about|through))\b|\bfirst (?:discuss|brainstorm)\b|\bpros and cons\b|\bchallenge (?:this|my|the) (?:idea|approach|design|plan)\b|\b(?:make|create|draw|prepare|give me|show me)(?: me)? an? (?:[\w-]+ ){0,2}(?:draft|mock-?up|sketch)\b(?! (?:(?:of|in|to|as) \S*\.\w|pr\b|mr\b|pull|merge|release))|\bascii[- ]arts?\b/;
/** "Implement the following plan:", "carry out your suggestions", and nothing is to come first. */
const CARRY_OUT =
  /^(?:(?:please|now|ok(?:ay)?|yes|great|perfect|good|then|and|go ahead and|go ahead|let's|can you|could you),? )*(?:implement|execute|carry out|follow|apply|complete|finish|build|realize)(?: with)? (?:\S+ ){0,4}?(?:plan|approach|strategy|suggestions?|proposals?|outline)\b(?!.*\b(?:first|before you)\b)/;
const TELLS = new RegExp(
  `^(?:please )?(?:${
    any(
      `what why how which who where when whats hows whos wheres list tell show
      we[rmn] wessen was wie wie(?:so|weit|viele?) wo wo(?:her|hin|fur|mit|von|zu|bei|ran|rin|durch) wann warum weshalb
      (?:is|are|was|were|has|have|did|does|can)_(?:the|this|that|it|there|you|we|i|they|any|my|our|all)
      do_(?:the|these|those|you|we|i|they|any|all)`,
    )
  }\\b|explain|describe|summari[sz]e|find out|check whether|welche[mnrs]?|quels?|quelles?|comment|pourquoi|combien|` +
    "cual(?:es)?|como|donde|cuando|cuantos?|erzahle?|raconte|cuenta|hablame|explicame|erklare|zeige?|beschreibe|explique|" +
    "montre|decris|explica|muestra|describe|解释|说明|为什么|什么|расскажи|объясни|покажи|почему|spiega|mostra|explique)",
);
/** "Show the callers of it, and remove them." */
const AND_DO = new RegExp(
  `^(?:please )?(?:list|tell|show|explain|describe|summari[sz]e|find out|check)\\b.*\\b(?:and|then) (?:fix|implement|change|update|rename|remove|delete|replace) (?:it|them|that|those|these|this|the|all|any)\\b`,
);
/** "When I log in, I get a 500." */
const STATES = /^(?:when(?:ever)?|where) [^?,]*, (?:i|it|we|the|there|nothing)\b[^?]*$/;
const MARK = /[?؟]\s*$/;
/** Orders and questions both begin so. */
const POLITE =
  /^(?:(?:ok(?:ay)?|oh|hmm+|and|so|now),? )*(?:can|could|would) you (?:please |also |now |just )*/;
const GREETING =
  /^(?:ok(?:ay)?|thanks?|thank you|test|danke|merci|gracias|谢谢)\W*$|^(?:hi|hello|hey|hallo|guten \w+|bonjour|salut|hola|ciao|ola|你好|您好|こんにちは|привет)\b[^a-z]*(?:\w+[^a-z]*)?$|^(?:你好|您好|こんにちは|привет)/;
const WORDS =
  /\b(?:translat(?!ions?\b)|ubersetz(?!ung)|tradui|traduc(?!ci)|traduz)|翻译|翻訳|перевед|\b(?:write|draft|compose|suggest|formulate|give me|word)\b.{0,40}\b(?:message|mail|email|letter|sentence|question|release notes|tweet|post|reply|article|paragraph|text)\b|\b(?:write|draft|compose|create|make|tell|give)\b.{0,40}\b(?:poem|haiku|limerick|song|slogan|essay|speech|story|joke|riddle)\b|^(?:please )?(?:ask|quiz|interview) me\b|^(?:i'd like|i need|i want|we need) (?:an?|the|some) (?:[\w-]+ )?(?:summary|description|text|announcement|message|mail|email|blurb)\b|^(?:(?:an?|the|commit|pull request|pr|merge request|mr|changelog|release|short|new|brief|one-line|standup) )+(?:message|description|notes?|entry|title|text|body|blurb|summary)\b|(?:^|\b(?:write|draft|compose|suggest|formulate|give me)\b.{0,20}\b)(?:pr|mr|(?:pull|merge)[- ]requests?)[- ](?:descriptions?|text|body|summary|titles?|beschreibung)\b|^(?:titel|beschreibung|text)\b.*\b(?:merge|pull)[- ]requests?\b|\b(?:generate|prepare|produce|create|collect|compile|write|draft)\b.{0,20}\b(?:release notes|change ?log entr(?:y|ies)|commit messages?)\b(?! (?:to|in|into) |.*\band commit\b)|^what (?:should|shall|can|do) (?:i|we) (?:tell|say|write|post)\b|(?:メッセージ|説明文?|文面)を?(?:書|考|作)|\b(?:schreibe?|verfasse)\b.{0,40}\b(?:mail|brief|nachricht|text)\b|\b(?:ecris|redige)\b.{0,40}\b(?:mail|lettre|message|texte)\b|\b(?:escribe|redacta)\b.{0,40}\b(?:correo|carta|mensaje|texto)\b|\b(?:make|create|draw|give me|show me)(?: me)? (?:an? )?(?:\w+ )?(?:table|cheat ?sheet) (?:comparing|that compares|of (?:the|all) (?:\w+ ){0,3}(?:codes|commands|options|differences|shortcuts|types))\b(?!.*\b(?:in|on|to|for) (?:the|my|our)\b)|\bgenerate (?:me )?(?:an?|one|\d+|some) (?:\w+ )?(?:uuids?|guids?|passwords?|names?|test (?:e-?mails?|addresses|names))(?=\W*$| (?:for|with) )/;
/** A line to be told: what it names is to be run by it. */
const LINE =
  /\b(?:write|give|schreibe?|gib) (?:me|mir) .{0,20}\b(?:cron(?:tab|job)?\b.{0,10}\b(?:entry|line|eintrag|zeile)\b|one-?liner|einzeiler)/;
const CHANGE =
  /(?<!\b(?:when|if|even when|before) (?:i|we|they|you) |\bi(?:'ll| will) (?:now |just )?|\bhow (?:i|we|one|you) (?:can |could |should |would |might )?)\b(?:fix|(?<!\b(?:the|an?|this|that|any|no|your|my|code|same|see) )(?:change|update(?! (?:me|us)\b))|add|implement|create(?! (?:me )?an? (?:\S+ ){0,2}?(?:query|regex\w*|snippet|one-?liner)\b(?!.*\b(?:in|into|to) (?:\S+\.\w|the|our|my|this)\b))|refactor|rename|remove|delete|replace|make (?:\S+ ){1,4}(?:pass|green|work|compile)|make (?:(?:it|this|that|them|these|those) |(?:the |our |my )?\S+ )(?:(?:much|more|a lot|a bit|run|less) )*(?:faster|quicker|shorter|smaller|simpler|clearer|cleaner|safer|nicer|better|stricter|fast|safe|small|short|simple|readable|robust|verbose|configurable|optional|private|public|async|deterministic|accessible|responsive)\b|(?:speed|clean|tidy) (?:\S+ ){1,3}?up\b|split (?:it|this|that|them|\S+\.\w+)\b|(?:optimi[sz]e|simplify|shorten) (?=\S)|behebe|korrigiere|andere|fuge|erstelle|corrige|ajoute|cree|modifie|arregla|anade|crea|modifica|cambia)\b|修复|添加|修改|创建|实现|修正|исправь/;

/** What a prompt file says below what it shows. */
const OWN_WORDS = /^#+ (?:your |the )?(?:task|instructions?|request)\W*$/im;
/** Behind what a person tells first: "There is a conflict. Tell me about it." */
const ALSO_LOOKS =
  /^(?:please |now |then |and |can (?:you|we) |could (?:you|we) )*(?:(?:code[- ])?review\b|check (?:if|whether)\b|(?:tell|explain|show|walk|give|teach) (?:it |this )?(?:to )?(?:me|us)\b|(?:let's )?(?:first )?(?:brainstorm|discuss|think (?:about|through))\b|.*\blet's (?:first )?(?:check|look|see|talk|discuss|brainstorm|think)\b|explain\b|describe\b|summari[sz]e\b|what\b|why\b|how\b)(?![.\w])/;

/** Where an order begins, in the languages that begin with a verb. */
const LEAD =
  "^(?:please |pl[sz] |now |then |also |next,? |just |ok(?:ay)?,? |can you |could you |go ahead and |bitte )*";
const LEAD_EN = `^(?:${
  any(
    `please pl[sz] now then also next just ok(?:ay)? so and but or yes yeah yep sure great perfect good nice cool alright right again instead rather
    first second(?:ly)? third finally lastly additionally afterwards actually simply in_addition after_that otherwise if_not go_ahead(?:_and)?
    feel_free_to (?:can|could|would|will)_you let'?s let_us we_(?:need|have|want)_to we_should we_must you_(?:need|have)_to you_(?:should|must)
    i_(?:want|need|would_like)(?:_you)?_to i'd_like(?:_you)?_to help_(?:me|us)(?:_to)? make_sure_(?:to|you) try_to`,
  )
}[,:;]? )*`;
/** No order to do something to the workspace: what only looks, reckons, plays or talks, and words that are no verb. */
const NO_ORDER = `(?:${LOOKED_EN}|\\w+ (?:of|about|between) |${
  any(
    `(?:ok(?:ay)?|then|now)_(?:i|we|you|so|what|how|why) of a an the this that these those it its my our your i we you he she they there here what why how which who where when is are was were
    do does did has have had will would should if as in on at for with from after before since once not no nothing yes hi hello thanks?
    again oh ah wow great perfect nice cool good yeah yep thats still lets dont try sorry maybe just only answer any some all make_(?:me|us) get_(?:me|us) update_(?:me|us) give compute calculate estimate draw think imagine find walk
    dig break_down figure double roll(?!_back) flip toss pick choose name decode lint spell proofread time ping benchmark play spot total smoke-test sort_(?:these|this)
    lol haha\\w* hehe omg damn huh hmm+ nope yup neat sweet awesome amazing impressive brilliant excellent cheers thx ty fair interesting funny weird strange true exactly agreed well love ok(?:ay)? super tres parfait merci danke gracias obrigad[oa] grazie bedankt dzieki genial ottimo muito muy bardzo bien bravo alles heel buen[oa]s
    last latest recent previous current stop pause cancel abort hold keep let use draft compose phrase brainstorm
    fasse? gib nenne? fuhre? lies zahle? sag schau finde? wer was wie wo wann warum der die das ein eine ich wir es
    donne lis liste dis compte lance trouve verifie le la les un une je que comment pourquoi ora_(?:nel|nella|devo|il|la|in|sul) devo vorrei dovrei ho sto dime cuenta lee enumera ejecuta el los las como por`,
  )
}\\b)`;
/** What is not to be done: "find the bug, don't fix it". */
const NOT_TO_DO =
  /\b(?:don't|do not|never|without) (?:\w+ly )?\w+|(?:不要|不用|不必|无需|请勿|别)(?:再)?(?:修|更|变)?[改动]|(?:変更|修正|編集)(?:は|を)?(?:しない|せず|不要|なし)/g;
/** How it is, and no order: "bug: ...", "the login fails". */
const STATEMENT =
  "\\S+:|(?!make )\\S+(?: (?!and\\b)\\S+){0,2} (?:is|are|was|were|fails?|breaks?|hangs?|crashe?s?|gives?|broken|\\w+n't)\\b";
/** What "let's" wants that changes nothing. */
const TALKED =
  "look|check|see|talk|discuss|think|brainstorm|review|compar|analy|investigat|debug|find|explor|assum|say|wait|not|consider|verif|test|focus|hear|recap|summari|list|go|stop|paus|leav|call|be|do|get back|come back|take";
/** Orders in other languages that begin like English words for a look. */
const BEGUN_ALIKE =
  "(?:agreg(?:a|ue)|agrand\\w+|usun|usa|pass[ae]|pasa|starte|trie|limit(?:a|iere)|isola|opent?|print[ae]|logg[ae]|testa)";
/** In a text that is no English any first word may be a verb. */
const WORK_ELSEWHERE = new RegExp(
  `${LEAD}(?:${BEGUN_ALIKE} |(?!${NO_ORDER}|${STATEMENT})[a-z]{2,}(?:-[a-z]+)? (?!(?!で)[\\p{sc=Hira}\\p{sc=Hang}的是和为]))\\S`,
  "u",
);
/** "Stop tracking .env": of a program, and not of the speaker. */
const STOP = `stop (?:${
  any(
    "tracking logging importing exporting shipping including ignoring caching swallowing vendoring bundling exposing storing loading retrying polling hard-?coding relying_on depending_on",
  )
}|(?:\\S+ ){1,4}?from|using(?! (?:\\w+ ){0,2}(?:emojis?|markdown|bullets?|bullet points|headings|tables|jargon|filler)\\b)) \\S`;
const WORK = new RegExp(
  `${LEAD_EN}${STOP}|` +
    `${LEAD_EN}(?!${NO_ORDER}|${STATEMENT})${IMPERATIVE}|` +
    `${LEAD_EN}let'?s (?:quickly |now |first |just )*(?!(?:${TALKED})\\w*\\b)[a-z]+ \\S|` +
    "^(?:(?:ok(?:ay)?|yes|yeah|yep|sure|great|perfect|good|alright|go ahead)[,.!]? (?:and |then |please |now )*)+(?:do|try|apply|implement|fix|proceed|continue)\\b|" +
    "^(?:build|compile|format)(?: and (?:test|lint|run|format))*[.!]*$|" +
    "^(?:please )?(?:deploy|publish|release|push|merge|rebase|commit|migrate|upgrade|refactor|ship)(?: it)?[.!]*$|" +
    "^(?:请|帮我)?(?:重命名|删除|更新|替换|移动|重构|优化|生成|转换|安装|部署|格式化)|(?<!説明|要約|翻訳|確認|レビュー|教え|見せ|調べ|分析|実行)して(?:ください|下さい)?[。!]?$|(?:直して|작성해|수정해|고쳐)|(?<!설명|요약|분석|확인|검토|번역)해 ?(?:줘|주세요)[.!]?$|^(?:почини|добавь|измени|создай|удали|переименуй|замени|перенеси|обнови|убери|перепиши|реализуй|настрой|вынеси|раздели|объедини|поменяй|поправь|сделай|увеличь|уменьши|включи|отключи)(?!\\p{L})|^(?:请|帮我|麻烦)*(?:[把将][^,。?]*(?:改|换|移|删|合并|拆|提取|重命名|升级|加上)|[给为][^,。?]*(?:加(?!油)|添|写[^,。?]*测试))",
  "u",
);
/** "Still the same error": what is wrong is to be fixed, where nothing is asked. */
const COMPLAINT =
  /^(?!.*[?؟]).*\b(?:complains?|(?:does|do|did|is|are|was|were|has|have|can|could|will|would)(?: not|n'?t)|not (?:work|visible|show|correct|right|there|load|displa|being|yet|what)\w*|no longer|never \w+s|nothing (?:is|happens|shows?|changed|loads?)|(?:still|again) (?:the same|no|not|an?|get\w*|got|fail\w*|bad|wrong|broken|empty)|errors?|exceptions?|traceback|crash(?:es|ed|ing)?|destroy(?:s|ed)?|fail(?:s|ed|ing)?|broken?|breaks|bugs?|buggy|wrong|missing|bogus|incorrect|stuck|hangs|empty|undefined|vulnerab\w+|injections?|leaks?|insecure|outdated|flaky|cut off|cropped|clipped|overlap(?:s|ping)|flickers?|misaligned|disappear(?:s|ed)|vanish(?:es|ed)|fr(?:eezes|oze)|unreadable|garbled|too (?:big|small|slow|wide|narrow|long|short|dark|bright))\b/;
/** "Die Tests schlagen fehl". */
const COMPLAINT_ELSEWHERE = new RegExp(
  `^(?!.*[?？])(?!.*(?:${
    any(
      "warum wieso woran pruf schau finde such analys pourquoi regarde verifie trouve expliqu por_?que revisa averigua veja verifi perche controlla guarda spiega waarom kijk dlaczego sprawdz zobacz почему провер посмотр объясн найди 为什么 看 查 找 なぜ 調べ 確認",
    )
  })).*(?:\\b(?:funktionier\\w*|geht|gehen|klappt|lauft|ladt|erscheint)\\b.*\\bnicht\\b|\\bschl(?:agt|agen)\\b.*\\bfehl\\b|\\bsturzt\\b.*\\bab\\b|\\bne (?:marchent?|fonctionnent?|passent?|compile|charge) (?:toujours )?(?:pas|plus)\\b|\\b(?:plantent?|echouent?)\\b|\\b(?:abgeschnitten|kaputt)\\b|\\best (?:coupee?|cassee?|vide)\\b|\\b(?:sale|esta) (?:cortad|vaci|rot)[oa]\\b|\\b(?:no|nao|non) (?:funciona[nm]?|pasan?|passam|passano|carga|carrega|aparece|compila|funziona(?:no)?)\\b|\\b(?:falla[n]?|falha[m]?|fallisc(?:e|ono))\\b|\\bwerk(?:t|en)\\b.*\\bniet\\b|\\bnie (?:działa|przechodz)|(?:^|[^\\p{L}])не (?:работа|проход|загружа|открыва)|(?:^|[^\\p{L}])пада[ею]т|报错|不行|打不开|不显示|没反应|崩溃|動きません|動かない|表示され(?:ない|ません)|エラーが出)`,
  "u",
);
/** To be found out first, or not to be fixed: "it crashes, find out why". */
const NOT_YET = new RegExp(
  `\\b(?:why|whether|whats|interpret)\\b|(?:^|[,.;:!\\n]\\s*|\\b(?:and|then|please|just|to|can you|could you) )(?:look|check|review|inspect|analy|examin|verif|investigat|explor|identif|determin|locat|debug|bisect|compar|trac|reproduc|confirm|list|read|explain|descri|summari|evaluat|assess|audit|diagnos|find|(?:tell|show|give) me|dig|spot|try|let me know|don't|dont|do not)\\w*\\b|[看查조찾調]`,
);
/** Words that no other language shares. */
const ENGLISH =
  /\b(?:the|this|that|it|its|are|you|your|with|not|what|my|which|there|please|and|should|have|they|from|when|how|to|now|into|just|can|here|works|any|thats|dont|lets)\b/;

/** Whether a sentence of a task begins with something to be done. */
function begins_work(sentence: string, told: string): boolean {
  return WORK.test(sentence) || COMPLAINT.test(sentence) && !NOT_YET.test(told) ||
    COMPLAINT_ELSEWHERE.test(sentence) && COMPLAINT_ELSEWHERE.test(told.replaceAll("\n", " ")) ||
    !ENGLISH.test(told) && WORK_ELSEWHERE.test(sentence);
}

/** "It is slow, make it fast." */
const WORK_BEHIND = new RegExp(
  `^[^,?]+, (?:so |please |just |now )*(?!${NO_ORDER})(?!(?:now|then|that|just|but|and|since|because|when|while|if|as)\\b)[a-z]{3,} (?:it|this|that|them|these|those)\\b(?!.*\\?)`,
);

/** How it is to be: "CI should fail", "Das Skript soll löschen". */
const REQUIRED =
  /^(?!i |we |you |it |what |when |if )[^?]*\b(?:should|must|shall|needs? to|has to|have to|soll(?:en|te|ten)?|muss|mussen|deve[mn]?|debe[n]?|doit|doivent)\b(?! i\b| we\b)|\b(?:please|and|[.;,]) (?:fix|resolve|enable|disable|correct|remove)(?: it| this)?\W*$|^(?:(?:i |we )?need|(?:i|we) want(?= an? )) (?!help\b|to know\b|(?:an?|some|your|more) (?:\w+ )?(?:help|advice|opinion|explanation|overview|answer|list|idea|review|hint|names?|title|decision|recommendation|table|info\w*|details?|break|minute|second)\b)\w/;
/** Sentences of a task in which an order is looked for. */
const ORDERS = 6;

/** What stands elsewhere is to be done; "Do the tests pass" asks, and "Do it" alone tells nothing. */
const TOLD = any(
  `do_(?:as|what|whatever|everything|your|steps?)
  do_(?:(?:all|each|the|these|those|this|that|my)_)+(?:[\\w-]+_){0,2}?(?:task|job|work|part|rest|step|todo|item|exercise|assignment|change|fix|migration|refactoring|thing|same|issue|ticket)(?:e?s)?
  follow_(?:[\\w-]+_){0,2}(?:instruction|step|plan|guide|checklist|todo)s?`,
);
const TOLD_ORDER = new RegExp(`${LEAD}(?:${TOLD})\\b(?!.*[?؟]\\s*$)`);
const TOLD_WORK = new RegExp(
  `(?:${LEAD}|\\b(?:and|then) )(?:${TOLD})\\b|\\S (?:and|then) do (?:it|so|that|this)\\b`,
);

const REPAIR =
  /(?<!\bi(?:'ll| will) (?:now |just )?)\b(?:fix|change|update(?! (?:me|us)\b)|refactor|rename|remove|delete|replace|behebe|korrigiere|andere|corrige|modifie|arregla|modifica|cambia)\b|\b(?:create|add|make)\b.*\b(?:branch|tag|commit|file|folder|\w+\.\w{1,4})\b|修复|修改|修正|исправь/;
const OPTIONAL =
  /\bif (?:(?:it|they|that|there) (?:is|are|'s) |it's )?(?:available|possible|installed|present|any|needed|necessary|applicable|you can)\b|\b(?:falls|wenn) (?:\S+ )?(?:verfugbar|vorhanden|moglich|notig|installiert)|\bsi (?:\S+ )?(?:disponible|possible|posible|necessaire|necesario|installee?|instalado)|如果(?:有|可能|可用|需要|安装)/;
const CONDITIONAL =
  /\b(?:only (?:if|when)|nur (?:wenn|falls)|seulement si|solo si|so se|apenas se)\b|才(?:保留|留|提交|合并|[改换删推])|\b(?:if|falls|wenn|si|s'il|se)\b[^;]*\b(?:fails?|breaks?|scheitern?|fehlschlagt|falla|fallan|echouent?|falha\w*|fallisce)\b|\b(?:if|falls|wenn|si|s'il)\b[^;]*\b(?:is|are|it's|that's|they're|exists?|there|gibt|existiert|da|existe|hay|y a)\b/;
const UPDATE = /\bupdate\b|\baktualisier|\bmets? a jour\b|\bactuali[sz]a|更新|обнови/;
/** Behind "and" these are orders, too. */
const MORE = any(
  "raise increase decrease lower reduce set enable disable bump upgrade move convert migrate rewrite split extract install resolve correct clean repair",
);
/** "Look it up, close it": in a list these are orders, before what they are done to. */
const LISTED = new RegExp(
  `[,;] (?:then |also |please |and )*${
    any(
      "fix add remove delete rename replace update create write save close send post publish push merge commit deploy tag reply assign archive move",
    )
  } (?:it|them|th(?:is|at|e)|an?|to|your|\\S+\\.\\w+)\\b`,
);
/** To be found out, and no more: what a run shows, too. */
const LOOKS = new RegExp(
  "^(?:(?:please )?(?:see|find|check|look|verify|confirm|compare|determine|investigate|analy[sz]e|assess|evaluate|re-?(?:check|view)|double[- ]check|predict|estimate|trace|inspect|examine|audit|research|diagnose|identify|locate|prufe|schau|verifi\\w+|comprueba|controlla|verifica|revisa|analizza|analiza|sprawdz|проверь|(?:run|execute|try) .{1,60}(?: and|,) (?:tell|show|list|report|summari[sz]e|explain))\\b|检查)" +
    `(?!.*(?:\\b(?:and|then|und|et|y) (?:\\w+ )?|并)(?:${CHANGE.source}|${TOLD}|${MORE}\\b))`,
);
/** The answer is to be shown, and nothing is to be done with it. */
const SHOW =
  /^(?:please )?give me (?:the|a|an|some) (?:\w+ )?(?:commands?|snippet|one-?liner|examples?|query|regex)\b|\b(?:just|only) show\b|\bdon't (?:apply (?:it|them)|(?:change|edit|write) (?:anything|any files?))\b|\bin the chat\b/;
/** What is asked need not be about this workspace: "What is TDD?" */
const ABOUT_WORK =
  /test|pass|build|lint|check|work|green|\bci\b|fix|done|ready|broke|prueba|pasan|laufen|passent|测试|通过|テスト|테스트|тест/;

/** A file that is named is to be written. */
const WRITE =
  /(?:^(?:please )?|[,;] |\b(?:and|then) )(?:write|save|put|schreibe?|ecris|escribe)\b|^[^::「“"]*(?:(?:保存|存|写)(?:为|到|成|入|在)[^::「“"]*\.\w|\.\w+[^::「“"]*(?:に|へ|として)(?:保存|書))/;
/** A file without an ending. */
const BARE_FILE = /\b(?:docker|container|make|jenkins|proc|rake|gem|just|vagrant)file\b/;
/** "Translate the README as README.fr.md." */
const TARGET =
  /\b(?:as|to|into|nach|als|como|vers|en|dans) \S+\.\w+(?:[.!]?$|[;,.] )|\b(?:to|into|nach|als|como|vers|en|dans|and|und|et|y) \w+ \(\S+\.\w+\)[.!]?$/;
/** "Translate the comments in a.py", "… the missing keys of de.json": in their place. */
const TRANSLATES_PART = new RegExp(
  `^(?!.*\\bfor me\\b)[^]*(?:\\btranslat\\w+ (?:all |the |these |those |any )*(?:\\w+ )?${
    any("comments? strings? docstrings? messages? labels? texts? identifiers? keys? entry entries")
  } (?:in|of|from) \\S|\\bubersetz\\w* (?:\\w+ ){0,3}?${
    any("kommentare texte strings meldungen schlussel eintrage beschriftungen")
  } (?:in|aus|von|der) \\S|\\btradu\\w+ (?:\\w+ ){0,3}?${
    any("commentaires textes chaines messages cles entrees comentarios cadenas mensajes claves")
  } (?:\\w+ )?(?:dans|de|du|des|en|del?) \\S|翻译[^。]*\\.\\w+[^。]*(?:键|条目|字符串|注释)|\\.\\w+[^。]*(?:キー|文字列|コメント)[^。]*翻訳|перевед\\w* (?:\\S+ ){0,3}?(?:ключи|строки|комментарии) (?:в|из) \\S)`,
);
const ECHO = /^(?:please )?(?:just |only )?(?:reply|respond|answer|say|print|output|echo|repeat)\b/;

/** What a task says, without what it forbids. */
export function ordered(task: string): string {
  return plain(task.slice(0, JUDGED_TASK_CHARS).trim()).replace(NOT_TO_DO, "");
}

/** The last task: the gates ask of one many times. */
let known: { readonly task: string; readonly asked: AskedFor } | null = null;

export function asked_for(task: string): AskedFor {
  if (known?.task !== task) known = { task, asked: read(task) };
  return known.asked;
}

function read(task: string): AskedFor {
  const text = unquoted(plain(own_words(task).slice(0, JUDGED_TASK_CHARS).trim()));
  const bare = text.replace(
    /^(?:q|question|frage|pregunta): |^(?:for|on|in|with|about) \S+(?: \S+)?, /,
    "",
  )
    .replace(POLITE, "").replace(
      /^(?:\w+\/)*[\w-]+\.\w+ /,
      "it ",
    );
  const told = text.replace(NOT_TO_DO, "");
  const asks = TELLS.test(bare) && !AND_DO.test(bare) && !STATES.test(text) ||
    MARK.test(text) && !POLITE.test(text);
  const question = (asks && !TOLD_ORDER.test(text) || asks_below(told)) && !orders_beside(told) ||
    SHOW.test(text) || LOOKS.test(bare) && !LISTED.test(told);
  const plan = PLAN.test(text) && !CARRY_OUT.test(text);
  const wants = (what: RegExp, where = told) => !question && !plan && what.test(where);
  const is_line = LINE.test(text);
  const in_place = TRANSLATES_PART.test(text);
  // A diff below "write a commit message" names files, but none that is to be written.
  const [order = ""] = text.split(/\n\s*\n/);
  const named_in = wants(WORDS, order) ? order : text;
  const wants_file = !is_line &&
    (wants(WRITE) || wants(WORDS) && (in_place || TARGET.test(text))) &&
    (files_in(named_in).length > 0 || BARE_FILE.test(named_in));
  const manner = is_of_manner(text);
  const words = is_line || WORDS.test(text) && !wants_file && !in_place;
  return {
    plan,
    question,
    theory: question && !ABOUT_WORK.test(told),
    greeting: GREETING.test(text),
    words,
    manner,
    change: !manner && (wants(CHANGE) || wants_file),
    work: !words && !manner && !ECHO.test(text) && !GREETING.test(text) &&
      (!question && !plan &&
          sentences_of(told).some((one) =>
            begins_work(one, told) || WORK_BEHIND.test(one) || TOLD_ORDER.test(one)
          ) ||
        wants(REQUIRED) || wants(TOLD_WORK) ||
        LOOKS.test(bare) && wants(LISTED) ||
        wants(CHANGE) || wants_file),
    echo: ECHO.test(text),
    repair: wants(REPAIR) || wants_file,
    optional: OPTIONAL.test(text),
    conditional: CONDITIONAL.test(text),
    update: UPDATE.test(text),
  };
}

const ORDERED = any(
  `fix repair correct rename delete remove bump refactor implement replace revert commit install uninstall
  migrate upgrade downgrade update change add move convert extract merge rewrite document
  increase decrease raise lower rebase set_up enable disable port switch_(?:to|from) get_(?:it|them|ci|the_(?:tests?|build))`,
);
/** "Fix it. Is the logout affected, too?", "Which are unused? Delete them." */
const ORDER_BESIDE = new RegExp(
  `${LEAD}(?:\\d[.)] |let'?s |what we need (?:to do )?(?:now )?is (?:to )?|(?:and|but|so|if (?:so|not|yes)),? )*${ORDERED} (?!(?:nothing|none|no|details?|examples?|your|some|more|an? (?:table|example|summary|list|diagram|short|brief|note))\\b)\\S|` +
    `(?<!\\b(?:how|what|where|when|why|which(?: \\w+)?) )\\b(?:can|could|would|will) you (?:please |also |now |just |quickly |(?:take|have) a look(?: at \\S+)?,? and )*${ORDERED} (?!me\\b)\\S|` +
    "^(?:bitte |por favor |s'il te plait,? )?(?:behebe?|korrigiere?|erstelle|benenne|entferne|losche?|ersetze|aktualisiere|repariere|corrige|ajoute|modifie|renomme|supprime|remplace|arregla|anade|modifica|cambia|renombra|elimina|aggiungi|rinomina)\\b|^(?:请|帮我)?(?:修复|修正|修改|添加|删除|重命名)|^(?:исправь|добавь|удали|переименуй|почини)|" +
    "\\b(?:kannst|konntest) du (?:bitte )?.*\\b(?:beheben|reparieren|fixen|andern|umbenennen|loschen|entfernen|hinzufugen)\\b|\\b(?:peux|pourrais)[- ]tu .*\\b(?:corriger|reparer|ajouter|renommer|supprimer)\\b|\\b(?:puedes|podrias) .*\\b(?:arreglar|corregir|anadir|renombrar|eliminar)\\b",
);
/** What comes behind an order in one sentence: "Change it to 30, and why is it 10?" */
const ASKED_BEHIND =
  /(?<=[.!?;。])\s*|\n\s*|[,;] (?:and |but )?(?=(?:why|what|how|is|are|does|do|which|when|who|where)\b)/;
/** "…, ok?" is no question. */
const TAG = /,? (?:ok(?:ay)?|right|alright|please|thanks)\?\s*$/;
/** "Can you …?" is no question, either. */
const ASKED_POLITELY =
  /\b(?:(?:can|could|will) you|(?:kannst|konntest) du|(?:peux|pourrais)[- ]tu|puedes|podrias)\b/;

/** Whether a sentence that asks nothing is an order to change something. */
function orders_beside(told: string): boolean {
  return told.replace(TAG, "").split(ASKED_BEHIND)
    .some((one) => ORDER_BESIDE.test(one) && (!MARK.test(one) || ASKED_POLITELY.test(one)));
}

/** Without what is quoted at length, unless that is all there is: it orders nothing. */
function unquoted(text: string): string {
  const bare = text.replaceAll(/"[^"]{60,}"/g, '""');
  return /[a-z]{3}/.test(bare) ? bare : text;
}

function own_words(task: string): string {
  const end = task.slice(-OWN_CHARS);
  const heading = OWN_WORDS.exec(end);
  return heading === null ? task : end.slice(heading.index + heading[0].length);
}

const WANTED =
  /\b(?:i|we) (?:just |only )?(?:want|need) (?!to (?:know|understand|look|see|talk|discuss)\b)/;

/** Whether one of the first sentences asks or wants a look, or the first paragraph is a question, and no other is an order. */
function asks_below(told: string): boolean {
  const [first = ""] = told.split(/\n\s*\n/);
  const sentences = sentences_of(told).map((one) => one.replace(/^(?:(?:and|but|so|let's) )+/, ""));
  const others = sentences.filter((one) => !ALSO_LOOKS.test(one));
  return (others.length < sentences.length || MARK.test(first) && !POLITE.test(first)) &&
    !others.some((one) => begins_work(one, told) || WANTED.test(one)) &&
    !sentences.some((one) => CHANGE.test(one));
}

function sentences_of(told: string): readonly string[] {
  return told.split(/[.!;]\s+|\n\s*/).filter((one) => !/^[-*] /.test(one)).slice(0, ORDERS);
}

/** What is wanted is at the beginning, or is short. */
export const JUDGED_TASK_CHARS = 2_000;
/** What a prompt file orders, below the output of its commands. */
const OWN_CHARS = 20_000;
