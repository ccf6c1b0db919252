import { group, pattern, type Phrases } from "./pattern.ts";

/** Who is about to act. */
const SOON = group`
  je vais | je m'apprête à | je dois | je voudrais | j'aimerais | je veux | j'ai besoin d(?:e|') ?
  laisse-moi | laissez-moi | permets-moi d(?:e|') ? | permettez-moi d(?:e|') ? | nous allons | on va
  je (?:commence|commencerai|débute) par | je passe à | je procède à | je souhaite | nous devons
  ma (?:première|prochaine) étape (?:est|sera) d(?:e|') ?
`;

const THEN = group`
  d'abord | maintenant | ensuite | tout d'abord | aussi | également | rapidement | donc | alors | puis
  commencer par | tout de suite | (?:vous|t'|te) ?aider à | essayer de | juste | simplement | le | la | les
  y | en | immédiatement | encore | à nouveau | directement | devoir | m'
`;

/** Infinitives of what is done with tools. */
const ACT = group`
  regarder | lire | vérifier | examiner | inspecter | explorer | analyser | étudier | chercher | rechercher
  ouvrir | consulter | exécuter | lancer | commencer | démarrer | continuer | procéder | essayer | tester
  créer | écrire | ajouter | éditer | corriger | réparer | mettre (?:à jour|en place|en œuvre) | modifier
  changer | implémenter | faire | lister | obtenir | identifier | localiser | trouver | comprendre
  appliquer | installer | compiler | refactoriser | supprimer | remplacer | jeter | voir | parcourir
  déboguer | rédiger | résoudre | utiliser | effectuer | assurer | occuper | travailler | réessayer
  relancer | récupérer | renommer | ajuster | afficher | adapter | annuler | réécrire
`;

/** After "je vais": done with words, or no deed at all. */
const SAY = group`
  expliquer | montrer | résumer | dire | clarifier | décrire | présenter | répondre | être | avoir | savoir
  pouvoir | attendre | donner | proposer | recommander | suggérer | détailler | rester | préciser | supposer
  exposer | développer | conclure | rappeler | citer | devoir | laisser | permettre
`;

/** The first person of the same, present and future. */
const NOW = group`
  regarde(?:rai)? | lis | lirai | vérifie(?:rai)? | examine(?:rai)? | exécute(?:rai)? | lance(?:rai)?
  commence(?:rai)? | corrige(?:rai)? | modifie(?:rai)? | cherche(?:rai)? | analyse(?:rai)? | ouvre
  ouvrirai | teste(?:rai)? | créerai | ajouterai | ferai | mettrai à jour | écrirai | inspecte(?:rai)?
  explore(?:rai)? | consulte(?:rai)? | m'en occupe | procède(?:rai)? | parcours | relance(?:rai)?
`;

/** "Let us", said to oneself. Not a suffix: English "buttons" would be one, too. */
const LETS = group`
  regardons | voyons | vérifions | lisons | examinons | analysons | exécutons | lançons | commençons | jetons
  explorons | corrigeons | passons | cherchons | continuons | créons | ajoutons | modifions | annulons
  testons | ouvrons | essayons | relançons | mettons | faisons | inspectons | remplaçons | supprimons
`;

/** Participles agree with what was changed: "créée", "mises à jour". */
const DONE = group`
  corrigée?s? | réparée?s? | mise?s? à jour | créée?s? | ajoutée?s? | modifiée?s? | changée?s? | supprimée?s?
  implémentée?s? | éditée?s? | résolue?s? | remplacée?s? | (?:ré)?écrite?s? | refactorisée?s? | renommée?s?
  appliquée?s? | ajustée?s? | déplacée?s? | enregistrée?s? | générée?s? | adaptée?s?
`;

const ADVERB = `(?: ${group`
  bien | maintenant | aussi | également | déjà | donc | ensuite | tous | toutes | correctement
  avec succès | simplement | enfin
`})*`;

/** What a task changes, at the start of the sentence, and no condition. */
const SUBJECT = String
  .raw`^(?:\S+ ){0,3}?(?:les |le |la |l')?${group`
  fichiers? | modifications? | changements? | corrections? | erreurs? | bugs? | bogues? | problèmes? | code
  fonctions? | class(?:e|es) | méthodes? | modules? | scripts? | tests? | dossiers? | \S*[a-z_]\.[a-z]\w{0,4}
`}(?: \S+){0,3}?(?<!\b${group`
  si | quand | lorsque | lorsqu | une fois | jusqu | aucun | aucune | rien | jamais | sans | avant | après
  indique | dit | signifie | que | qui
`}\b.*)`;

const STATUS = group`
  (?:cest |tout est |tout a été |voilà )?(?:fait|terminé|terminée|fini|finie|achevé|accompli|complété|complétée|complet|prêt)(?: avec succès)?
  (?:(?:la|le|les|votre|ta) )?(?:tâches?|travail|demande|mission|tout) (?:(?:est|a été|sont|ont été|maintenant|bien) )*(?:fait|faite|terminée?s?|finie?s?|accomplie?s?|achevée?s?|complétée?s?)(?: avec succès)?
  (?:jai )(?:terminé|fini|achevé)(?: (?:la|le|votre))?(?: (?:tâche|travail|demande))?
  succès | en cours | opération réussie
`;

