/** Mistakes of a first day, each sent to the sandbox: what the answer says, and what it offers to do next. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MistakenRequest } from '../../support/first-day/mistake.js'
import { firstDayPage, mistakesBySubject } from '../../support/first-day/page.js'
import type { Answer } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

let service: SharedService

beforeAll(async () => {
  service = await sharedService()
})

function send({ path, query = {}, body, headers, ...request }: MistakenRequest): Promise<Answer> {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  const isSent = body !== undefined
  return service.send(`${path}?${new URLSearchParams(pairs)}`, {
    ...request,
    headers: { ...(isSent && { 'content-type': 'application/json' }), ...headers },
    ...(isSent && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

describe.each(Object.entries(mistakesBySubject))('%s', (_subject, mistakes) => {
  test.each(mistakes)('$number: $mistake', async ({ request, answer }) => {
    const { status, body } = await send(request)
    expect({
      status,
      code: body.code,
      says: [body.message ?? body.warnings ?? []].flat(),
      next: body.details?.next ?? [],
    }).toEqual({ code: undefined, next: [], ...answer })
  })
})

test('every mistake has a number of its own', () => {
  const numbers = Object.values(mistakesBySubject).flatMap((mistakes) =>
    mistakes.map(({ number }) => number),
  )
  expect(new Set(numbers).size).toBe(numbers.length)
})

test('docs/first-day.md shows these answers (npm run docs)', () => {
  const page = readFileSync(new URL('../../../docs/first-day.md', import.meta.url), 'utf8')
  expect(page).toBe(firstDayPage())
})
