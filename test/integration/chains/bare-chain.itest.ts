/** A block before the contracts of all venues: there is nothing to find, and nothing that could not be read. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chains } from '../../../src/chains/registry.js'
import { protocolBySlug } from '../../../src/protocols/registry.js'
import { PoolContext } from '../../support/protocols/pool-context.js'

let context: PoolContext
beforeAll(async () => {
  context = await PoolContext.start()
})
afterAll(() => context?.close())

describe.each(chains)('$name', (chain) => {
  test.each(Object.entries(chain.venues))('%s has no look-up that fails', async (slug, venue) => {
    const adapter = protocolBySlug(slug)
    const [first = chain.wrappedNative, ...others] = chain.connectorTokens
    const pairs = others.map((token) => [first, token] as const)
    const reader = await context.reader()
    const found = await adapter?.swaps?.discover({ reader, chain, venue, pairs })
    expect(found?.unreadable ?? []).toEqual([])
  })
})
