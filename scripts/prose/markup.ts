/** What of a page's Markdown its readers would miss: a second title, and words that GitHub takes for an HTML tag and hides. */
import { withoutCode, withoutComments } from './blocks.js'
import type { Finding } from './measure.js'

const title = /^# (.*)$/gm
/** Links such as <https://example.com> are shown. A backslash shows the bracket. */
const tag = /(?<!\\)<(?![a-z]+:)[a-z/!?][^<>\n]*>/gi

/** @returns each title but the first, and each `<…>` outside of code. */
export function markupFindings(markdown: string): Finding[] {
  const text = withoutCode(withoutComments(markdown))
  const lineOf = ({ index }: RegExpExecArray) => text.slice(0, index).split('\n').length
  const [, ...titles] = text.matchAll(title)
  return [
    ...titles.map((match) => ({
      line: lineOf(match),
      what: `a second title, make it a section: ${match[1]}`,
    })),
    ...[...text.matchAll(tag)].map((match) => ({
      line: lineOf(match),
      what: `${match[0]} is hidden: write it as code`,
    })),
  ]
}
