import { describe, expect, test } from 'vitest'
import { ethereum } from '../../chains/ethereum.js'
import type { Address } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { TokenPrice } from '../../pricing/pricing.js'
import type { Pool } from '../../protocols/pool.js'
import type { PositionAdapter } from '../../protocols/positions.js'
import { defineProtocol, type Trust } from '../../protocols/protocol.js'
import { Market } from '../market/market.js'
import { type HoldingsSource, holdingsPrice } from './holdings-price.js'

const address = (place: number): Address => `0x${place.toString(16).padStart(40, '0')}`
const [asset, vault, outer] = [1, 2, 3].map(address) as [Address, Address, Address]
const reader = {} as StateReader
const one: TokenPrice = { priceUsd: 3, confidence: 0.8, source: 'pools' }

const vaultPool = (share: Address, of: Address): Pool => {
  return { protocol: 'vaults', id: share, address: share, tokens: [of, share], parameters: {} }
}

interface Scene {
  /** Vaults by their shares, with their assets: what each share is worth is two of them. */
  readonly vaults: readonly (readonly [share: Address, asset: Address])[]
  readonly holdings?: PositionAdapter['holdings']
  readonly trust?: Trust
  readonly listed?: readonly Pool[]
  readonly imported?: readonly Pool[]
  readonly prices?: ReadonlyMap<Address, TokenPrice>
  readonly found?: boolean
  /** Pools of the index by which a token is found. */
  readonly indexed?: readonly Pool[]
  /** Tokens of the operator's lists. */
  readonly named?: readonly Address[]
}

/** Real market, one protocol of vaults at a slug that the chain has. */
function priceOf(token: Address, scene: Scene): Promise<TokenPrice | null> {
  const { vaults, trust, listed = [], imported = [], found = true } = scene
  const { indexed = [], named = [] } = scene
  const { prices = new Map([[asset, one]]) } = scene
  const pools = vaults.map(([share, of]) => vaultPool(share, of))
  const vaultsAdapter = defineProtocol({
    slug: 'vaults',
    name: '',
    project: '',
    category: '',
    url: '',
    description: '',
    swaps: {
      paysRecipient: false,
      discover: async () => ({ pools: found ? pools : [], unreadable: [] }),
      load: async ({ pools: wanted }) =>
        wanted.map((pool) => ({ pool, state: null, partial: false })),
      swap: (_pool, state) => ({ amountOut: 0n, exact: true, after: () => state }),
      gasEstimate: () => 0n,
      encodeSwap: () => [],
    },
    ...(trust && { trust }),
    positions: {
      list: async () => ({ positions: [], unreadable: [] }),
      read: async () => [],
      holdings:
        scene.holdings ??
        (({ id, tokens: [of] }, _state, share) =>
          of && share === id ? { shares: 1n, amounts: [{ token: of, amount: 2n }] } : null),
    },
  })
  const chain = { ...ethereum, venues: { vaults: {} } }
  const source: HoldingsSource = {
    chain,
    market: new Market({
      chain,
      protocols: [vaultsAdapter],
      blacklist: new Set(),
      listedPools: () => listed,
      catalogPools: () => imported,
      catalogPoolsWith: () => [],
      onDiscovered: () => {},
      onClassed: () => {},
    }),
    underlying: async (each) => vaults.flatMap(([share, of]) => (share === each ? [of] : [])),
    indexed: async (each) =>
      indexed
        .filter(({ tokens }) => tokens.includes(each) && each !== asset)
        .map((pool) => ({
          adapter: vaultsAdapter,
          loaded: { pool, state: null, partial: false },
        })),
    isNamed: (each) => named.includes(each),
    facts: async (each) => ({
      chainId: 1,
      address: each,
      symbol: '',
      name: '',
      decimals: 18,
      logoUri: null,
    }),
    poolPrice: async (each) => prices.get(each) ?? null,
  }
  return holdingsPrice(source, reader, token)
}

