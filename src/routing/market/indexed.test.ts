import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import { choose } from './indexed.js'
import type { RankedPool } from './indexed-outputs.js'

const token = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const weth = ethereum.wrappedNative
const [a, b] = [token(0xa), token(0xb)]
let serial = 0

/** A pool that is as deep in both of its tokens, and of whose output nothing is known. */
function pool(tokens: readonly [Address, Address], depth: bigint, id?: string): RankedPool {
  serial += 1
  const name = id ?? token(0x1000 + serial)
  const record: Pool = {
    protocol: 'uniswap-v2',
    id: name,
    address: token(serial),
    tokens,
    parameters: {},
  }
  const canonical = tokens.map((each) => (each === nativeToken ? weth : each))
  return { pool: record, depth: new Map(canonical.map((each) => [each, depth])), feePips: null }
}

/** A constant product with a fee of 0.3 %. */
function product(id: string, ...sides: readonly [Address, number][]): RankedPool {
  const [[first] = [a], [second] = [b]] = sides
  const depth = new Map(sides.map(([each, units]) => [each, BigInt(units) * 10n ** 18n]))
  return { ...pool([first, second], 0n, id), depth, feePips: 3_000 }
}

const idsOf = (pools: readonly Pool[]) => pools.map(({ id }) => id).sort()
const ends = { tokensIn: [a], tokensOut: [b], maxHops: 3 }

