/** The pools of one block as a routing thread loads them, for measuring routes by math alone. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '../../../src/catalog/store.js'
import { loadTokenLists } from '../../../src/catalog/token-lists.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import type { Address } from '../../../src/domain/primitives.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { sourcesOf } from '../../../src/pool-index/sources.js'
import { openIndexStore } from '../../../src/pool-index/store.js'
import { syncChain } from '../../../src/pool-index/sync.js'
import type { Pool } from '../../../src/protocols/pool.js'
import { IndexedMarket } from '../../../src/routing/block/indexed-market.js'
import { WorkerContext } from '../../../src/routing/block/worker-context.js'
import type { MarketPool } from '../../../src/routing/market/market-view.js'
import { pairsOf } from '../../../src/routing/market/pairs.js'
import { gasInToken, type PricedToken } from '../../../src/routing/market/valuation.js'
import { createUpstream } from '../../../src/rpc/node/upstream.js'
import { baseFeeAfter } from '../base-fee.js'
import { readPin } from '../pin.js'

export interface QualityContext {
  readonly wrappedNative: Address
  /** The product's default. */
  readonly maxHops: number
  /** Of the listed pools, sorted. */
  readonly tokens: readonly Address[]
  /** What a request between two tokens may route through. */
  poolsBetween(tokenIn: Address, tokenOut: Address): Promise<readonly MarketPool[]>
  /** Raw units of the token that a million gas costs at the block; undefined where no price is known. */
  gasCost(token: Address): Promise<bigint | undefined>
  close(): void
}

/**
 * @param nodeUrl - read for storage; @param callUrl - where calls are made, its head is the block.
 * @param pools - imported, so that those are found too that no factory lists.
 */
export async function openQualityContext(args: {
  readonly nodeUrl: string
  readonly callUrl: string
  readonly pools: readonly Pool[]
  /** Whether requests route through pools of the index as well; default false. */
  readonly hasIndex?: boolean
  /** Whether an estimate counts as what it says, for the search and for the bound; default: it is no quote. */
  readonly estimates?: boolean
  /** Tokens beside those of the pools. */
  readonly tokens?: readonly Address[]
}): Promise<QualityContext> {
  const dataDir = mkdtempSync(join(tmpdir(), 'forkroute-quality-'))
  const catalog = openCatalog(dataDir)
  catalog.importPools(1, args.pools)
  catalog.close()
  const settings = {
    dataDir,
    candidates: 24,
    maxHops: 3,
    poolBlacklist: [],
    liquidityFloorUsd: 0,
    priorityFeePerGas: {},
    tokens: await loadTokenLists([]),
    ...(args.hasIndex && { poolIndex: { dataDir } }),
  }
  if (args.hasIndex) await buildIndex(dataDir, args.nodeUrl)
  const worker = new WorkerContext(settings)
  const pin = await readPin(args.callUrl)
  const block = worker.block(pin)
  const reader = new ForkReader({ pin, archiveUrl: args.nodeUrl, forkUrls: [args.callUrl] })
  const { chain } = block
  const indexed = worker.poolIndex
    ? new IndexedMarket({ chain, pin, market: block.market, index: worker.poolIndex })
    : null
  const asExact = createExactForms()
  const gasPrice = baseFeeAfter(pin) + chain.priorityFeePerGas

  async function priced(token: Address): Promise<[Address, PricedToken][]> {
    const [facts, price] = await Promise.all([
      block.tokenFacts(reader, token),
      block.price(reader, token),
    ])
    return facts && price ? [[token, { decimals: facts.decimals, priceUsd: price.priceUsd }]] : []
  }

  return {
    wrappedNative: chain.wrappedNative,
    maxHops: settings.maxHops,
    tokens: [
      ...new Set([...args.pools.flatMap(({ tokens }) => tokens), ...(args.tokens ?? [])]),
    ].sort(),
    async poolsBetween(tokenIn, tokenOut) {
      const known = block.market.view(reader, pairsOf(chain, [tokenIn], [tokenOut]))
      const ends = { tokensIn: [tokenIn], tokensOut: [tokenOut], maxHops: settings.maxHops }
      const view = indexed ? await indexed.view(reader, known, ends) : await known
      return args.estimates ? view.pools.map(asExact) : view.pools
    },
    async gasCost(token) {
      const prices = await Promise.all([priced(chain.wrappedNative), priced(token)])
      return gasInToken(chain, new Map(prices.flat()), token, gasPrice * 1_000_000n) ?? undefined
    },
    close() {
      worker.catalog.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Pools whose quotes count as exact; the same pool is the same object, since searches remember by it. */
function createExactForms(): (market: MarketPool) => MarketPool {
  const known = new WeakMap<MarketPool, MarketPool>()
  return (market) => {
    const before = known.get(market)
    if (before) return before
    const { swaps } = market.adapter
    const swap: typeof swaps.swap = (...args) => ({ ...swaps.swap(...args), exact: true })
    const made = { ...market, adapter: { ...market.adapter, swaps: { ...swaps, swap } } }
    known.set(market, made)
    return made
  }
}

async function buildIndex(dataDir: string, nodeUrl: string): Promise<void> {
  const store = openIndexStore(dataDir)
  const upstream = createUpstream({ chainId: 1, urls: [nodeUrl] })
  try {
    await syncChain({ chain: ethereum, sources: sourcesOf(ethereum), store, upstream })
  } finally {
    await upstream.close()
    store.close()
  }
}
