import { describe, expect, test } from 'vitest'
import { proseOf } from './blocks.js'
import { brokenLinks } from './links.js'
import { markupFindings } from './markup.js'
import { measureProse } from './measure.js'

const words = (count: number) => `Words ${'word '.repeat(count - 1).trim()}.`

describe('proseOf', () => {
  test('takes paragraphs, items and cells, and leaves code and what tests write', () => {
    const page = [
      '# A `title`',
      'First line',
      'and second.',
      '- item',
      '  goes on',
      '| cell | [link](a.md#b) |',
      '|---|---|',
      '```sh',
      'npm test',
      '```',
      '<!-- table of faults -->',
      '| written | by a script |',
      '<!-- end -->',
      'Last.',
    ].join('\n')
    expect(proseOf(page)).toEqual({
      headings: [{ line: 1, text: 'A Code' }],
      blocks: [
        { line: 2, text: 'First line and second.' },
        { line: 4, text: 'item goes on' },
        { line: 6, text: 'cell' },
        { line: 6, text: 'link' },
        { line: 14, text: 'Last.' },
      ],
    })
  })
})

describe('measureProse', () => {
  test('counts a sentence of 26 words as long and one of 25 not', () => {
    const { sentences, words: all, long } = measureProse(`${words(25)} ${words(26)}`)
    expect([sentences, all]).toEqual([2, 51])
    expect(long).toEqual([{ line: 1, what: `26 words: ${words(26)}` }])
  })

  test('does not end a sentence at a decimal point or an abbreviation', () => {
    expect(measureProse('It took 1.5 seconds, e.g. Monday, in one run.').sentences).toBe(1)
  })

  test('counts no label of a table as a sentence', () => {
    expect(measureProse('| a short label | This cell is a sentence. |').sentences).toBe(1)
  })

  test('finds a banned phrase with its line and what to say', () => {
    expect(measureProse('Fine.\n\nWhat is to be had stands here.').banned).toEqual([
      { line: 3, what: '"to be had": say available' },
    ])
  })

  test('finds sentences that begin without a subject', () => {
    const { beginnings } = measureProse(
      'Of the node it takes headers. Often it takes more than that.',
    )
    expect(beginnings).toEqual([
      { line: 1, what: 'begins without a subject: Of the node it takes headers.' },
    ])
  })

  test('finds headings in title case, and lets names have their capitals', () => {
    const page = '## Read The Docs First\n\n## The Executor of Uniswap\n\n## Model Context Protocol'
    expect(measureProse(page).headings.map(({ line }) => line)).toEqual([1, 5])
  })
})

describe('brokenLinks', () => {
  const pages = new Map([
    [
      'docs/a.md',
      '# A\n[b](b.md#get-apiv1x) [c](c.md)\n[here](#no) `[code](x.md)` [web](https://x.org)',
    ],
    ['docs/b.md', '### GET /api/v1/{x}'],
  ])

  test('names files and headings that are not there, with their lines', () => {
    expect(brokenLinks('docs/a.md', pages, (path) => pages.has(path))).toEqual([
      { line: 2, what: 'c.md: there is no docs/c.md' },
      { line: 3, what: '#no: docs/a.md has no such heading' },
    ])
  })

  test('knows the second of two equal headings by its number', () => {
    const twice = new Map([['a.md', '# One\n# One\n[second](#one-1)']])
    expect(brokenLinks('a.md', twice, () => true)).toEqual([])
  })
})

describe('markupFindings', () => {
  test('names a second title, and takes no comment in code for one', () => {
    const page = '# Title\n```sh\n# A comment\n```\n## Section\n# Another'
    expect(markupFindings(page)).toEqual([
      { line: 6, what: 'a second title, make it a section: Another' },
    ])
  })

  test('names words that are hidden as if they were a tag', () => {
    const page = 'Set RPC_URL_<chain id>.\n`<key>` \\<key> <https://x.org> <!-- note -->\n1 < 2 > 1'
    expect(markupFindings(page)).toEqual([
      { line: 1, what: '<chain id> is hidden: write it as code' },
    ])
  })
})