describe('choose', () => {
  test('takes the 16 deepest of 20 pools between the ends, and 4 of each other pair', () => {
    const direct = Array.from({ length: 20 }, (_, k) =>
      pool([a, b], BigInt(100 + k), `direct ${k}`),
    )
    const other = Array.from({ length: 9 }, (_, k) =>
      pool([a, weth], BigInt(100 + k), `other ${k}`),
    )
    expect(idsOf(choose(ethereum, [...direct, ...other], ends))).toEqual(
      [
        ...Array.from({ length: 16 }, (_, k) => `direct ${k + 4}`),
        ...[5, 6, 7, 8].map((k) => `other ${k}`),
      ].sort(),
    )
  })

  test('of 40 tokens in between the 16 that join both sides best; each counts as its worse side', () => {
    const pools = Array.from({ length: 40 }, (_, k) => [
      pool([a, token(0x100 + k)], BigInt(1_000 + k), `in ${k}`),
      pool([token(0x100 + k), b], k === 39 ? 1n : 2_000n, `out ${k}`),
    ]).flat()
    const chosen = idsOf(choose(ethereum, pools, ends))
    expect(chosen).toEqual(
      Array.from({ length: 16 }, (_, k) => [`in ${k + 23}`, `out ${k + 23}`])
        .flat()
        .sort(),
    )
  })

  test('where the ends meet at a connector, six tokens in between are enough', () => {
    const known = [pool([a, weth], 1_000n, 'known in'), pool([b, weth], 1_000n, 'known out')]
    const between = Array.from({ length: 10 }, (_, k) => [
      pool([a, token(0x200 + k)], BigInt(10 + k), `in ${k}`),
      pool([token(0x200 + k), b], 500n, `out ${k}`),
    ]).flat()
    expect(idsOf(choose(ethereum, [...known, ...between], ends))).toEqual(
      [
        'known in',
        'known out',
        ...[4, 5, 6, 7, 8, 9].flatMap((k) => [`in ${k}`, `out ${k}`]),
      ].sort(),
    )
  })

  test('two tokens in a row need three swaps, and a token that joins one side alone is none', () => {
    const [x, y, dead] = [token(0x301), token(0x302), token(0x303)]
    const pools = [
      pool([a, x], 10n, 'a x'),
      pool([x, y], 10n, 'x y'),
      pool([y, b], 10n, 'y b'),
      pool([a, dead], 1_000n, 'a dead'),
    ]
    expect(idsOf(choose(ethereum, pools, ends))).toEqual(['a x', 'x y', 'y b'])
    expect(choose(ethereum, pools, { ...ends, maxHops: 2 })).toEqual([])
  })

  test('a token that a pool of unknown depth joins is a way, behind all of known depth', () => {
    const x = token(0x304)
    const [one, other] = [pool([a, x], 10n, 'a x'), pool([x, b], 10n, 'x b')]
    expect(choose(ethereum, [one], ends)).toEqual([])
    expect(idsOf(choose(ethereum, [one], ends, [other.pool]))).toEqual(['a x'])
    const many = Array.from({ length: 16 }, (_, k) => [
      pool([a, token(0x400 + k)], 10n, `in ${k}`),
      pool([token(0x400 + k), b], 10n, `out ${k}`),
    ]).flat()
    const chosen = choose(ethereum, [one, ...many], ends, [other.pool])
    expect(idsOf(chosen)).toEqual(idsOf(choose(ethereum, many, ends)))
  })

  test('native and its wrapped token are one, and the order of the pools does not matter', () => {
    const pools = [
      pool([nativeToken, b], 10n, 'native'),
      pool([weth, b], 20n, 'wrapped'),
      pool([a, token(0x401)], 5n, 'in'),
      pool([token(0x401), b], 5n, 'out'),
    ]
    const asked = { tokensIn: [weth], tokensOut: [b], maxHops: 3 }
    expect(idsOf(choose(ethereum, pools, asked))).toEqual(['native', 'wrapped'])
    expect(choose(ethereum, pools.toReversed(), asked)).toEqual(choose(ethereum, pools, asked))
  })

  test('a shallow pool that pays small amounts best is kept beside the deepest, in whichever direction', () => {
    const deep = Array.from({ length: 6 }, (_, k) =>
      product(`deep ${k}`, [a, 1_000_000 - k], [weth, 1_000_000 - k]),
    )
    const cheap = product('cheap', [a, 110], [weth, 100])
    const dear = product('dear', [a, 100], [weth, 110])
    const dull = product('dull', [a, 100], [weth, 100])
    expect(idsOf(choose(ethereum, [...deep, cheap, dear, dull], ends))).toEqual(
      ['cheap', 'dear', 'deep 0', 'deep 1', 'deep 2', 'deep 3'].sort(),
    )
  })

  test('a dusty pool is not kept for its price alone: it gives less of every amount', () => {
    const deep = Array.from({ length: 5 }, (_, k) =>
      product(`deep ${k}`, [a, 1_000_000 - k], [weth, 1_000_000 - k]),
    )
    const dust = {
      ...product('dust', [a, 0], [weth, 0]),
      depth: new Map([
        [a, 10n],
        [weth, 99n],
      ]),
    }
    expect(idsOf(choose(ethereum, [...deep, dust], ends))).not.toContain('dust')
  })

  describe('beside six deeper tokens in between', () => {
    const shallow = token(0x500)
    const known = [
      product('known in', [a, 1_000_000], [weth, 1_000_000]),
      product('known out', [weth, 1_000_000], [b, 1_000_000]),
      ...Array.from({ length: 6 }, (_, k) => [
        product(`in ${k}`, [a, 50_000], [token(0x600 + k), 50_000]),
        product(`out ${k}`, [token(0x600 + k), 50_000], [b, 50_000]),
      ]).flat(),
    ]
    const added = (pools: readonly RankedPool[], maxHops = 3) => {
      const without = new Set(idsOf(choose(ethereum, known, { ...ends, maxHops })))
      const chosen = idsOf(choose(ethereum, [...known, ...pools], { ...ends, maxHops }))
      return chosen.filter((id) => !without.has(id))
    }
    const stale = (gain: number) => [
      product('stale in', [a, 1_000], [shallow, 1_000 * gain]),
      product('stale out', [shallow, 1_000], [b, 1_000]),
    ]

    test('a shallower one is found where its ways give more of some amount', () => {
      expect(added(stale(1.08))).toEqual(['stale in', 'stale out'])
      expect(added(stale(0.99))).toEqual([])
    })

    test('with a connector on one side where three swaps are allowed', () => {
      const ways = [
        product('stale in', [a, 1_000], [shallow, 1_080]),
        product('stale out', [shallow, 1_000], [weth, 1_000]),
      ]
      expect(added(ways)).toEqual(['stale in', 'stale out'])
      expect(added(ways, 2)).toEqual([])
    })

    test('one that promises a tenth more than any known way is passed over: mostly it cannot be sold', () => {
      expect(added(stale(1.2))).toEqual([])
    })
  })
})
