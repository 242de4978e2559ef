/** Many values by one call: the same as value by value. */
import { describe, expect, test } from 'vitest'
import type { BlockPin } from '../../../src/domain/primitives.js'
import { balanceKey, codeKey, nonceKey, storageKey } from '../../../src/rpc/node/state-item.js'
import {
  address,
  anvil,
  contracts,
  everyone,
  hex,
  keys,
  largest,
  pinOf,
  pins,
  plainValues,
  readAll,
  slots,
  storing,
  upstreamOver,
  withAccounts,
  word,
} from '../../support/nodes/accounts-chain.js'
import { differentCalls } from '../../support/nodes/rpc-node.js'

withAccounts()

describe('values in bulk', () => {
  test('of accounts of every kind, at several blocks up and down: those of single reads', async () => {
    const { upstream, node } = await upstreamOver(null)
    const asked = differentCalls(node)
    const calls: number[] = []
    for (const at of [3, 0, 1, 2, 3, 0]) {
      const pin = pins[at] as BlockPin
      asked.clear()
      expect(await readAll(upstream, pin)).toEqual(await plainValues(pin))
      calls.push(asked.size)
    }
    // Code and unusual nonces are read once; slots and nonces of precompiles and of the zero account are read singly.
    const single = 2 * (slots.length + 1)
    expect(calls[0]).toBeLessThanOrEqual(single + 2 * everyone.length + 8)
    for (const later of calls.slice(1)) expect(later).toBeLessThanOrEqual(single + 8)
    expect(keys).toHaveLength(308)
  })

  test('a block named by its number alone, and two blocks at once', async () => {
    const { upstream } = await upstreamOver(null)
    const [first, second] = [pins[1] as BlockPin, pins[2] as BlockPin]
    const byNumber = Promise.all(keys.map((key) => upstream.finalState(key, first.number)))
    const both = await Promise.all([byNumber, readAll(upstream, second)])
    expect(both).toEqual([await plainValues(first), await plainValues(second)])
  })

  test('a code, a nonce and a balance that change between two blocks', async () => {
    const changed = address(7)
    const wanted = contracts.flatMap((one) => [codeKey(one), nonceKey(one), balanceKey(one)])
    const { upstream } = await upstreamOver(null)
    const before = await anvil.rpc('evm_snapshot')
    try {
      const first = pins[3] as BlockPin
      expect(await readAll(upstream, first, wanted)).toEqual(await plainValues(first, wanted))
      await anvil.rpc('anvil_setCode', [changed, '0x60606060'])
      await anvil.rpc('anvil_setNonce', [changed, '0x999'])
      await anvil.rpc('anvil_setBalance', [changed, word(largest)])
      await anvil.rpc('anvil_setCode', [address(8), '0x'])
      await anvil.rpc('evm_mine')
      const next = await pinOf(anvil, 'latest')
      expect(await readAll(upstream, next, wanted)).toEqual(await plainValues(next, wanted))
    } finally {
      await anvil.rpc('evm_revert', [before])
    }
  })

  test('thousands of slots of one account', async () => {
    const { upstream, node } = await upstreamOver(null)
    const pin = pins[3] as BlockPin
    const asked = differentCalls(node)
    const many = Array.from({ length: 3_000 }, (_, n) => storageKey(storing, hex(n)))
    expect(await readAll(upstream, pin, many)).toEqual(await plainValues(pin, many))
    expect(asked.size).toBeLessThanOrEqual(10)
  })
})
