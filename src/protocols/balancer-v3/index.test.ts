import { encodeAbiParameters, encodeEventTopics, parseAbi, parseAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import { base } from '../../chains/base.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { zeroAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { balancerV3 } from './index.js'
import type { BalancerV3State } from './math.js'

const address = (digit: string) => `0x${digit.repeat(40)}` as Address
const [vault, factory, contract, helper, to] = ['1', '2', '3', '4', '5'].map(address) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const [a, b, provider] = [address('a'), address('b'), address('c')]
const venue = { vault, factories: [factory] }
const state = { kind: 'weighted', rateProvider: provider } as BalancerV3State
const pool = {
  protocol: 'balancer-v3',
  id: contract,
  address: vault,
  tokens: [a, b],
  parameters: { factory, isRated: true },
}

/** Written out here, apart from the one that is read with. */
const registered = parseAbi([
  'event PoolRegistered(address indexed pool, address indexed factory, (address, uint8, address, bool)[] tokens, uint256, uint32, (address, address, address) roles, (bool, bool, bool, bool, bool, bool, bool, bool, bool, bool, address) hooks, (bool, bool, bool, bool) liquidity)',
])

function event(change: {
  readonly factory?: Address
  readonly providers?: readonly [Address, Address]
  /** Place of the flag that is set. */
  readonly flag?: number
}) {
  const providers = change.providers ?? [zeroAddress, provider]
  const flags = Array.from({ length: 10 }, (_, k) => k === change.flag)
  const types =
    '(address, uint8, address, bool)[], uint256, uint32, (address, address, address), (bool, bool, bool, bool, bool, bool, bool, bool, bool, bool, address), (bool, bool, bool, bool)'
  const values = [
    [a, b].map((token, k) => [token, providers[k] === zeroAddress ? 0 : 1, providers[k], false]),
    ...[10n ** 15n, 1_800_000_000],
    [zeroAddress, zeroAddress, zeroAddress],
    [...flags, zeroAddress],
    [false, false, false, false],
  ]
  const topics = encodeEventTopics({
    abi: registered,
    eventName: 'PoolRegistered',
    args: { pool: contract, factory: change.factory ?? factory },
  })
  const data = encodeAbiParameters(parseAbiParameters(types) as never, values as never)
  return { address: vault, topics: topics as Hex[], data }
}

describe('balancerV3.index', () => {
  const told = (change: Parameters<typeof event>[0]) =>
    balancerV3.index?.toPool(event(change), venue)

  test('known vector: the topic of PoolRegistered, of the Vault', () => {
    const [topic] = event({}).topics
    expect(balancerV3.index?.sources(venue)).toEqual([
      { address: vault, topic, key: `${vault}:hooks` },
    ])
  })
  test('a pool of a factory of the venue is told with its tokens', () => {
    expect(told({})).toEqual(pool)
    const plain = { ...pool, parameters: { factory, isRated: false } }
    expect(told({ providers: [zeroAddress, zeroAddress] })).toEqual(plain)
  })
  test('pools of other factories are passed over, and hooks at swaps are named', () => {
    expect(told({ factory: to })).toBeNull()
    const flags = Array.from({ length: 10 }, (_, flag) => told({ flag })?.parameters.hooks)
    // Fee, before and after a swap.
    const [none, hooks] = [undefined, zeroAddress]
    expect(flags).toEqual([none, none, none, hooks, hooks, hooks, none, none, none, none])
    const hooked = { ...pool, parameters: { ...pool.parameters, hooks: to } }
    expect([pool, hooked].map((one) => balancerV3.index?.gate?.(one))).toEqual([null, to])
  })
  test('an event that is cut off tells of none', () => {
    const whole = event({})
    const cut = { ...whole, data: whole.data.slice(0, 200) as Hex }
    expect(balancerV3.index?.toPool(cut, venue)).toBeNull()
    const bare = { ...whole, topics: whole.topics.slice(0, 1) }
    expect(balancerV3.index?.toPool(bare, venue)).toBeNull()
  })
})

describe('balancerV3.load', () => {
  const args = { chain: base, venue }
  const refusing: StateReader = {
    block: { timestamp: 1_000n } as StateReader['block'],
    storage: async () => [],
    call: async (calls) =>
      calls.map(() => ({ ok: false, reason: 'unreadable', message: 'refused' })),
  }
  test('no pools ask nothing', async () => {
    const reader: StateReader = { ...refusing, call: () => Promise.reject(new Error('asked')) }
    expect(await balancerV3.swaps.load({ ...args, reader, pools: [] })).toEqual([])
  })
  test('all is read at the time of the next block; what cannot be read is said', async () => {
    const times: (bigint | undefined)[] = []
    const reader: StateReader = {
      ...refusing,
      call(calls) {
        times.push(...calls.map(({ timestamp }) => timestamp))
        return refusing.call(calls)
      },
    }
    const loads = await balancerV3.swaps.load({ ...args, reader, pools: [pool] })
    expect(loads).toEqual([{ protocol: 'balancer-v3', subject: contract, message: 'refused' }])
    expect(new Set(times)).toEqual(new Set([1_000n + BigInt(base.blockTimeSeconds)]))
  })
})

describe('balancerV3', () => {
  const encode = (isPrepaid: boolean) =>
    balancerV3.swaps.encodeSwap({
      chain: base,
      venue,
      pool,
      state,
      tokenIn: b,
      tokenOut: a,
      isPrepaid,
      amountIn: 7n,
      executor: to,
      helpers: { BalancerV3Swapper: helper },
      recipient: to,
    })

  test('the input goes to the Vault, unless it is there already, and the helper swaps it', () => {
    const call = { kind: 'call', target: helper, args: [vault, contract, b, a, to] }
    expect(encode(false)).toMatchObject([
      { kind: 'transfer', token: b, to: vault, amount: 7n },
      call,
    ])
    expect(encode(true)).toMatchObject([call])
    expect(balancerV3.swaps.prepaidAt?.(pool, state)).toBe(vault)
  })
  test('what the Vault paid is told by its own event of the pool', () => {
    const topics = encodeEventTopics({
      abi: parseAbi([
        'event Swap(address indexed, address indexed, address indexed, uint256, uint256, uint256, uint256)',
      ]),
      args: [contract, b, a] as never,
    }) as Hex[]
    const words = [7n, 5n, 1n, 1n]
    const data = encodeAbiParameters(
      parseAbiParameters('uint256, uint256, uint256, uint256'),
      words as never,
    )
    const log = { address: vault, topics, data }
    expect(balancerV3.swaps.paidInLogs?.(pool, a, [log])).toBe(5n)
    expect(balancerV3.swaps.paidInLogs?.(pool, b, [log])).toBeNull()
    expect(balancerV3.swaps.paidInLogs?.({ ...pool, id: to }, a, [log])).toBeNull()
    expect(balancerV3.swaps.paidInLogs?.(pool, a, [{ ...log, address: to }])).toBeNull()
  })
  test('a pool with rates is no source of prices, and names who tells a rate', () => {
    expect(balancerV3.trust?.isNoPriceSource?.(pool)).toBe(true)
    expect(balancerV3.trust?.isNoPriceSource?.({ ...pool, parameters: {} })).toBe(true)
    expect(balancerV3.trust?.isNoPriceSource?.({ ...pool, parameters: { isRated: false } })).toBe(
      false,
    )
    expect(balancerV3.trust?.foreignCode?.(pool, state, venue)).toBe(provider)
  })
})
