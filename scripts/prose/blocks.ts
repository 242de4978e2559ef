/** Markdown as prose: paragraphs, list items, table cells and headings, without code, comments and the marks of Markdown. */

export interface Heading {
  readonly line: number
  readonly text: string
}

export interface Prose {
  readonly headings: readonly Heading[]
  /** Each paragraph, list item and table cell, with inline code as the word `Code`. */
  readonly blocks: readonly Heading[]
}

/** A part that a test or a script writes stands between two comments; the second one begins with "end" or ends with it. */
const writtenPart =
  /<!-- (?:alerts|generated: |npm run |panels|part |proof: begin|table of |trace|transcript)[\s\S]*?<!-- (?:end|proof: end)[\s\S]*?-->/g
const comment = /<!--[\s\S]*?-->/g
const fencedPart = /^\s*(```|~~~)[\s\S]*?^\s*\1/gm
const inlineCode = /`[^`\n]*`/g
const fence = /^\s*(```|~~~)/
const heading = /^#{1,6} (.*)$/
const listItem = /^\s*(?:[-*]|\d+\.) (.*)$/
const tableRule = /^\s*\|[\s:|-]+\|\s*$/

export function proseOf(markdown: string): Prose {
  const headings: Heading[] = []
  const blocks: Heading[] = []
  /** Whether the last block is a paragraph or an item that the next line may go on with. */
  let isOpen = false
  let isCode = false
  for (const [index, text] of withoutWrittenParts(markdown).split('\n').entries()) {
    const line = index + 1
    const wasOpen = isOpen
    const title = heading.exec(text)?.[1]
    const item = listItem.exec(text)?.[1]
    isOpen = false
    if (fence.test(text)) {
      isCode = !isCode
    } else if (isCode || text.trim() === '' || tableRule.test(text)) {
    } else if (title !== undefined) {
      headings.push({ line, text: withoutMarks(title) })
    } else if (text.trimStart().startsWith('|')) {
      blocks.push(...cellsOf(text, line))
    } else {
      const before = wasOpen && item === undefined ? blocks.pop() : undefined
      const start = before ? `${before.text} ` : ''
      blocks.push({ line: before?.line ?? line, text: `${start}${item ?? text.trim()}` })
      isOpen = true
    }
  }
  return { headings, blocks: blocks.map(({ line, text }) => ({ line, text: withoutMarks(text) })) }
}

/** Lines stay where they are here and below, so that findings name the right ones. */
function withoutWrittenParts(markdown: string): string {
  return withoutComments(markdown.replace(writtenPart, blank))
}

export function withoutComments(markdown: string): string {
  return markdown.replace(comment, blank)
}

export function withoutFences(markdown: string): string {
  return markdown.replace(fencedPart, blank)
}

export function withoutCode(markdown: string): string {
  return withoutFences(markdown).replace(inlineCode, blank)
}

function blank(part: string): string {
  return part.replace(/[^\n]/g, ' ')
}

function cellsOf(row: string, line: number): Heading[] {
  return row
    .replaceAll('\\|', ' ')
    .split('|')
    .map((cell) => ({ line, text: cell.trim() }))
    .filter(({ text }) => text !== '')
}

function withoutMarks(text: string): string {
  return text
    .replace(/`[^`]*`/g, 'Code')
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[[\w./-]+\.(?:json|md|yaml)\]\([^)]*\)/g, 'Code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*+(?=\S)|(?<=\S)\*+|__/g, '')
    .replace(/^>\s*/, '')
    .trim()
}
