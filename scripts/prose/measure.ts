/** What is counted of a page's prose, and where each finding stands. */
import { type Prose, proseOf } from './blocks.js'

const longestSentence = 25
/** A cell of three words is a label, not a sentence. */
const shortestSentence = 4

/** Phrases that read as if translated, each with what to write in its place. */
const banned: readonly (readonly [RegExp, string])[] = [
  [/\bto be had\b/i, 'available'],
  [/\bas good as\b/i, 'almost'],
  [/\bof the way\b/i, 'what is meant'],
  [/\ball of it\b/i, 'everything, or what is meant'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bsomebody\b/i, 'someone'],
  [/\banybody\b/i, 'anyone'],
  [/\bnobody\b/i, 'no one'],
  [/\bin place of\b/i, 'instead of'],
  [/\bbeside\b/i, 'next to, or with'],
  [/\banew\b/i, 'again'],
  [/\blearnt\b/i, 'learned'],
  [/\bmended\b/i, 'fixed'],
  [/\bare such\b/i, 'the noun'],
  [/\bas ever\b/i, 'as before'],
  [/\ball the same\b/i, 'still'],
  [/\bfor want of\b/i, 'because there is no'],
  [/\bfrom elsewhere\b/i, 'the source'],
  [/\bover there\b/i, 'on the destination'],
  [/\bis no use\b/i, 'does not help'],
  [/\b(?:is|are) told\b/i, 'is shown, or gets'],
  [/\bwho only\b/i, 'anyone who only'],
  [/\bas a rule\b/i, 'usually'],
  [/\bcarrie[ds] out\b/i, 'run, or executed'],
  [/\bthe one before\b/i, 'the previous one'],
  [/\bsave for\b/i, 'except'],
  [/\bto the letter\b/i, 'exactly'],
]

/** First words that leave a sentence hanging on the one before it, or without a subject. */
const badBeginning = /^(?:of|as good as|whoever|those of|that of)\b/i

export interface Finding {
  readonly line: number
  readonly what: string
}

/** Findings by kind. `sentences` and `words` are the base of the mean length. */
export interface PageProse {
  readonly sentences: number
  readonly words: number
  readonly long: readonly Finding[]
  readonly banned: readonly Finding[]
  readonly beginnings: readonly Finding[]
  readonly headings: readonly Finding[]
}

export const kinds = ['long', 'banned', 'beginnings', 'headings'] as const
export type Kind = (typeof kinds)[number]

export function measureProse(markdown: string): PageProse {
  const prose = proseOf(markdown)
  const sentences = prose.blocks.flatMap(({ line, text }) =>
    sentencesOf(text).map((sentence) => ({ line, text: sentence, words: wordsOf(sentence) })),
  )
  const counted = sentences.filter(({ words }) => words >= shortestSentence)
  return {
    sentences: counted.length,
    words: counted.reduce((sum, { words }) => sum + words, 0),
    long: counted
      .filter(({ words }) => words > longestSentence)
      .map(({ line, text, words }) => ({ line, what: `${words} words: ${text}` })),
    banned: sentences.flatMap(({ line, text }) =>
      banned
        .filter(([phrase]) => phrase.test(text))
        .map(([phrase, better]) => ({ line, what: `"${phrase.exec(text)?.[0]}": say ${better}` })),
    ),
    beginnings: counted
      .filter(({ text }) => badBeginning.test(text))
      .map(({ line, text }) => ({ line, what: `begins without a subject: ${text}` })),
    headings: headingsInTitleCase(prose),
  }
}

function sentencesOf(text: string): string[] {
  return text
    .replace(/\b(e\.g|i\.e|etc|vs)\./g, '$1')
    .split(/(?<=[.!?][)"”]?)\s+(?=["“(]?[A-Z0-9])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Names keep their capitals, so only a heading whose words all have one, two behind the first at least, is in title case. */
function headingsInTitleCase({ headings }: Prose): Finding[] {
  return headings
    .filter(({ text }) => {
      const [, ...words] = text.split(/\s+/).filter((word) => word !== 'Code')
      return words.length > 1 && words.every((word) => /^\p{Lu}\p{Ll}/u.test(word))
    })
    .map(({ line, text }) => ({ line, what: `not in sentence case: ${text}` }))
}
