import { describe, expect, test } from 'vitest'
import { JsonRpcError, TransportError } from './json-rpc.js'
import { createRedactor, isBatchRefusal, meaningOf } from './node-answers.js'

describe('meaningOf', () => {
  test.each([
    [-32000, 'missing trie node 12ab (path )', 'refused'],
    [-32000, 'header not found', 'refused'],
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
    [-32603, 'Internal error', 'fault'],
  ])('%i %s is %s', (code, message, meaning) => {
    expect(meaningOf(new JsonRpcError(code, message))).toBe(meaning)
  })
})

describe('isBatchRefusal', () => {
  test('is true only where smaller requests may pass', () => {
    expect(isBatchRefusal(new TransportError('refused a batch', 200))).toBe(true)
    expect(isBatchRefusal(new TransportError('too large', 413))).toBe(true)
    expect(isBatchRefusal(new TransportError('limits', 429))).toBe(false)
    expect(isBatchRefusal(new TransportError('refused a batch: rate limit', 200))).toBe(false)
    expect(isBatchRefusal(new TransportError('broken', 503))).toBe(false)
    expect(isBatchRefusal(new TransportError('no answer', null))).toBe(false)
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