/** French. */
export const fr: Phrases = {
  hint: pattern`
    \b(?:je|j'|laisse|permet|nous|on va|ma ) | \b(?:patientez|patienter|instant|moment|seconde|\w+ons)\b
  `,
  planning: pattern`
    \b${SOON},? ?(?:${THEN},? ?)*\b${ACT}\b
    \b(?:je vais|laisse-moi|laissez-moi|permets-moi d(?:e|')|permettez-moi d(?:e|')),? ?(?:${THEN},? ?)*(?!${SAY}\b|vous\b|te\b|t')(?:\w|')+(?:er|ir|re)\b
    \b(?:je|j') ?(?:vais )?(?:l'|la |le |les )?${NOW}\b(?! pas\b)
    (?:^|, |\b(?:maintenant|d'abord|alors|bon|mais) )${LETS}\b
    \bje suis en train d(?:e|') ?${ACT}\b
    ^(?:veuillez patienter|patientez|(?:donnez-moi |donne-moi )?un (?:instant|moment)|une seconde)\b[^?]{0,40}$
  `,
  deferral: pattern`
    \bsi (?:vous|tu|besoin|oui|nécessaire|cela|ça)\b | \bs'il (?:le faut|vous|te)\b | \bdans ce cas\b
    \b(?:dès que|quand|lorsque|une fois que|après que|avant que) (?:vous|tu)\b | \bsouhaite[sz]\b
    \bdites-(?:moi|le)\b | \bdis-(?:moi|le)\b | \bfaites-(?:moi|le-moi) savoir\b | \bfais-(?:moi|le-moi) savoir\b
    \bn'hésite[sz]? pas\b | \bà l'avenir\b | \bla prochaine fois\b | \bdésormais\b | ^vous\b | ^tu\b
    \b(?:envoyez|partagez|fournissez|donnez|montrez|collez|envoie|partage|fournis|montre)-moi\b
    \bje (?:recommande|conseille|suggère)\b
  `,
  filler: pattern`
    ^(?:ok|d'accord|bien sûr|très bien|parfait|entendu|compris|bien|bonjour|merci|certainement|excellent|absolument)\b(?:\w|[ ,]){0,40}\W*$
    ^(?:cela|ceci|ça) (?:me|m'|nous) ?(?:permettra|aidera|donnera|dira)\b
    ^(?:ensuite|puis|après|enfin|une fois)\b.*\b(?:je vais|je \w+rai)\b
  `,
  status: pattern`
    ^(?:(?:ok|parfait|très bien|bien|voilà|excellent|super) )*(?:statut |état )?(?:${STATUS} ?){1,3}(?:nhésitez pas.*|nhésite pas.*|dites moi.*|dis moi.*|faites moi savoir.*)?$
  `,
  claim: pattern`
    (?<!\b(?:si|quand|lorsque|une fois que|jusqu'à ce que) )\b(?:j'(?:ai|y ai|en ai)|je l'ai|je les ai|nous avons)${ADVERB} ${DONE}\b
    \b(?:j'ai|nous avons)(?: \w+)? (?:effectué|apporté|fait|réalisé) (?:les|des|ces|plusieurs|quelques|la|une)(?: \w+)? (?:modifications?|changements?|corrections?|ajustements?)\b
    \b(?:modifications|changements|corrections) que j'ai (?:faite?s|apportée?s|effectuée?s)\b
    \bj'ai\b(?:(?!\b(?:qu|que|si|pas|n)\b)[^;:]){0,90} et(?: (?:je l'|je les |l'|j')ai)?${ADVERB} ${DONE}\b
  `,
  opening: pattern`
    ^(?:le |la |les |l')?(?:fichier|fonction|bug|bogue|erreur|problème|correction|modifications?|changements?)(?: \S+)? ${DONE}\b
    ^${DONE} (?:le|la|les|un|une|\S+\.\w{1,5})\b
  `,
  passive: pattern`
    ${SUBJECT} (?:a|ont)${ADVERB} été${ADVERB} ${DONE}\b
    ${SUBJECT} (?:est|sont) (?:maintenant|désormais|à présent) ${DONE}\b
    ${SUBJECT} ${DONE} avec succès\b
  `,
  denial: pattern`
    \b(?:rien|aucune?|jamais)\b | \b(?:j'aurais|aurait|pourrait|devrait)\b
    \b(?:créé|écrit|ajouté|fait|rédigé|généré) (?:un|une|le|la|ce|cette) (?:\w+ )?(?:résumé|plan|liste|tableau|explication|réponse|rapport|analyse|exemple|schéma|brouillon)\b
    \b(?:version|commit|python|node|deno) v?\d | \b(?:en|depuis|dans) (?:la )?v?\d+\.\d | \b(?:en|depuis) (?:19|20)\d\d\b
    \b(?:hier|il y a|la semaine dernière|le mois dernier|lors de|à l'époque)\b | \b${DONE} par\b
  `,
  history: pattern`
    \bcommits?\b | \bversion \d | \bnotes de version\b | \bjournal des modifications\b | \bhistorique\b | \bauteurs?\b | \bobsolètes?\b
  `,
};
