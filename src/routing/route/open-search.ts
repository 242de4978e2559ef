/** What a search for routes starts from: the market of the request at the block, what it may use of it, and its terms. */
import { defined } from '../../domain/defined.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { RouterSettings } from '../../domain/router-settings.js'
import { type DataFeeTerms, dataFeeOfSwap, priceOfMillionGas } from '../block/data-fee.js'
import type { Task } from '../block/task.js'
import type { WorkerSettings } from '../block/worker-settings.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import { gasInToken, type PricedToken } from '../market/valuation.js'
import type { CandidateArgs } from '../search/candidates.js'
import { firstInBlock } from '../search/order-in-block.js'
import { readCautionsAhead } from './cautions.js'
import { type UsablePools, usablePools } from './usable-pools.js'

export interface OpenSearch {
  readonly router: Required<RouterSettings>
  /** The whole market. */
  readonly all: MarketView
  readonly usable: UsablePools
  readonly priced: ReadonlyMap<Address, PricedToken>
  /** What L1 charges for the bytes of a transaction; null: nothing that counts. */
  readonly dataFee: DataFeeTerms | null
  /** @param wanted - those of the usable pools that the search may use. */
  argsFor(wanted: readonly MarketPool[]): Omit<CandidateArgs, 'inputs'>
  /** The same with other forms of some pools, wider or bounded ones. */
  with(others: ReadonlyMap<MarketPool, MarketPool>): OpenSearch
}

/** @param isAllowed - pools that the action of a bundle may use; absent: all. */
export async function openSearch(
  task: Task,
  request: RouteRequest,
  isAllowed?: (market: MarketPool) => boolean,
): Promise<OpenSearch> {
  const { chain } = task
  const { tokensOut } = request
  const router = routerFor(task.settings, request)
  const tokensIn = request.inputs.map(({ token }) => token)
  readCautionsAhead(task, [...tokensIn, ...tokensOut])
  const [all, priced, dataFee] = await Promise.all([
    task.facts.routeView(task, tokensIn, tokensOut, router.maxHops),
    task.facts.pricedTokens(task.reader, [chain.wrappedNative, ...tokensIn, ...tokensOut]),
    dataFeeTerms(task),
  ])
  const { poolBlacklist } = router
  const usable = await usablePools(task, all, request, { poolBlacklist, isAllowed })
  const search = searchIn(task, request, { router, all, usable, priced, dataFee })
  const dearer = request.isFirstInBlock ? all.pools.filter(({ loaded }) => loaded.ahead) : []
  return dearer.length > 0 ? search.with(new Map(dearer.map((pool) => [pool, pool]))) : search
}

function searchIn(
  task: Task,
  request: RouteRequest,
  parts: Omit<OpenSearch, 'argsFor' | 'with'>,
): OpenSearch {
  const { chain } = task
  const { router, all, usable, priced, dataFee } = parts
  // Large markets are searched by their deepest pools first, which a request may have excluded.
  const isRestricted = request.poolChoice && usable.pools.length < all.pools.length
  const market = isRestricted ? new MarketView({ pools: usable.pools }) : all
  return {
    ...parts,
    argsFor: (wanted) => ({
      market,
      ...(wanted.length < market.pools.length && { isAllowed: isOneOf(wanted) }),
      avoid: usable.avoid,
      shouldStop: task.clock.searchLimit(),
      wrappedNative: chain.wrappedNative,
      tokensOut: request.tokensOut,
      maxHops: router.maxHops,
      count: router.candidates,
      mayBeSplit: router.splits,
      mergesInputs: task.settings.mergesInputs !== false,
      gasCost: (token) =>
        gasInToken(chain, priced, token, priceOfMillionGas(task.gasPrice, dataFee?.model)) ??
        undefined,
      ...defined({ swapDataGas: dataFee ? swapDataGas(dataFee) : undefined }),
    }),
    with(given) {
      const inPlace = request.isFirstInBlock ? firstInBlock : (pool: MarketPool) => pool
      const others = new Map([...given].map(([pool, other]) => [pool, inPlace(other)]))
      return searchIn(task, request, {
        ...parts,
        all: all.with(others),
        usable: usableWith(usable, others),
      })
    },
  }
}

function usableWith(usable: UsablePools, others: ReadonlyMap<MarketPool, MarketPool>): UsablePools {
  const changed = (pools: readonly MarketPool[]) => pools.map((pool) => others.get(pool) ?? pool)
  const { view, pools } = usable
  return { ...usable, view: { ...view, pools: changed(view.pools) }, pools: changed(pools) }
}

async function dataFeeTerms(task: Task): Promise<DataFeeTerms | null> {
  const { chain, gasPrice, tip, reader, archive } = task
  if (!chain.l1DataFee) return null
  const callNode = (to: Address, data: Hex) => archive.callNode(to, data)
  const model = await task.facts.dataFee({ reader, callNode })
  return model && { model, chainId: chain.id, gasPrice, tip }
}

/** Gas that costs what the bytes of one more swap do; where gas is free, only proofs weigh them. */
function swapDataGas({ model, gasPrice }: DataFeeTerms): bigint {
  const price = priceOfMillionGas(gasPrice, model)
  return price === 0n ? 0n : (dataFeeOfSwap(model) * 1_000_000n) / price
}

/** How the route is searched for: settings of the request override those of the service. */
export function routerFor(
  { maxHops, candidates, proof = 'all' }: Pick<WorkerSettings, 'maxHops' | 'candidates' | 'proof'>,
  { router }: RouteRequest,
): Required<RouterSettings> {
  // Pools that the service itself leaves out are in no view.
  return { maxHops, candidates, splits: true, poolBlacklist: [], proof, ...router }
}

function isOneOf(pools: readonly MarketPool[]): (market: MarketPool) => boolean {
  const set = new Set(pools)
  return (market) => set.has(market)
}
