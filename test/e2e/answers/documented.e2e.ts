/** The examples of pages, sent as they stand there: the answer has what the page shows. */
import { beforeAll, describe, expect, test } from 'vitest'
import { examplesOf, partsShown } from '../../support/service/examples.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const pages = [
  'how-to/alternatives',
  'how-to/explain',
  'how-to/permits',
  'how-to/pool-choice',
  'reference/cautions',
]

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

describe.each(pages)('docs/%s.md', (page) => {
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
