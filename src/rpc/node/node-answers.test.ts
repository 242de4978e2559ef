import { describe, expect, test } from 'vitest'
import { BatchRefused, JsonRpcError, TransportError } from './json-rpc.js'
import { createRedactor, isBatchRefusal, meaningOf } from './node-answers.js'

describe('meaningOf', () => {
  test.each([
    [-32000, 'missing trie node 12ab (path )', 'refused'],
    [-32000, 'header not found', 'odd'],
    [-32000, 'header for hash not found', 'odd'],
    [-32001, 'block not found: 0x12', 'odd'],
    [-32001, 'Resource not found', 'odd'],
    [-32000, 'filter not found', 'refused'],
    [3, 'execution reverted', 'refused'],
    [-32001, 'state not recorded: 0xab slot 0x1 at block 5', 'refused'],
    [-32603, 'failed to get storage: state not recorded', 'refused'],
    [-32602, 'BlockOutOfRangeError: block height is 3 but requested was 9', 'refused'],
    [-32601, 'the method eth_getAccountInfo does not exist', 'refused'],
    [-32005, 'query returned more than 10000 results', 'refused'],
    [-32005, 'eth_getLogs is limited to a 10,000 block range', 'refused'],
    [-32602, 'Log response size exceeded. this block range should work: [0x1, 0x2]', 'refused'],
    [-32000, 'exceed maximum block range: 50000', 'refused'],
    [-32603, 'block range is too wide', 'refused'],
    [-32005, 'daily request count exceeded', 'busy'],
    [-32005, 'limit exceeded', 'busy'],
    [429, 'slow down', 'busy'],
    [-32000, 'Too Many Requests', 'busy'],
    [-32000, 'request timed out', 'busy'],
    [-32603, 'Internal error', 'odd'],
  ])('%i %s is %s', (code, message, meaning) => {
    expect(meaningOf(new JsonRpcError(code, message))).toBe(meaning)
  })
})

describe('isBatchRefusal', () => {
  const refused = (code: number, message: string) =>
    isBatchRefusal(new BatchRefused(new JsonRpcError(code, message)))

  test('is true where the node speaks of the batch', () => {
    expect(isBatchRefusal(new TransportError('too large', 413))).toBe(true)
    expect(refused(-32600, 'invalid request')).toBe(true)
    expect(refused(-32000, 'batch too large')).toBe(true)
    expect(refused(-32014, 'Too many calls in one batch')).toBe(true)
  })

  test('is false for what befalls any request', () => {
    expect(refused(-32005, 'rate limit')).toBe(false)
    expect(refused(-32603, 'internal error')).toBe(false)
    for (const status of [null, 200, 400, 429, 502, 503]) {
      expect(isBatchRefusal(new TransportError('no', status))).toBe(false)
    }
  })
})

describe('createRedactor', () => {
  const redact = createRedactor([
    'https://me:p%40ssword@node.example/v2/abcdef123456?key=topsecret',
  ])

  test('hides every part of a configured URL that may be a key, and any whole URL', () => {
    const text =
      'failed: https://other.example/x, node.example, p@ssword, abcdef123456, topsecret, slot 0x1'
    const clean = redact(text)
    for (const part of ['other', 'node.example', 'p@ssword', 'abcdef', 'topsecret']) {
      expect(clean).not.toContain(part)
    }
    expect(clean).toContain('slot 0x1')
  })

  test('cuts what a node writes at length', () => {
    expect(redact('x'.repeat(5_000)).length).toBeLessThan(310)
  })
})
