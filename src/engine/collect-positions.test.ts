import { describe, expect, test } from 'vitest'
import { ethereum } from '../chains/ethereum.js'
import { ForkrouteError } from '../domain/errors.js'
import { type Address, type BlockPin, zeroAddress } from '../domain/primitives.js'
import type { Position } from '../protocols/positions.js'
import type { TaskTypes } from '../routing/dispatch.js'
import type { ReadPosition } from '../routing/tasks/positions-task.js'
import { type CollectParts, collectPositions } from './collect-positions.js'

const unit = 10n ** 18n

function pinOf(number: bigint): BlockPin {
  return {
    chainId: 1,
    number,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 1_700_000_000n + number * 12n,
    baseFeePerGas: 1n,
    gasUsed: 0n,
    gasLimit: 1n,
    miner: zeroAddress,
    extraData: '0x',
    difficulty: 0n,
    shownHardFork: 'prague',
  }
}

function position(key: string, protocol = 'vaults'): Position {
  const address: Address = `0x${key.repeat(40).slice(0, 40)}`
  return {
    protocol,
    key: address,
    token: address,
    primaryAddress: address,
    poolAddress: address,
    name: key,
    subtitle: key,
    underlyingTokens: [],
    rewardTokens: [],
    parameters: {},
  }
}

function read(
  key: string,
  sharePrice: bigint | null,
  apyReward: number | null = null,
): ReadPosition {
  const figures = { tvl: 10, apy: apyReward, apyBase: null, apyReward }
  return { position: position(key), token: null, underlyingTokens: [], figures, sharePrice }
}

/** A chain on which a share earns 0.01 % per 7,200 blocks. @param begins - first block of each position. */
function chain(
  positions: readonly ReadPosition[],
  options: { begins?: Record<string, number>; oldest?: number; unlisted?: string[] } = {},
) {
  const asked: bigint[] = []
  const parts: CollectParts = {
    chain: ethereum,
    async pinAt(number) {
      asked.push(number)
      if (number < BigInt(options.oldest ?? 0)) {
        throw new ForkrouteError('UNKNOWN_BLOCK', 'The block is gone.')
      }
      return pinOf(number)
    },
    async run(kind, args, pin) {
      if (kind === 'positions') {
        const result: TaskTypes['positions']['result'] = {
          positions,
          unlisted: options.unlisted ?? [],
          unreadable: [],
        }
        return result as never
      }
      const wanted = (args as TaskTypes['sharePrices']['args']).positions
      return wanted.map(({ name }) => {
        const begun = BigInt(options.begins?.[name] ?? 0)
        if (pin.number < begun) return null
        return unit - ((100_000n - pin.number) * 10n ** 14n) / 7_200n
      }) as never
    },
  }
  return { parts, asked }
}

describe('collectPositions', () => {
  test('compares share prices with those of a day before', async () => {
    const { parts, asked } = chain([read('a', unit, 5), read('b', null)])
    const found = await collectPositions(parts, pinOf(100_000n), null, null)
    expect(asked).toEqual([92_800n])
    expect(found.reach).toBe(7_200)
    expect(found.positions[0]?.apyBase).toBeCloseTo(3.718, 2)
    expect(found.positions[0]?.apy).toBeCloseTo(8.718, 2)
    expect(found.positions[1]).toMatchObject({ apy: null, apyBase: null, tvl: 10 })
  })

  test('a younger position is compared with a block in which it was', async () => {
    const { parts, asked } = chain([read('a', unit), read('b', unit)], { begins: { b: 98_500 } })
    const found = await collectPositions(parts, pinOf(100_000n), null, null)
    expect(asked).toEqual([92_800n, 96_400n, 98_200n, 99_100n])
    expect(found.positions[1]?.apyBase).toBeCloseTo(3.718, 2)
    expect(found.reach).toBe(7_200)
  })

  test('goes back as far as the node does, and begins near there the next time', async () => {
    const { parts, asked } = chain([read('a', unit)], { oldest: 99_872 })
    const first = await collectPositions(parts, pinOf(100_000n), null, null)
    expect(first.reach).toBe(112)
    expect(first.positions[0]?.apyBase).toBeCloseTo(3.718, 2)
    asked.length = 0
    await collectPositions(parts, pinOf(100_000n), null, first.reach)
    expect(asked).toEqual([99_776n, 99_888n])
  })

  test('no yield where no earlier block is to be had', async () => {
    const { parts } = chain([read('a', unit)], { oldest: 100_000 })
    const found = await collectPositions(parts, pinOf(100_000n), null, null)
    expect(found.positions[0]).toMatchObject({ tvl: 10, apy: null, apyBase: null })
    expect(found.reach).toBeNull()
  })

  test('a protocol that cannot be listed keeps its positions without their figures', async () => {
    const old = { tvl: 5, apy: 1, apyBase: 1, apyReward: null }
    const of = (protocol: string) => ({
      position: position('c', protocol),
      token: null,
      underlyingTokens: [],
      ...old,
    })
    const previous = {
      chainId: 1,
      blockNumber: 1n,
      blockHash: '0x01' as const,
      takenAt: 0,
      positions: [of('broken'), of('gone')],
    }
    const { parts } = chain([read('a', null)], { unlisted: ['broken'] })
    const found = await collectPositions(parts, pinOf(100_000n), previous, null)
    expect(found.positions.map((one) => one.position.protocol)).toEqual(['vaults', 'broken'])
    expect(found.positions[1]).toMatchObject({ tvl: null, apy: null, apyBase: null })
  })
})
