import { type AbiParameter, encodeAbiParameters, type Hex, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../../test/support/storage-reader.js'
import { chains } from '../../../chains/registry.js'
import { parseVenues } from '../../../config/venues.js'
import { type DeclaredFactory, parseEvent } from '../../../domain/declared-venue.js'
import type { Address } from '../../../domain/primitives.js'
import type { SimulationLog } from '../../../domain/state.js'
import { protocols } from '../../registry.js'
import { callsOf } from './entry.js'
import type { ShippedProtocol } from './shipped.js'

const executor: Address = `0x${'5'.repeat(40)}`
const helpers = { Values: executor }

const shipped = protocols.flatMap((one) =>
  chains.flatMap((chain) => {
    const venue = chain.venues[one.slug]
    return venue && 'declarations' in one
      ? [{ name: `${one.slug} on ${chain.name}`, adapter: one as ShippedProtocol, chain, venue }]
      : []
  }),
)

/** An address of its own for each place, and nothing elsewhere. */
function exampleOf(parameter: AbiParameter, place: number): unknown {
  const { type } = parameter
  if ('components' in parameter) {
    return Object.fromEntries(parameter.components.map((one, k) => [one.name, exampleOf(one, k)]))
  }
  if (type === 'address') return `0x${(place + 17).toString(16).repeat(20)}`
  return type === 'bool' ? false : 0n
}

/** What a factory tells of a pool. */
function logOf({ address, event: signature }: DeclaredFactory): SimulationLog {
  const event = parseEvent(signature)
  if (!event) throw new Error(signature)
  const words = event.inputs.map((input, place) => ({ input, value: exampleOf(input, place) }))
  const encode = (some: typeof words) =>
    encodeAbiParameters(
      some.map(({ input }) => input),
      some.map(({ value }) => value),
    )
  const indexed = words.filter(({ input }) => input.indexed).map((word) => encode([word]))
  const data = encode(words.filter(({ input }) => !input.indexed))
  return { address, topics: [toEventSelector(event), ...indexed] as Hex[], data }
}

test('there are declared protocols, by name and by factories', () => {
  const declarations = shipped.flatMap(({ adapter, venue }) => adapter.declarations(venue))
  expect(new Set(declarations.map(({ factory }) => factory === undefined))).toEqual(
    new Set([true, false]),
  )
})

test('a pool of one token alone is dead, unless the protocol says that it swaps', () => {
  const depthsOf = (slug: string, words: readonly bigint[]) =>
    protocols.find((one) => one.slug === slug)?.index?.depth?.(words)
  expect(depthsOf('maverick-v2', [0n, 7n])).toEqual([0n, 7n])
  expect(depthsOf('llamalend', [0n, 7n])).toEqual([1n, 7n])
  expect(depthsOf('llamalend', [7n, 0n])).toEqual([7n, 1n])
  expect(depthsOf('llamalend', [0n, 0n])).toEqual([0n, 0n])
})

test('a token that all pools of a factory have is that of each', () => {
  const { venue, adapter } = shipped.find(({ name }) => name === 'llamalend on Ethereum') ?? {}
  const factory = adapter?.declarations(venue ?? {})[0]?.factory
  const pool = factory && adapter?.index?.toPool(logOf(factory), venue ?? {})
  expect(pool?.tokens).toEqual([venue?.stablecoin, `0x${'11'.repeat(20)}`])
})

describe.each(shipped)('$name', ({ adapter, chain, venue }) => {
  /** Each pool of the chain and one of each factory, with what is loaded where nothing can be read. */
  async function loaded() {
    const tokens = [...new Set(String(venue.pools).match(/0x[0-9a-f]{40}/g))] as Address[]
    const pairs = tokens.flatMap((a) => tokens.map((b) => [a, b] as const))
    const reader = storageReader({})
    const listed = await adapter.swaps.discover({ reader, chain, venue, pairs })
    const made = adapter.declarations(venue).flatMap(({ factory }) => {
      const pool = factory && adapter.index?.toPool(logOf(factory), venue)
      if (factory && !pool) throw new Error(`${factory.event} tells of no pool`)
      return pool ?? []
    })
    const silent = { ...reader, call: async (calls: readonly unknown[]) => calls.map(() => failed) }
    const pools = [...listed.pools, ...made]
    const items = await adapter.swaps.load({ reader: silent, chain, venue, pools })
    expect(items.length).toBeGreaterThan(0)
    return items.map((item) => {
      if (!('state' in item)) throw new Error(item.message)
      return item
    })
  }
  const failed = { ok: false, reason: 'reverted', message: '' } as const

  test('is what a file could declare', () => {
    const venues = adapter.declarations(venue).map((said, place) => {
      const { quote, swap, reverse, factory, pools } = said
      return {
        name: `${adapter.slug}-${place}`,
        chainId: String(chain.id),
        gas: String(said.gas),
        quote: { ...quote, gasLimit: String(quote.gasLimit) },
        swap,
        pools,
        ...(reverse && {
          reverse: {
            quote: { ...reverse.quote, gasLimit: String(reverse.quote.gasLimit) },
            swap: reverse.swap,
          },
        }),
        ...(factory && {
          factory: {
            ...factory,
            fromBlock: String(factory.fromBlock),
            mostPools: String(factory.mostPools),
          },
        }),
      }
    })
    expect(parseVenues(JSON.stringify({ venues })).problems).toEqual([])
  })

  test('has steps for both directions of each pool, and no pool of a stranger', async () => {
    for (const { pool, state } of await loaded()) {
      const [first = executor, second = executor] = pool.tokens
      for (const [tokenIn, tokenOut] of [
        [first, second],
        [second, first],
      ] as const) {
        const args = { chain, venue, pool, state, executor, helpers, recipient: executor }
        const steps = adapter.swaps.encodeSwap({ ...args, tokenIn, tokenOut, amountIn: 5n })
        const { swap } = callsOf(state.entry, { tokenIn, tokenOut })
        const target = swap.contract === 'pool' ? pool.address : swap.contract
        expect(steps.at(-1)).toMatchObject({ kind: 'call', target })
      }
      const { factory } = pool.parameters
      const parameters = factory ? { ...pool.parameters, factory: 'another' } : pool.parameters
      const tokens = factory ? pool.tokens : [second, first]
      const strange = { ...pool, tokens, parameters }
      const reader = storageReader({})
      expect(await adapter.swaps.load({ reader, chain, venue, pools: [strange] })).toMatchObject([
        { message: 'It is not one of the pools of the chain.' },
      ])
    }
  })
})
