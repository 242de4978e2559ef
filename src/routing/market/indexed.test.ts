import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import type { Pool } from '../../protocols/pool.js'
import { choose } from './indexed.js'

const token = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const weth = ethereum.wrappedNative
const [a, b] = [token(0xa), token(0xb)]
let serial = 0

/** A pool that is as deep in both of its tokens. */
function pool(tokens: readonly [Address, Address], depth: bigint, id?: string) {
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
  return { pool: record, depth: new Map(canonical.map((each) => [each, depth])) }
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
})
