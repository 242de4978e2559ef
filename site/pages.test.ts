import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { linkInSite, pathInSite, type SidebarItem, sidebarOf } from './pages.js'

describe('linkInSite', () => {
  test.each([
    ['another page', '../how-to/client.md#reading', '/how-to/client.md#reading'],
    ['the index', '../README.md', '/index.md'],
    ['a page outside docs', '../../CONTRIBUTING.md', '/CONTRIBUTING.md'],
    ['a heading of the same page', '#prices', '#prices'],
    ['another host', 'https://example.org/a.md', 'https://example.org/a.md'],
    ['the OpenAPI document, which the service has', '../openapi.json', '../../../openapi.json'],
    ['source, which is no part of the site', '../../src/client/index.ts', null],
  ])('%s', (_name, target, expected) => {
    expect(linkInSite('docs/reference/api.md', target)).toBe(expected)
  })
})

describe('sidebarOf', () => {
  test('has a group for each section, and groups of tables within', () => {
    const index = `# Documents
[Not listed](how-to/client.md)
## Guide
1. [Start it](guide/01-start.md)
## How to
| I want to | page |
|---|---|
| **route** | |
| call it | [Client](how-to/client.md) |
## Reference
- [Interface](reference/api.md), [openapi.json](openapi.json), [errors](reference/errors.md#next)
`
    expect(sidebarOf(index)).toEqual([
      {
        text: 'Guide',
        items: [{ text: 'Start it', link: '/guide/01-start.md' }],
        collapsed: false,
      },
      {
        text: 'How to',
        items: [{ text: 'Route', items: [{ text: 'Client', link: '/how-to/client.md' }] }],
        collapsed: true,
      },
      {
        text: 'Reference',
        items: [
          { text: 'Interface', link: '/reference/api.md' },
          { text: 'Errors', link: '/reference/errors.md#next' },
        ],
        collapsed: true,
      },
    ])
  })

  test('leads from the index of the documents to each of them', () => {
    const linksOf = (items: readonly SidebarItem[]): string[] =>
      items.flatMap((item) => [...(item.link ? [item.link] : []), ...linksOf(item.items ?? [])])
    const links = linksOf(sidebarOf(readFileSync('docs/README.md', 'utf8')))
    const listed = new Set(links.map((each) => each.replace(/#.*/, '')))
    const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && path !== 'README.md')
      .map((path) => `/${path}`)
    expect(pages.filter((path) => !listed.has(path))).toEqual([])
    for (const each of listed)
      expect(existsSync(`docs${each}`) || existsSync(`.${each}`)).toBe(true)
  })
})

test('pathInSite', () => {
  expect(pathInSite('docs/how-to/client.md')).toBe('how-to/client.md')
  expect(pathInSite('docs/README.md')).toBe('index.md')
  expect(pathInSite('CHANGELOG.md')).toBe('CHANGELOG.md')
})