describe('holdingsPrice', () => {
  test('a share is worth what it owns; a share of shares what those own', async () => {
    const vaults = [
      [vault, asset],
      [outer, vault],
    ] as const
    const expected = { priceUsd: 6, confidence: 0.8, source: 'holdings' }
    expect(await priceOf(vault, { vaults })).toEqual(expected)
    expect(await priceOf(outer, { vaults })).toEqual({ ...expected, priceUsd: 12 })
  })

  test('what a share owns counts before a pool that trades the share, and after a feed', async () => {
    const vaults = [
      [vault, asset],
      [outer, vault],
    ] as const
    const thin = { priceUsd: 500, confidence: 0.1, source: 'pools' }
    const inPool = new Map([
      [asset, one],
      [vault, thin],
    ])
    expect((await priceOf(outer, { vaults, prices: inPool }))?.priceUsd).toBe(12)
    const inFeed = new Map([
      [asset, one],
      [vault, { ...thin, source: 'chainlink' }],
    ])
    expect((await priceOf(outer, { vaults, prices: inFeed }))?.priceUsd).toBe(1_000)
  })

  test('no price: no position, a part without a price, a pool that does not say', async () => {
    const vaults = [[vault, asset]] as const
    expect(await priceOf(asset, { vaults })).toBeNull()
    expect(await priceOf(vault, { vaults, prices: new Map() })).toBeNull()
    expect(await priceOf(vault, { vaults, holdings: () => null })).toBeNull()
  })

  test('vaults of each other, and vaults piled up too high, have no price and end', async () => {
    const vaults = [
      [vault, outer],
      [outer, vault],
    ] as const
    expect(await priceOf(vault, { vaults })).toBeNull()
    const pile = [4, 5, 6, 7, 8].map((place) => [address(place), address(place + 1)] as const)
    const prices = new Map([[address(9), one]])
    expect((await priceOf(address(5), { vaults: pile, prices }))?.priceUsd).toBe(48)
    expect(await priceOf(address(4), { vaults: pile, prices })).toBeNull()
  })

  test("a stranger's code vouches for nothing, unless the service lists the pool", async () => {
    const vaults = [[vault, asset]] as const
    const foreign = { foreignCode: ({ address: own }: Pool) => own }
    expect(await priceOf(vault, { vaults, trust: foreign })).toBeNull()
    const listed = [vaultPool(vault, asset)]
    expect((await priceOf(vault, { vaults, trust: foreign, listed }))?.priceUsd).toBe(6)
  })

  test('where the protocol has a word to say, it counts', async () => {
    const vaults = [[vault, asset]] as const
    const said = (isEndorsed: boolean) => ({
      foreignCode: ({ address: own }: Pool) => own,
      isEndorsed: async () => isEndorsed,
    })
    expect((await priceOf(vault, { vaults, trust: said(true) }))?.priceUsd).toBe(6)
    expect(await priceOf(vault, { vaults, trust: said(false) })).toBeNull()
  })

  test('what lists name is told to the protocol', async () => {
    const vaults = [[vault, asset]] as const
    const trust: Trust = { isEndorsed: async ({ pool, isNamed }) => isNamed(pool.address) }
    expect(await priceOf(vault, { vaults, trust, named: [outer] })).toBeNull()
    expect((await priceOf(vault, { vaults, trust, named: [vault] }))?.priceUsd).toBe(6)
  })

  test('a token that does not tell what it is made of is found by the index', async () => {
    const indexed = [vaultPool(vault, asset)]
    expect(await priceOf(vault, { vaults: [] })).toBeNull()
    expect((await priceOf(vault, { vaults: [], indexed }))?.priceUsd).toBe(6)
  })

  test('where the first record has a part without a price, the next one counts', async () => {
    const indexed = [vaultPool(vault, outer), { ...vaultPool(vault, asset), id: outer }]
    const holdings = ({ tokens: [of] }: Pool, _state: unknown, share: Address) =>
      of && share === vault ? { shares: 1n, amounts: [{ token: of, amount: 5n }] } : null
    expect((await priceOf(vault, { vaults: [], indexed, holdings }))?.priceUsd).toBe(15)
  })

  test('of markets the deepest counts, and one of less than 1,000 USD does not', async () => {
    const [shallow, deep, thin] = [10, 11, 12].map((place) => ({
      ...vaultPool(vault, asset),
      id: address(place),
    })) as [Pool, Pool, Pool]
    // Whole tokens in the market, and what a share is worth there.
    const said = new Map<string, readonly [lies: bigint, worth: bigint]>([
      [shallow.id, [400n, 20n]],
      [deep.id, [500n, 2n]],
      [thin.id, [333n, 7n]],
    ])
    const holdings = ({ id, tokens: [of] }: Pool, _state: unknown, share: Address) => {
      const [lies, worth] = said.get(id) ?? [0n, 0n]
      if (!of || share !== vault) return null
      const depth = [{ token: of, amount: lies * 10n ** 18n }]
      return { shares: 1n, amounts: [{ token: of, amount: worth }], depth }
    }
    const priced = (indexed: readonly Pool[]) => priceOf(vault, { vaults: [], indexed, holdings })
    expect((await priced([shallow, deep, thin]))?.priceUsd).toBe(6)
    expect((await priced([shallow]))?.priceUsd).toBe(60)
    expect(await priced([thin])).toBeNull()
  })

  test('a pool that only an import names has none', async () => {
    const imported = [vaultPool(vault, asset)]
    const vaults = [[vault, asset]] as const
    expect(await priceOf(vault, { vaults, imported, found: false })).toBeNull()
    expect((await priceOf(vault, { vaults, imported }))?.priceUsd).toBe(6)
  })
})
