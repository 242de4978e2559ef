import { describe, expect, test } from 'vitest'
import type { Address } from '../../domain/primitives.js'
import { type ChangesQuestion, changesRequest, findChangedBlocks } from './changed-blocks.js'

const pool: Address = '0x00000000000000000000000000000000000000aa'
const addresses = [pool]

/** A node that takes ranges up to a length, of a chain on which every seventh block has events. */
function node(most: bigint) {
  const asked: bigint[] = []
  const ask = async ({ from, to }: ChangesQuestion) => {
    asked.push(to - from + 1n)
    if (to - from >= most) return { ok: false as const, message: 'range is too large' }
    const value: bigint[] = []
    for (let number = to; number >= from; number--) if (number % 7n === 0n) value.push(number)
    return { ok: true as const, value }
  }
  return { ask, asked }
}

describe('findChangedBlocks', () => {
  test.each([1n, 3n, 100n, 10_000n])(
    'a node that takes %s blocks at a time: all blocks, ascending',
    async (most) => {
      const { ask, asked } = node(most)
      const found = await findChangedBlocks({ from: 8n, to: 5_007n, addresses }, ask)
      expect(found).toEqual(Array.from({ length: 714 }, (_, index) => BigInt(14 + 7 * index)))
      expect(asked[0]).toBe(2_000n)
      expect(asked.length).toBeLessThanOrEqual(20 + 2.5 * Math.ceil(5_000 / Number(most)))
    },
  )

  test('an empty range asks nothing; one block is one question', async () => {
    const { ask, asked } = node(10n)
    expect(await findChangedBlocks({ from: 8n, to: 7n, addresses }, ask)).toEqual([])
    expect(await findChangedBlocks({ from: 7n, to: 7n, addresses }, ask)).toEqual([7n])
    expect(asked).toEqual([1n])
  })

  test('a block whose events nobody gives: STATE_UNAVAILABLE, with what the node says', async () => {
    const { ask } = node(0n)
    const asked = findChangedBlocks({ from: 8n, to: 100n, addresses }, ask)
    await expect(asked).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      message: 'The events of block 8 are not available: range is too large.',
    })
  })
})

describe('changesRequest', () => {
  const { call, judge } = changesRequest({ from: 16n, to: 32n, addresses })
  const log = { address: pool.replace('aa', 'AA'), blockNumber: '0x1f' }

  test('asks for the range and the contracts', () => {
    expect(call).toEqual({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x10', toBlock: '0x20', address: [pool] }],
    })
  })

  test('with words: of the events whose first indexed argument is one of them, and no other is an answer', () => {
    const indexed = [`0x${'ab'.repeat(32)}`] as const
    const one = changesRequest({ from: 16n, to: 32n, addresses, indexed })
    const range = { fromBlock: '0x10', toBlock: '0x20' }
    expect(one.call.params).toEqual([{ ...range, address: [pool], topics: [null, indexed] }])
    const topics = [`0x${'11'.repeat(32)}`, `0x${'AB'.repeat(32)}`]
    expect(one.judge([{ ...log, topics }])).toEqual({ kind: 'value', value: [31n] })
    for (const others of [undefined, [], topics.slice(1), topics.toReversed()]) {
      expect(one.judge([{ ...log, topics: others }])).toMatchObject({ kind: 'odd' })
    }
  })

  test('each block once', () => {
    const logs = [log, log, { ...log, blockNumber: '0x10' }]
    expect(judge(logs)).toEqual({ kind: 'value', value: [31n, 16n] })
    expect(judge([])).toEqual({ kind: 'value', value: [] })
  })

  test.each([
    null,
    {},
    [null],
    [{ ...log, blockNumber: '0x21' }],
    [{ ...log, blockNumber: 31 }],
    [{ ...log, address: '0x00000000000000000000000000000000000000bb' }],
  ])('%j is no answer', (value) => {
    expect(judge(value)).toMatchObject({ kind: 'odd' })
  })
})
