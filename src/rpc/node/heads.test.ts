import { beforeEach, describe, expect, test } from 'vitest'
import { type BlockPin, type Hex, zeroAddress } from '../../domain/primitives.js'
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
    miner: zeroAddress,
    extraData: '0x',
    difficulty: 0n,
    shownHardFork: 'prague',
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

  test('a head that goes down to a block it was built on stays, until a longer chain comes', async () => {
    await see([0, block(4)], [0, block(5)], [0, block(6)])
    expect(await see([0, block(5)], [0, block(4)], [0, block(4)])).toEqual(['4a', '5a', '6a'])
    expect(await see([0, block(7)])).toEqual(['4a', '5a', '6a', '7a'])
  })

  test('a head that goes down and comes up with other blocks replaces those above the fork', async () => {
    await see([0, block(4)], [0, block(5)], [0, block(6)])
    expect(await see([0, block(4)], [0, block(5, 'b', 'a')])).toEqual([
      '4a',
      '5a',
      '6a',
      '5b -6 -5',
    ])
  })

  test('the same where no poll falls between going down and coming up higher than before', async () => {
    await see([0, block(4)], [0, block(5)])
    expect(await see([0, block(6, 'b')])).toEqual(['4a', '5a', '6b -5'])
  })

  test('a head that goes down by many replaces all that were above it', async () => {
    const numbers = [3, 4, 5, 6, 7, 8]
    await see(...numbers.map((number): [number, BlockPin] => [0, block(number)]))
    news = []
    expect(await see([0, block(4, 'b', 'a')])).toEqual(['4b -8 -7 -6 -5 -4'])
  })

  test('a height that nobody knows any more is not called a reorg', async () => {
    tracker = createHeadTracker(
      async () => null,
      (head, replaced) => news.push(`${head.number} ${replaced.length}`),
    )
    expect(await see([0, block(5)], [0, block(9)])).toEqual(['5 0', '9 0'])
  })
})

describe('meet', () => {
  const pinOf = (number: number, fork: string) => ({
    number: BigInt(number),
    hash: hash(fork, number),
  })

  test('a block that no poll showed is among the replaced ones', async () => {
    await see([0, block(4)])
    tracker.meet(pinOf(5, 'a'))
    expect(await see([0, block(5, 'b', 'a')])).toEqual(['4a', '5b -5'])
  })

  test('so it is where the head jumps over it', async () => {
    await see([0, block(4)])
    tracker.meet(pinOf(5, 'a'))
    tracker.meet(pinOf(6, 'a'))
    forks = new Map([5n, 6n, 7n].map((number) => [number, 'b']))
    expect(await see([0, block(8, 'b')])).toEqual(['4a', '8b -6 -5'])
  })

  test('where the head stays below it, it is judged as soon as a head comes up to it', async () => {
    await see([0, block(4)])
    tracker.meet(pinOf(6, 'a'))
    expect(await see([0, block(4)], [0, block(5)])).toEqual(['4a', '5a'])
    expect(await see([0, block(6, 'b', 'a')])).toEqual(['4a', '5a', '6b -6'])
  })

  test('a block that becomes part of the chain is not replaced, nor reported twice later', async () => {
    await see([0, block(4)])
    tracker.meet(pinOf(5, 'a'))
    expect(await see([0, block(5)])).toEqual(['4a', '5a'])
    expect(await see([0, block(6, 'b')])).toEqual(['4a', '5a', '6b -5'])
  })

  test('a block of the new chain does not hide that the head was replaced', async () => {
    await see([0, block(4)])
    tracker.meet(pinOf(5, 'b'))
    expect(await see([0, block(5, 'b')])).toEqual(['4a', '5b -4'])
  })

  test('a block that came before the first head, or late and of another fork, is judged by the next', async () => {
    tracker.meet(pinOf(4, 'b'))
    expect(await see([0, block(5)])).toEqual(['5a -4'])
    tracker.meet(pinOf(5, 'b'))
    expect(await see([0, block(6)])).toEqual(['5a -4', '6a -5'])
    expect(tracker.hashOf(5n)).toBe(hash('a', 5))
  })

  test('a height that no node tells is asked for again at the next head', async () => {
    const answers: (Hex | null)[] = [null, hash('b', 5)]
    tracker = createHeadTracker(
      async (number) => (number === 5n ? (answers.shift() ?? null) : hash('a', Number(number))),
      (head, replaced) => news.push(`${head.number} ${replaced.map(({ number }) => number)}`),
    )
    await see([0, block(4)])
    tracker.meet(pinOf(5, 'a'))
    expect(await see([0, block(7)], [0, block(8)])).toEqual(['4 ', '7 ', '8 5'])
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
