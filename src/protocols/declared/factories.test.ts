import { encodeAbiParameters, type Hex, parseAbiParameters, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import { parseVenues } from '../../config/venues.js'
import { type Address, nativeToken, zeroAddress } from '../../domain/primitives.js'
import { sourcesOf } from '../../pool-index/sources.js'
import type { Pool } from '../pool.js'
import { depthOf } from '../pool-events.js'
import { toWord } from '../shared/storage-slots.js'
import { declaredEvents } from './index.js'
import { declaredSlug, entryOf, withDeclaredVenues } from './venue.js'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [factory, pool, a, b] = ['1', '2', '3', '4'].map(address) as [
  Address,
  Address,
  Address,
  Address,
]
const event = 'event Made(address indexed token0, address[] others, uint24 fee, address made)'
const topic = toEventSelector(event)

function chainWith(fields: string, limit = '') {
  const { venues, problems } = parseVenues(`
venues:
  - name: made
    gas: 70000
    quote: { function: 'function quote(uint24 fee, uint256 amount) view returns (uint256)', args: [fee, amountIn], limits: [${limit}] }
    swap: { function: 'function swap(uint256 amount)', args: [amountIn], pay: approve }
    factory: { address: '${factory}', event: '${event}', ${fields} }
`)
  expect(problems).toEqual([])
  return withDeclaredVenues(ethereum, venues)
}

const usual = 'pool: made, tokens: [token0, others], constants: { fee: fee }, fromBlock: 7'

function logOf(first: Address, others: readonly Address[]) {
  const types = parseAbiParameters('address[], uint24, address')
  const data = encodeAbiParameters(types, [others, 30, pool])
  const topics: Hex[] = [topic, toWord(BigInt(first))]
  const place = { blockNumber: 9n, transactionHash: topic, timestamp: null }
  return { address: factory, topics, data, ...place }
}

const limits =
  '{ function: "function most(address a, address b) view returns (uint256, uint256)", args: [tokenIn, tokenOut], output: [1], of: tokenOut }'

describe('a declared factory', () => {
  test('is a source of its own, beside the protocol whose factory it may be', () => {
    const chain = chainWith(usual)
    const { sources, read } = sourcesOf(chain)
    const own = sources.filter(({ protocol }) => protocol === declaredSlug)
    expect(own).toMatchObject([{ address: factory, topic, fromBlock: 7n, mostPools: 10_000 }])
    const [found] = read(logOf(a, [b]))
    expect(found).toMatchObject({ id: pool, address: pool, tokens: [a, b], block: 9n })
    const v2 = String(ethereum.venues['uniswap-v2']?.factory)
    const parameters = JSON.parse(
      JSON.stringify(chain.venues[declaredSlug]).replaceAll(factory, v2),
    )
    const shared = { ...chain, venues: { ...chain.venues, [declaredSlug]: parameters } }
    expect(sourcesOf(shared).sources.length).toBe(sources.length)
  })

  test('makes pools with the constants of their events', () => {
    const chain = chainWith(usual)
    const { [declaredSlug]: venue = {} } = chain.venues
    const made = declaredEvents.toPool(logOf(a, [b, zeroAddress]), venue)
    expect(made?.tokens).toEqual([a, b, nativeToken])
    expect(made && entryOf(venue, made)?.declared.constants).toEqual({ fee: '30' })
  })

  test.each([
    ['one token', a, []],
    ['a token twice', a, [a]],
    [
      'more tokens than a pool may have',
      a,
      Array.from({ length: 8 }, (_, k) => address(`${k + 1}`)),
    ],
  ])('makes no pool of %s', (_name, first, others) => {
    const { [declaredSlug]: venue = {} } = chainWith(usual).venues
    expect(declaredEvents.toPool(logOf(first, others), venue)).toBeNull()
  })

  test('has no more the pools of what the file said before', async () => {
    const { [declaredSlug]: before = {} } = chainWith(usual).venues
    const chain = chainWith(usual.replace('fromBlock: 7', 'fromBlock: 8'))
    const { [declaredSlug]: venue = {} } = chain.venues
    const made = declaredEvents.toPool(logOf(a, [b]), before) as Pool
    const pools = [made, declaredEvents.toPool(logOf(b, [a]), venue) as Pool]
    const args = { reader: storageReader({}), chain, venue, pools }
    expect((await declaredEvents.complete?.(args))?.pools).toEqual(pools.slice(1))
  })

  test('tells how deep a pair is by its balances, where the pool holds them', () => {
    const { [declaredSlug]: venue = {} } = chainWith(usual).venues
    const made = declaredEvents.toPool(logOf(a, [b]), venue) as Pool
    expect(declaredEvents.depthCalls?.(made, venue).map(({ to }) => to)).toEqual([a, b])
    const three = declaredEvents.toPool(logOf(a, [b, factory]), venue) as Pool
    expect(declaredEvents.depthCalls?.(three, venue)).toEqual([])
  })

  test('tells how deep a pool is by the limits of what comes out', () => {
    const { [declaredSlug]: venue = {} } = chainWith(usual, limits).venues
    const made = declaredEvents.toPool(logOf(a, [b]), venue) as Pool
    const calls = declaredEvents.depthCalls?.(made, venue) ?? []
    const words = [b, a, a, b].map((token) => toWord(BigInt(token)).slice(2)).join('')
    expect(calls.map(({ data }) => data.slice(10)).join('')).toBe(words)
    const answer = { ok: true, value: `0x${words.slice(0, 128)}` } as const
    expect(calls.map((call) => [call.to, depthOf(call, answer)])).toEqual([
      [pool, BigInt(a)],
      [pool, BigInt(a)],
    ])
  })
})
