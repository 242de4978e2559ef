/** Mistakes of a first day, each sent to the sandbox: what the answer says, and what it offers to do next. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MistakenRequest } from '../../support/first-day/mistake.js'
import { firstDayPage, mistakesBySubject } from '../../support/first-day/page.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

let withKeys: SharedService
let open: TestService

beforeAll(async () => {
  ;[withKeys, open] = await Promise.all([sharedService(), startService({ AUTH_MODE: 'open' })])
})
afterAll(() => open?.stop())

function send(
  service: Pick<TestService, 'send'>,
  { path, query = {}, body, headers, ...request }: MistakenRequest,
): Promise<Answer> {
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
  test.each(mistakes)('$number: $mistake', async ({ request, answer, isInOpenMode }) => {
    const { status, body } = await send(isInOpenMode ? open : withKeys, request)
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

test('docs/reference/first-day.md shows these answers (npm run docs)', () => {
  const page = readFileSync(
    new URL('../../../docs/reference/first-day.md', import.meta.url),
    'utf8',
  )
  expect(page).toBe(firstDayPage())
})
