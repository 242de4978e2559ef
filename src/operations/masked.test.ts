import { expect, test } from 'vitest'
import { withoutAddresses } from './masked.js'

test.each([
  ['https://customer.example/v2/secret is down', 'https://… is down'],
  ['https://user:pw@host.example, wss://other.example/x', 'https://…, wss://…'],
  ['postgresql://u:p@db:5432/x', 'postgresql://…'],
  ['the key fr_abcdefghijkl is no URL', 'the key fr_… is no URL'],
  ['node 1 of chain 1 answers 429', 'node 1 of chain 1 answers 429'],
])('%s', (text, masked) => {
  expect(withoutAddresses(text)).toBe(masked)
})
