import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../../test/support/storage-reader.js'
import { chains } from '../../../chains/registry.js'
import { parseVenues } from '../../../config/venues.js'
import type { Address } from '../../../domain/primitives.js'
import type { SwapAdapter } from '../../protocol.js'
import { protocols } from '../../registry.js'
import { callsOf } from './entry.js'
import type { DeclaredState } from './load.js'

const executor: Address = `0x${'5'.repeat(40)}`

/** Chains name pools of such a protocol by their addresses. */
const shipped = protocols.flatMap((one) =>
  chains.flatMap((chain) => {
    const venue = chain.venues[one.slug]
    const adapter = one as SwapAdapter<DeclaredState>
    const isShipped = [venue?.pools ?? []].flat().some((text) => /^0x\w{40}:0x/.test(String(text)))
    return venue && isShipped
      ? [{ name: `${one.slug} on ${chain.name}`, adapter, chain, venue }]
      : []
  }),
)

test('there are declared protocols', () => {
  expect(shipped.length).toBeGreaterThan(0)
})

describe.each(shipped)('$name', ({ adapter, chain, venue }) => {
  /** Each pool of the chain, with what is loaded where nothing can be read. */
  async function loaded() {
    const tokens = [...new Set(String(venue.pools).match(/0x[0-9a-f]{40}/g))] as Address[]
    const pairs = tokens.flatMap((a) => tokens.map((b) => [a, b] as const))
    const reader = storageReader({})
    const { pools } = await adapter.swaps.discover({ reader, chain, venue, pairs })
    const silent = { ...reader, call: async (calls: readonly unknown[]) => calls.map(() => failed) }
    const items = await adapter.swaps.load({ reader: silent, chain, venue, pools })
    return items.map((item) => {
      if (!('state' in item)) throw new Error(item.message)
      return item
    })
  }
  const failed = { ok: false, reason: 'reverted', message: '' } as const

  test('is what a file could declare', async () => {
    for (const { state } of await loaded()) {
      const { venue: said, declared } = state.entry
      const [{ quote, swap }, back] = said.calls
      const file = {
        name: adapter.slug,
        chainId: String(chain.id),
        gas: String(said.gas),
        quote: { ...quote, gasLimit: String(quote.gasLimit) },
        swap,
        reverse: {
          quote: { ...back.quote, gasLimit: String(back.quote.gasLimit) },
          swap: back.swap,
        },
        pools: [declared],
      }
      expect(parseVenues(JSON.stringify({ venues: [file] })).problems).toEqual([])
    }
  })

  test('has steps for both directions of each pool, and no pool of a stranger', async () => {
    for (const { pool, state } of await loaded()) {
      const [first = executor, second = executor] = pool.tokens
      for (const [tokenIn, tokenOut] of [
        [first, second],
        [second, first],
      ] as const) {
        const args = { chain, venue, pool, state, executor, helpers: {}, recipient: executor }
        const steps = adapter.swaps.encodeSwap({ ...args, tokenIn, tokenOut, amountIn: 5n })
        const { swap } = callsOf(state.entry, { tokenIn, tokenOut })
        const target = swap.contract === 'pool' ? pool.address : swap.contract
        expect(steps.at(-1)).toMatchObject({ kind: 'call', target })
      }
      const strange = { ...pool, tokens: [second, first] }
      const reader = storageReader({})
      expect(await adapter.swaps.load({ reader, chain, venue, pools: [strange] })).toMatchObject([
        { message: 'It is not one of the pools of the chain.' },
      ])
    }
  })
})
