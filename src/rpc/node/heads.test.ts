import { beforeEach, describe, expect, test } from 'vitest'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import { createHeadTracker, type HeadTracker } from './heads.js'

const hash = (fork: string, number: number): Hex =>
  `0x${fork}${number.toString().padStart(63, '0')}`

/** Block of the fork `to`, whose parent is on `from`. */
function block(number: number, to = 'a', from = to): BlockPin {
  return {
    chainId: 1,
    number: BigInt(number),
    hash: hash(to, number),
    parentHash: hash(from, number - 1),
    timestamp: 0n,
    baseFeePerGas: 0n,
    gasUsed: 0n,
    gasLimit: 0n,
  }
}

let tracker: HeadTracker
let news: string[]
/** Fork that the nodes have at each height, `a` where nothing is said. */
let forks: Map<bigint, string>

beforeEach(() => {
  news = []
  forks = new Map()
  tracker = createHeadTracker(
    async (number) => hash(forks.get(number) ?? 'a', Number(number)),
    (head, replaced) => {
      news.push(
        `${head.number}${head.hash[2]}${replaced.map(({ number }) => ` -${number}`).join('')}`,
      )
    },
  )
})

async function see(...blocks: readonly [node: number, block: BlockPin][]): Promise<string[]> {
  for (const [node, one] of blocks) await tracker.observe(node, one)
  return news
}

describe('createHeadTracker', () => {
  test('announces each new head once and never goes back for a node that is behind', async () => {
    const seen = await see(
      [0, block(5)],
      [0, block(5)],
      [1, block(4)],
      [0, block(6)],
      [0, block(5)],
    )
    expect(seen).toEqual(['5a', '6a'])
    expect(tracker.head()?.number).toBe(6n)
  })

  test('follows over a gap', async () => {
    expect(await see([0, block(5)], [0, block(9)])).toEqual(['5a', '9a'])
  })

  test('a child of another parent replaces the head', async () => {
    expect(await see([0, block(5)], [0, block(6, 'b')])).toEqual(['5a', '6b -5'])
  })

  test('the same height with another hash from the same node replaces the head', async () => {
    expect(await see([0, block(5)], [0, block(5, 'b', 'a')])).toEqual(['5a', '5b -5'])
  })

  test('two nodes on two forks of one height do not take turns', async () => {
    const seen = await see([0, block(5)], [1, block(5, 'b', 'a')], [0, block(5)])
    expect(seen).toEqual(['5a'])
  })

  test('a reorg over a gap is found by asking for the old heights', async () => {
    await see([0, block(4)], [0, block(5)], [0, block(6)])
    forks = new Map([5n, 6n, 7n].map((number) => [number, 'b']))
    expect(await see([0, block(8, 'b')])).toEqual(['4a', '5a', '6a', '8b -6 -5'])
  })

  test('a shorter chain of the node that gave the head takes it back', async () => {
    await see([0, block(4)], [0, block(5)], [0, block(6)])
    expect(await see([0, block(5, 'b', 'a')])).toEqual(['4a', '5a', '6a', '5b -6 -5'])
  })

  test('a height that nobody knows any more is not called a reorg', async () => {
    tracker = createHeadTracker(
      async () => null,
      (head, replaced) => news.push(`${head.number} ${replaced.length}`),
    )
    expect(await see([0, block(5)], [0, block(9)])).toEqual(['5 0', '9 0'])
  })
})

describe('hashOf', () => {
  test('tells the head, its parent, and what blocks of its chain say of theirs', async () => {
    await see([0, block(10)])
    expect([10n, 9n, 8n].map(tracker.hashOf)).toEqual([hash('a', 10), hash('a', 9), null])
    tracker.learnParent(block(9))
    expect(tracker.hashOf(8n)).toBe(hash('a', 8))
  })

  test('a block of another fork says nothing, and a replaced block is forgotten', async () => {
    await see([0, block(10)])
    tracker.learnParent(block(9, 'b'))
    expect(tracker.hashOf(8n)).toBeNull()
    forks = new Map([
      [9n, 'b'],
      [10n, 'b'],
    ])
    await see([0, block(11, 'b')])
    expect([11n, 10n, 9n].map(tracker.hashOf)).toEqual([hash('b', 11), hash('b', 10), null])
  })
})
