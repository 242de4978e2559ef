import { expect, test } from 'vitest'
import type { RecordedRequest } from '../domain/recording.js'
import { fromRequestText, keyOfRequest, toRequestText, urlOf } from './request-form.js'

const account = `0x${'0'.repeat(64)}` as const
const request: RecordedRequest = {
  method: 'POST',
  path: '/shortcuts/bundle',
  query: { chainId: ['1'], b: ['x', 'y'] },
  body: [{ action: 'route', args: { b: 1, a: [2, 1] } }],
  accountId: account,
}
const turned: RecordedRequest = {
  accountId: account,
  body: [{ args: { a: [2, 1], b: 1 }, action: 'route' }],
  query: { b: ['x', 'y'], chainId: ['1'] },
  path: '/shortcuts/bundle',
  method: 'POST',
}

test('toRequestText keeps the order of a body, which answers repeat', () => {
  expect(fromRequestText(toRequestText(turned))).toEqual(turned)
  expect(toRequestText(turned)).toContain(JSON.stringify(turned.body))
})

test.each([
  'null',
  '1',
  '[]',
  '{}',
  '{"path":"/prices/1","query":{}}',
  '{"method":1,"path":"/prices/1","query":{}}',
  '{"method":"GET","query":{}}',
  '{"method":"GET","path":1,"query":{}}',
  '{"method":"GET","path":"/prices/1"}',
  '{"method":"GET","path":"/prices/1","query":null}',
  '{"method":"GET","path":"/prices/1","query":"a=b"}',
  '{"method":"GET","path":"/prices/1","query":{"a":["b"],"c":"d"}}',
])('%s is no recorded request', (text) => {
  expect(() => fromRequestText(text)).toThrow('The text is no recorded request.')
})

test('keyOfRequest is the same whoever asks, and in whatever order but that of lists', () => {
  const other = { ...turned, accountId: `0x${'1'.repeat(64)}` as const }
  expect(keyOfRequest(other)).toBe(keyOfRequest(request))
  const lists = { ...request.query, b: ['y', 'x'] }
  expect(keyOfRequest({ ...request, query: lists })).not.toBe(keyOfRequest(request))
  expect(keyOfRequest({ ...request, path: '/shortcuts/route' })).not.toBe(keyOfRequest(request))
})

test('known vector: keyOfRequest is SHA-256 of the JSON with names in order, so that old cassettes are found', () => {
  // printf '{"body":[{"action":"route","args":{"a":[2,1],"b":1}}],"method":"POST",…' | sha256sum
  expect(keyOfRequest(request)).toBe(
    '0xf62156010234a42ae6cde7665a1ea52836de9fa3d6192b0a32683d44da71ecb1',
  )
})

test('keyOfRequest takes a field that is undefined for absent, and null for what it is', () => {
  const get = { method: 'GET', path: '/prices/1', query: {}, accountId: account } as const
  expect(keyOfRequest({ ...get, body: undefined })).toBe(keyOfRequest(get))
  expect(keyOfRequest({ ...get, body: { a: undefined } })).toBe(keyOfRequest({ ...get, body: {} }))
  const bodies = [undefined, null, {}, [], { a: null }, ['x', 'y'], { 0: 'x', 1: 'y' }]
  expect(new Set(bodies.map((body) => keyOfRequest({ ...get, body }))).size).toBe(bodies.length)
})

test('urlOf repeats lists', () => {
  expect(urlOf(request)).toBe('/shortcuts/bundle?chainId=1&b=x&b=y')
  expect(urlOf({ path: '/prices/1', query: {} })).toBe('/prices/1')
})
