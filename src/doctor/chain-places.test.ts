import { describe, expect, test } from 'vitest'
import { inboxOf } from '../bridges/canonical/inbox.js'
import {
  messagePasser,
  messenger,
  standardBridge,
  tokenBridgeOf,
} from '../bridges/canonical/settlement.js'
import { ethereum } from '../chains/ethereum.js'
import { chains } from '../chains/registry.js'
import { nativeToken } from '../domain/primitives.js'
import { probesOf } from './chain-places.js'

/** Whatever looks like an address in a chain's definition, wherever it stands. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.match(/\b0x[0-9a-f]{40}\b/g) ?? []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(addressesIn)
}

describe.each(chains)('$name', (chain) => {
  test('every address of its definition is asked something', () => {
    const asked = new Set<string>(probesOf(chain, []).map(({ to }) => to))
    const {
      canonical: _one,
      'canonical-tokens': _other,
      'canonical-tickets': _third,
      ...bridges
    } = chain.bridges ?? {}
    const named = new Set(addressesIn({ ...chain, bridges }))
    // A chain states which contracts of Ethereum its deposits go through, and there they are asked.
    const deposits = chain.id === ethereum.id ? chains.map((one) => one.bridges?.canonical) : []
    for (const address of addressesIn(deposits)) named.add(address)
    const inboxes = chain.id === ethereum.id ? chains.map(inboxOf) : []
    for (const one of inboxes) if (one) named.add(one.inbox).add(one.bridge)
    const own = inboxOf(chain)
    if (own) named.add(own.retryables)
    // Where they arrive is the same on every chain of the stack.
    if (chain.bridges?.canonical)
      for (const address of [messenger, messagePasser, standardBridge]) named.add(address)
    // Pairs of tokens are asked of the bridge that locks one, and of the one that it mints.
    for (const { minted } of tokenBridgeOf(chain)?.tokens ?? []) named.add(minted)
    const locking = chain.id === ethereum.id ? chains.map(tokenBridgeOf) : []
    for (const one of locking) if (one) named.add(one.bridge)
    named.delete(nativeToken)
    // An account without code, of which the module is asked.
    named.delete(String(chain.venues['sky-psm']?.pocket))
    // Each of its functions needs a pool, and which pools there are only events tell.
    named.delete(String(chain.venues['maverick-v2']?.quoter))
    expect(named.size).toBeGreaterThan(10)
    expect([...named].filter((address) => !asked.has(address))).toEqual([])
    expect([...asked].filter((address) => !named.has(address))).toEqual([])
  })

  test('of a token that is listed the decimals must be those, of others any', () => {
    const [, token = chain.wrappedNative] = chain.connectorTokens
    const entry = { chainId: chain.id, address: token, decimals: 7, symbol: 'SEVEN' }
    const listed = { ...entry, name: null, logoUri: null }
    const of = (found: ReturnType<typeof probesOf>) => found.find(({ to }) => to === token)
    expect(of(probesOf(chain, []))).toMatchObject({
      title: 'token, decimals()',
      expected: 'number',
    })
    expect(of(probesOf(chain, [listed]))).toMatchObject({
      title: 'token SEVEN, decimals()',
      expected: `0x${'7'.padStart(64, '0')}`,
    })
    expect(of(probesOf(chain, [{ ...listed, chainId: 5 }]))?.expected).toBe('number')
  })
})
