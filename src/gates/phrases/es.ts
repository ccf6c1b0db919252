import { group, pattern, type Phrases } from "./pattern.ts";

/** Who is about to act. */
const SOON = group`
  voy a | vamos a | d[eé]jame | d[eé]jeme | perm[ií]teme | perm[ií]tame | necesito | debo | tengo que
  quiero | quisiera | me gustaría | procedo a | procederé a | paso a | pasaré a | me dispongo a
  (?:empiezo|empezaré|comienzo|comenzaré|iniciaré) (?:por|a) | mi (?:primer|próximo|siguiente) paso (?:es|será)
  voy | estoy por
`;

const THEN = group`
  primero | ahora | antes | también | rápidamente | a | por | con | empezar | comenzar | iniciar | ayudarte
  ayudarle | intentar | volver | ponerme | proceder | luego | simplemente | directamente
`;

/** Infinitives of what is done with tools; the future ("revisaré") is made of them. */
const ACT = group`
  revisar | leer | mirar | ver | ejecutar | correr | examinar | inspeccionar | explorar | analizar
  investigar | buscar | abrir | comprobar | verificar | empezar | comenzar | iniciar | continuar | probar
  crear | escribir | añadir | agregar | editar | corregir | arreglar | actualizar | modificar | cambiar
  implementar | hacer(?:lo)? | listar | obtener | identificar | localizar | encontrar | entender
  comprender | aplicar | instalar | compilar | refactorizar | eliminar | borrar | reemplazar | averiguar
  consultar | trabajar | solucionar | resolver | depurar | realizar | echar(?:le)? | utilizar | usar
  intentar | proceder | lanzar | renombrar | ajustar | estudiar | reparar | restaurar | reescribir
`;

/** After "voy a": done with words, or no deed at all. */
const SAY = group`
  explicar | mostrar | resumir | decir | contar | aclarar | describir | presentar | responder | ser | estar
  tener | poder | haber | quedar | esperar | dar | ir | proponer | recomendar | sugerir | detallar | enseñar
  saber | necesitar | dejar | suponer | enumerar | asumir
`;

/** Pronouns that hang on an infinitive. */
const IT = "(?:te|se)?(?:lo|la|los|las|le|les|me|te)?";

/** First person, present, as said right before it is done. */
const NOW = group`
  reviso | leo | miro | ejecuto | busco | abro | compruebo | verifico | analizo | examino | corrijo
  escribo | modifico | actualizo | empiezo | comienzo | exploro | inspecciono | procedo | lanzo
`;

const DONE = group`
  corregido | arreglado | actualizado | creado | añadido | agregado | modificado | cambiado | eliminado
  borrado | implementado | editado | solucionado | resuelto | reemplazado | sustituido | escrito
  refactorizado | renombrado | aplicado | ajustado | reparado | movido | guardado | reescrito | generado
`;

/** Participles agree with what was changed: "creada", "corregidos". */
const DONE_ANY = DONE.replaceAll(/o(?= |\||\))/g, "[oa]s?");

const DID = group`
  corregí | arreglé | actualicé | creé | añadí | agregué | modifiqué | cambié | eliminé | borré
  implementé | edité | solucioné | resolví | reemplacé | sustituí | escribí | refactoricé | renombré
  apliqué | reparé | moví | reescribí
`;

const ADVERB = `(?: ${group`
  ya | también | ahora | correctamente | exitosamente | con éxito | todos? | todas?
`})*`;

/** What a task changes, at the start of the sentence, and no condition. */
const SUBJECT = String
  .raw`^(?:\S+ ){0,3}?${group`
  archivos? | ficheros? | cambios? | modificaci(?:ón|ones) | errore?s? | bugs? | problemas? | código
  funci(?:ón|ones) | clases? | métodos? | módulos? | scripts? | pruebas? | tests? | carpetas? | \S*[a-z_]\.[a-z]\w{0,4}
`}(?: \S+){0,3}?(?<!\b${group`
  si | cuando | una vez | hasta | no | nunca | ningún | ninguna | ninguno | nada | sin | antes | después
  dice | indica | significa | que
`}\b.*)`;

const STATUS = group`
  (?:ya )?(?:está )?(?:todo )?(?:listo|lista|hecho|hecha|terminado|terminada|completado|completada|finalizado|finalizada|completo|completa)(?: con éxito| correctamente| exitosamente)?
  (?:(?:la|el|las|los) )?(?:tareas?|trabajo|solicitud|todo) (?:(?:ha sido|está|fue|se ha|ha|han sido|están|ya) )*(?:list[oa]|hech[oa]|terminad[oa]s?|completad[oa]s?|finalizad[oa]s?|complet[oa])(?: con éxito| correctamente| exitosamente)?
  (?:ya )?(?:he )(?:terminado|acabado|completado|finalizado)(?: (?:la|el|todo))?(?: (?:tarea|trabajo))?
  éxito | en progreso | en curso | ya terminé | terminé | todo en orden
`;

