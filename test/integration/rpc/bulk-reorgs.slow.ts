/** Values in bulk of a block that is replaced: a node that has lost it is asked until there is no hope, which takes long. */
import { describe, expect, test } from 'vitest'
import {
  anvil,
  mine,
  pinOf,
  plainValues,
  readAll,
  upstreamOver,
  withAccounts,
} from '../../support/nodes/accounts-chain.js'
import type { Behaviour } from '../../support/nodes/rpc-node.js'

withAccounts()

describe('a reorg', () => {
  const byNumberOnly: Behaviour = () => ({
    edit: (call, reply) =>
      JSON.stringify(call.params).includes('blockHash') && call.method !== 'eth_getLogs'
        ? { jsonrpc: '2.0', id: call.id, error: { code: -32602, message: 'invalid argument' } }
        : reply,
  })

  test.each<[string, Behaviour | null]>([
    ['by hash', null],
    ['by number', byNumberOnly],
  ])('between two reads %s: none of the values is of the other branch', async (_how, behave) => {
    const before = await anvil.rpc('evm_snapshot')
    const { upstream } = await upstreamOver(behave)
    await mine(11n)
    const gone = await pinOf(anvil, 'latest')
    expect(await readAll(upstream, gone)).toEqual(await plainValues(gone))
    await anvil.rpc('evm_revert', [before])
    const again = await anvil.rpc('evm_snapshot')
    try {
      await anvil.rpc('evm_increaseTime', [100])
      await mine(12n)
      const there = await pinOf(anvil, 'latest')
      expect(there.number).toBe(gone.number)
      const answers = await readAll(upstream, gone)
      expect(answers.filter(({ ok }) => ok)).toEqual([])
      expect(await readAll(upstream, there)).toEqual(await plainValues(there))
    } finally {
      await anvil.rpc('evm_revert', [again])
    }
  })
})
