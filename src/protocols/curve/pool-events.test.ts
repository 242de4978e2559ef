import { encodeAbiParameters, encodeEventTopics, parseAbi, parseAbiItem } from 'viem'
import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import { sonic } from '../../chains/sonic.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { curve } from './index.js'

const [a, b, c, pool, wallet]: readonly [Address, Address, Address, Address, Address] = [
  '0x1111111111111111111111111111111111111111',
  '0x2222222222222222222222222222222222222222',
  '0x3333333333333333333333333333333333333333',
  '0x4444444444444444444444444444444444444444',
  '0x5555555555555555555555555555555555555555',
]
const none: Address = '0x0000000000000000000000000000000000000000'
const word: Hex = `0x${'0'.repeat(64)}`
const venue = ethereum.venues.curve ?? {}
const onSonic = sonic.venues.curve ?? {}
const texts = ['a pool with a name that is longer than one word of the ABI', 'SYM'] as const

/** The events that the factories' ABIs state. */
const abi = parseAbi([
  'event PlainPoolDeployed(address[4] coins, uint256 A, uint256 fee, address deployer)',
  'event CryptoPoolDeployed(address token, address[2] coins, uint256 A, uint256 gamma, uint256 mid_fee, uint256 out_fee, uint256 allowed_extra_profit, uint256 fee_gamma, uint256 adjustment_step, uint256 admin_fee, uint256 ma_half_time, uint256 initial_price, address deployer)',
  'event TwocryptoPoolDeployed(address pool, string name, string symbol, address[2] coins, address math, bytes32 salt, uint256[2] precisions, uint256 packed_A_gamma, uint256 packed_fee_params, uint256 packed_rebalancing_params, uint256 packed_prices, address deployer)',
  'event TricryptoPoolDeployed(address pool, string name, string symbol, address weth, address[3] coins, address math, bytes32 salt, uint256 packed_precisions, uint256 packed_A_gamma, uint256 packed_fee_params, uint256 packed_rebalancing_params, uint256 packed_prices, address deployer)',
])
const ofAnyCoins = parseAbiItem(
  'event PlainPoolDeployed(address[] coins, uint256 A, uint256 fee, address deployer)',
)
const withPool = parseAbiItem(
  'event PlainPoolDeployed(address pool, address[] coins, uint256 A, uint256 fee, address deployer)',
)
const [ofFour, crypto, twocrypto, tricrypto] = abi

type Event = (typeof abi)[number] | typeof ofAnyCoins | typeof withPool

const read = (factory: string, event: Event, values: readonly unknown[], of = venue) => {
  const [topic] = encodeEventTopics({ abi: [event] }) as [Hex]
  const data = encodeAbiParameters(event.inputs, values as never)
  const address = String(of[factory]) as Address
  const isSource = curve.index
    ?.sources(of)
    .some((source) => source.address === address && source.topic === topic)
  return isSource ? curve.index?.toPool({ address, topics: [topic], data }, of) : undefined
}

describe('events of the factories of Curve', () => {
  test('each tells the coins of its pools', () => {
    const ten = Array.from({ length: 10 }, () => 1n)
    expect(read('stableFactory', ofFour, [[a, b, none, none], 1n, 1n, wallet])?.tokens).toEqual([
      a,
      b,
    ])
    expect(read('stableFactory', ofFour, [[a, b, c, pool], 1n, 1n, wallet])?.tokens).toHaveLength(4)
    expect(read('stableNgFactory', ofAnyCoins, [[c, a, b], 1n, 1n, wallet])?.tokens).toEqual([
      ...[c, a, b],
    ])
    const ofCore = read('stableCoreFactory', withPool, [pool, [b, c], 1n, 1n, wallet], onSonic)
    expect(ofCore?.tokens).toEqual([b, c])
    expect(read('cryptoFactory', crypto, [pool, [b, c], ...ten, wallet])?.tokens).toEqual([b, c])
    const two = [pool, ...texts, [a, c], wallet, word, [1n, 1n], 1n, 1n, 1n, 1n, wallet]
    expect(read('twocryptoFactory', twocrypto, two)?.tokens).toEqual([a, c])
    const three = [pool, ...texts, wallet, [a, b, c], wallet, word, 1n, 1n, 1n, 1n, 1n, wallet]
    expect(read('tricryptoFactory', tricrypto, three)?.tokens).toEqual([a, b, c])
  })

  test('equal coins of one factory are one entry, those of another factory are another', () => {
    const one = read('stableFactory', ofFour, [[a, b, none, none], 1n, 1n, wallet])
    const again = read('stableFactory', ofFour, [[a, b, none, none], 200n, 9n, pool])
    const other = read('stableNgFactory', ofAnyCoins, [[a, b], 1n, 1n, wallet])
    expect(again).toEqual(one)
    expect(other?.id).not.toBe(one?.id)
  })

  test('one coin, one coin twice, or more than a pool can have are no pool', () => {
    expect(read('stableFactory', ofFour, [[a, none, none, none], 1n, 1n, wallet])).toBeNull()
    expect(read('stableNgFactory', ofAnyCoins, [[a, a], 1n, 1n, wallet])).toBeNull()
    const nine = Array.from({ length: 9 }, (_, k) => `0x${`${k + 1}`.repeat(40)}`)
    expect(read('stableNgFactory', ofAnyCoins, [nine, 1n, 1n, wallet])).toBeNull()
    expect(read('stableCoreFactory', withPool, [pool, nine, 1n, 1n, wallet], onSonic)).toBeNull()
    const factories = [
      [ofAnyCoins, venue, venue.stableNgFactory],
      [withPool, onSonic, onSonic.stableCoreFactory],
    ] as const
    for (const [event, of, factory] of factories) {
      const [topic] = encodeEventTopics({ abi: [event] }) as [Hex]
      for (const data of ['0x', `0x${'f'.repeat(64)}`, `0x${'f'.repeat(640)}`] as Hex[]) {
        const address = String(factory) as Address
        expect(curve.index?.toPool({ address, topics: [topic], data }, of)).toBeNull()
      }
    }
  })

  test('the pools of the coins are asked of the MetaRegistry, and what it did not say is named', async () => {
    const pools = [
      read('stableFactory', ofFour, [[a, b, none, none], 1n, 1n, wallet]),
      read('stableNgFactory', ofAnyCoins, [[b, a], 1n, 1n, wallet]),
    ].flatMap((found) => found ?? [])
    const asked: Hex[] = []
    const reader = {
      call: async (calls: readonly { readonly data: Hex }[]) =>
        calls.map(({ data }) => {
          asked.push(data)
          return { ok: false, reason: 'unreadable', message: 'the node is away' }
        }),
    } as unknown as StateReader
    const found = await curve.index?.complete?.({ reader, chain: ethereum, venue, pools })
    expect(asked).toHaveLength(1)
    expect(found).toEqual({
      pools: [],
      unreadable: [expect.objectContaining({ protocol: 'curve', message: 'the node is away' })],
    })
  })
})
