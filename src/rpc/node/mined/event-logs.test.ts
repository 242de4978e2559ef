import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../../domain/primitives.js'
import { type EventLog, findLogs, type LogsQuestion, logsRequest } from './event-logs.js'

const address: Address = '0x00000000000000000000000000000000000000aa'
const topic: Hex = `0x${'01'.repeat(32)}`
const transactionHash: Hex = `0x${'02'.repeat(32)}`

const log = (blockNumber: bigint): EventLog => ({
  address,
  topics: [topic],
  data: '0x',
  blockNumber,
  transactionHash,
  timestamp: null,
})

/** A node that takes ranges up to a length, of a chain on which every hundredth block has an event. */
function node(most: bigint) {
  const asked: bigint[] = []
  const ask = async ({ from, to }: LogsQuestion) => {
    asked.push(to - from + 1n)
    if (to - from >= most) return { ok: false as const, message: 'range is too large' }
    const value: EventLog[] = []
    for (let number = from; number <= to; number++)
      if (number % 100n === 0n) value.push(log(number))
    return { ok: true as const, value }
  }
  return { ask, asked }
}

describe('findLogs', () => {
  const filter = { address, topics: [topic] }

  test.each([200n, 3_000n, 100_000n])('a node that takes %s blocks: all events', async (most) => {
    const { ask } = node(most)
    const found = await findLogs({ from: 101n, to: 5_000n, ...filter }, ask)
    expect(found?.map(({ blockNumber }) => blockNumber)).toEqual(
      Array.from({ length: 49 }, (_, index) => BigInt(200 + 100 * index)),
    )
  })

  test('null, and not a part, where the nodes take too little at a time', async () => {
    const { ask, asked } = node(10n)
    expect(await findLogs({ from: 0n, to: 5_000n, ...filter }, ask)).toBeNull()
    expect(asked.length).toBe(64)
  })

  test('null where a block alone is refused; an empty range asks nothing', async () => {
    const { ask, asked } = node(0n)
    expect(await findLogs({ from: 0n, to: 3n, ...filter }, ask)).toBeNull()
    expect(asked).toEqual([4n, 2n, 1n])
    expect(await findLogs({ from: 4n, to: 3n, ...filter }, ask)).toEqual([])
    expect(asked.length).toBe(3)
  })
})

describe('logsRequest', () => {
  const question = { from: 16n, to: 32n, address, topics: [topic, null] }
  const { call, judge } = logsRequest(question)
  const raw = {
    address: address.toUpperCase().replace('0X', '0x'),
    topics: [topic, topic],
    data: '0xAB',
    blockNumber: '0x1f',
    transactionHash,
  }

  test('asks for the range, the contract and the topics', () => {
    expect(call).toEqual({
      method: 'eth_getLogs',
      params: [{ fromBlock: '0x10', toBlock: '0x20', address, topics: [topic, null] }],
    })
  })

  test('the answer in lower case', () => {
    const value = [{ ...log(31n), topics: [topic, topic], data: '0xab' }]
    expect(judge([raw])).toEqual({ kind: 'value', value })
    expect(judge([])).toEqual({ kind: 'value', value: [] })
  })

  test.each([
    ['no list', {}],
    ['another contract', [{ ...raw, address: topic.slice(0, 42) }]],
    ['another topic', [{ ...raw, topics: [transactionHash, topic] }]],
    ['a block outside of the range', [{ ...raw, blockNumber: '0x21' }]],
    ['one that is not mined', [{ ...raw, blockNumber: null }]],
    ['null', [null]],
  ])('%s is no answer', (_, value) => {
    expect(judge(value).kind).toBe('odd')
  })
})
