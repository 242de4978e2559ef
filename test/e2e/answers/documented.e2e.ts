/** The examples of pages on single features, sent as they stand there: the answer has what the page shows. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const pages = ['alternatives', 'explain', 'permits', 'pool-choice']

interface Example {
  readonly path: string
  readonly query: Record<string, string>
  readonly shown: unknown
}

/** Each request of the page, and the answer below it. */
function examplesOf(page: string): Example[] {
  const text = readFileSync(new URL(`../../../docs/how-to/${page}.md`, import.meta.url), 'utf8')
  const pattern = /```http\nGET (\S+)\n```[^`]*```json\n([^`]*)```/g
  return [...text.matchAll(pattern)].map(([, target = '', answer = '']) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    const query = Object.fromEntries(searchParams)
    return { path: pathname, query, shown: JSON.parse(answer) }
  })
}

/** What is shown of a list are its first items. */
function partsShown(shown: unknown, given: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(given)) {
    return shown.map((item, index) => partsShown(item, given[index]))
  }
  if (shown && given && typeof shown === 'object' && typeof given === 'object') {
    const fields = new Map(Object.entries(given))
    return Object.fromEntries(
      Object.entries(shown).map(([key, value]) => [key, partsShown(value, fields.get(key))]),
    )
  }
  return given
}

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

describe.each(pages)('docs/how-to/%s.md', (page) => {
  const examples = examplesOf(page)

  test('has examples', () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  test.each(examples)('$path answers as shown', async ({ path, query, shown }) => {
    const { status, text, body } = await service.get(path, query)
    expect(status, text).toBe(200)
    expect(partsShown(shown, body)).toEqual(shown)
  })
})