/** Spanish. */
export const es: Phrases = {
  hint: pattern`
    \b(?:\w{2,}o|\w+é|\w+mos|\w+[ae]me|voy|estoy|me gustaría|quisiera|mi|espera|espere|manos)\b
  `,
  planning: pattern`
    (?<!\bno )\b${SOON}(?: ${THEN})* ${ACT}${IT}\b
    (?<!\bno )\b(?:(?:lo|la|los|las) )?(?:voy a|d[eé]jame|d[eé]jeme|perm[ií]teme|perm[ií]tame)(?: ${THEN})* (?!${SAY}${IT}\b)\w+[aei]r${IT}\b
    \b${ACT}é\b | \b(?:haré|pondré|tendré que|echaré|obtendré|veré)\b
    \b(?:primero|ahora|a continuación|luego|entonces|ahora mismo),?(?: ya| mismo)? ${NOW}\b
    \b(?:ahora|primero),? creo (?:el|la|los|las|un|una)\b
    \b(?:primero|ahora|luego|a continuación),? \w+[aei]ré\b
    \b(?:te|le) ayudaré a\b
    , ${NOW} (?:el|la|los|las|si|qué|dónde|cómo)\b
    ^${NOW}(?: primero| ahora| el| la| los| las)\b
    ^(?:bien, |vale, |ahora |primero )*(?:veamos|empecemos|comencemos|echemos|revisemos|miremos|leamos|ejecutemos|analicemos|comprobemos|exploremos)\b
    \b(?:estoy|sigo) (?:revisando|leyendo|ejecutando|buscando|analizando|comprobando|verificando|trabajando|corrigiendo)\b
    ^(?:por favor,? )?(?:(?:dame |deme )?un (?:momento|segundo)|espera|espere|manos a la obra)\b[^?]{0,40}$
  `,
  deferral: pattern`
    \bsi (?:quieres|quiere|lo|deseas|desea|necesitas|necesita|me|prefieres|prefiere|tú|usted|te|le|confirmas|hace falta)\b
    \bcuando (?:me|quieras|quiera|confirmes|confirme|estés|esté|tú|usted)\b | \bsi es así\b | \ben ese caso\b
    \b(?:una vez|en cuanto|tan pronto como) (?:que )?(?:me|confirmes|confirme|tú|usted|tengas|tenga)\b
    \bav[ií]s[ae]me\b | \bd[ií]me\b | \bdígame\b | \bházme(?:lo)? saber\b | \bhaz?me(?:lo)? saber\b | \bhágame(?:lo)? saber\b
    \bindícame\b | \bindíqueme\b | \ben adelante\b | \bla próxima vez\b | \ben el futuro\b | ^puedes?\b
    \b(?:compárteme|comparte|envíame|proporciona|pégame|muéstrame) \b
  `,
  filler: pattern`
    ^(?:ok|vale|claro|claro que sí|por supuesto|de acuerdo|perfecto|entendido|muy bien|bien|bueno|gracias|hola|excelente|genial)\b(?:\w|[ ,]){0,40}\W*$
    ^(?:esto|eso) (?:me|nos) (?:ayudará|permitirá|dará|dirá)\b
    ^(?:luego|después|entonces|finalmente|a continuación|una vez)\b.*\b\w+ré\b
  `,
  status: pattern`
    ^(?:(?:ok|vale|perfecto|bien|muy bien|excelente|genial) )*(?:estado )?(?:${STATUS} ?){1,3}(?:av[ií]same.*|h[aá]zme saber.*|si necesitas.*)?$
  `,
  claim: pattern`
    (?<!\bno )(?<!\b(?:si|cuando|hasta que|una vez que) (?:ya )?)\b(?:he|hemos)${ADVERB} ${DONE}\b
    (?<!\bno )(?<!\b(?:no|si|cuando) (?:lo|la|los|las) )\b(?:ya )?${DID}\b
    \b(?:los|las) (?:cambios|modificaciones|correcciones) que (?:he hecho|hice|he realizado|realicé)\b
    \b(?:he hecho|hice|he realizado|realicé) (?:los|las|el|estos|estas|algunos|varios|unos)(?: siguientes)? (?:cambios?|modificaci(?:ón|ones)|correcci(?:ón|ones)|ajustes?)\b
    \b(?:he|hemos)\b(?:(?!\b(?:que|si|no)\b)[^;:]){0,90} y(?: he)? ${DONE}\b
  `,
  opening: pattern`
    ^(?:(?:archivo|fichero|error|bug|código|prueba|test|función) )?${DONE_ANY} (?:el|la|los|las|un|una|\S+\.\w{1,5})\b
    ^(?:archivo|fichero|error|bug|problema|código|función|cambios?) (?:\S+ )?${DONE_ANY}\b
  `,
  passive: pattern`
    ${SUBJECT} (?:ha|han) sido${ADVERB} ${DONE_ANY}
    ${SUBJECT} (?:ya |ahora )(?:está|están|ha quedado) ${DONE_ANY}
    ${SUBJECT} ${DONE_ANY} (?:correctamente|exitosamente|con éxito)
    ^(?:ya |también |y |(?:se han \S+ )?\S+ y )?se (?:ha|han)${ADVERB} ${DONE} (?:el|la|los|las|un|una|\S+\.\w{1,5})\b
    \by se (?:ha|han)${ADVERB} ${DONE} (?:el|la|los|las)\b
  `,
  denial: pattern`
    \b(?:nada|nunca|ningún|ninguna|ninguno)\b | \b(?:habría|podría|debería|hubiera)\b
    \b(?:creado|escrito|añadido|hecho|generado|creé|escribí) (?:un|una|el|la|este|esta) (?:\w+ )?(?:resumen|plan|lista|tabla|explicación|respuesta|informe|análisis|ejemplo|esquema|borrador)\b
    \b(?:versión|commit|python|node|deno) v?\d | \b(?:en|desde) v?\d+\.\d | \b(?:en|desde|de) (?:19|20)\d\d\b
    \b(?:ayer|la semana pasada|el mes pasado|hace \w+ \w+)\b | \b${DONE_ANY} por (?!\w+ndo\b)
  `,
  history: pattern`
    \bcommits?\b | \bversión \d | \bversiones\b | \bregistro de cambios\b | \bhistorial\b | \bautor(?:es)?\b | \bobsolet[oa]s?\b
  `,
};
