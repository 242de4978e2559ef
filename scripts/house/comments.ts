/** Comments that begin like a label and have no verb. */

const beginnings = /^(Of|As|By|Those|That of)\b/
/** What follows up to the next comma, colon or end is a clause with a verb of its own, which is none of the sentence. */
const clauses =
  /\b(that|which|who|whose|what|where|when|whether|until|since|while|if|how|as|than|because)\b[^,;:.]*/gi
/** Auxiliaries, and the verbs that most sentences of such comments have. */
const verbs = new RegExp(
  `\\b(${[
    'is are was were be has have had does do did can cannot may must will would shall should could',
    'asks begins belongs comes costs counts decides ends gives goes has holds keeps leaves lies makes means needs pays',
    'reads remains runs says sees sends shows stands starts stays takes tells tries uses wants waits works',
    'take give count stand come go make need know knows serves fills fits lasts gets get let lets',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b`,
  'i',
)

/**
 * Whether a comment begins with one of the words and its first sentence has no verb of the list outside of a clause. "Of
 * the pool." and "As the chain has it." are such; "Of two hops the first pays." and "Those are skipped." are not.
 */
export function isWithoutVerb(comment: string): boolean {
  if (!beginnings.test(comment)) return false
  const [sentence = ''] = comment.split(/(?<=[.;])\s|\s@\w/)
  return !verbs.test(sentence.replaceAll(clauses, ' '))
}
