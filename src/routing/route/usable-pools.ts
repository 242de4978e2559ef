/**
 * Which pools of the market a request may use, and why the others may not: what it ignores, excludes or restricts
 * itself to, and what is too shallow.
 */
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import type { RouteRequest } from '../../domain/engine.js'
import type { RefusedPool } from '../../domain/explanation.js'
import { type Address, nativeToken } from '../../domain/primitives.js'
import { type Pool, poolName } from '../../protocols/pool.js'
import { protocolBySlug } from '../../protocols/registry.js'
import type { Task } from '../block/task.js'
import type { MarketPool, MarketPools } from '../market/market-view.js'

const addressLength = 42

export interface UsablePools {
  /** What the request leaves of the market; look-ups that it does not care for are not reported as unreadable. */
  readonly view: MarketPools
  /** Pools of the view that the search may use. */
  readonly pools: readonly MarketPool[]
  readonly refused: readonly RefusedPool[]
  /** Tokens at which no path may stop. */
  readonly avoid: ReadonlySet<Address>
  /** Sentences about what the request names and the market does not have. */
  readonly warnings: readonly string[]
}

type NamedPool = Pick<Pool, 'id' | 'address' | 'parameters'>
type Rule = (market: MarketPool) => string | null

/** @param limits.isAllowed - pools that the action of a bundle may use; absent: all. */
export async function usablePools(
  task: Task,
  market: MarketPools,
  request: RouteRequest,
  limits: {
    readonly poolBlacklist: readonly string[]
    readonly isAllowed?: ((market: MarketPool) => boolean) | undefined
  },
): Promise<UsablePools> {
  const { poolChoice } = request
  const avoid = avoidedTokens(task.chain, request)
  const isIgnored = ignoredBy(request)
  const disabled = new Set(task.settings.disabledAggregators)
  const isBlacklisted = namedIn(limits.poolBlacklist)
  const isExcluded = namedIn(poolChoice?.excludePools ?? [])
  const only = poolChoice?.onlyPools ?? []
  const isChosen = only.length ? namedIn(only) : () => true
  const isNamed = (pool: NamedPool) => isBlacklisted(pool) || isExcluded(pool) || !isChosen(pool)

  const refused: RefusedPool[] = []
  const keep = (pools: readonly MarketPool[], rule: Rule) =>
    pools.filter((one) => {
      const reason = rule(one)
      const { pool } = one.loaded
      if (reason !== null) refused.push({ pool: poolName(pool), protocol: pool.protocol, reason })
      return reason === null
    })
  const kept = keep(market.pools, ({ adapter, loaded: { pool } }) => {
    if (disabled.has(adapter.slug)) return 'DISABLED_AGGREGATORS names its protocol'
    if (isIgnored(adapter.slug)) return 'the request ignores its protocol'
    if (isExcluded(pool) || isBlacklisted(pool)) return 'the request excludes it'
    if (!isChosen(pool)) return 'it is not one of onlyPools'
    const stops = pool.tokens.filter((token) => !avoid.has(token))
    return stops.length < 2 ? 'the request excludes a token of it' : null
  })
  const { isAllowed = () => true } = limits
  const open = keep(kept, (one) => (isAllowed(one) ? null : 'the action cannot use it'))
  const deep = new Set(await deepPools(task, open))
  return {
    view: {
      pools: kept,
      unreadable: market.unreadable.filter(
        // A look-up that failed might have found a pool that is wanted.
        ({ protocol, subject, pair }) =>
          !isIgnored(protocol) && !disabled.has(protocol) && (pair || !isNamed(idOnly(subject))),
      ),
    },
    pools: keep(open, (one) => (deep.has(one) ? null : 'it holds less than LIQUIDITY_FLOOR_USD')),
    refused,
    avoid,
    warnings: only
      .filter((name) => !market.pools.some(({ loaded }) => namedIn([name])(loaded.pool)))
      .map(
        (name) => `onlyPools: ${name} is none of the pools known for these tokens at this block.`,
      ),
  }
}

function idOnly(subject: string): NamedPool {
  return { id: subject, address: nativeToken, parameters: {} }
}

function ignoredBy({
  ignoreAggregators,
  ignoreStandards,
}: RouteRequest): (slug: string) => boolean {
  const ignored = new Set([...ignoreAggregators, ...ignoreStandards])
  return (slug) => ignored.has(slug) || ignored.has(protocolBySlug(slug)?.project ?? slug)
}

/**
 * Whether a pool is named by its id, its address, or the address with which its id begins; a trade of a pool's shares
 * goes by the name of the pool.
 */
function namedIn(names: readonly string[]): (pool: NamedPool) => boolean {
  const listed = new Set(names)
  return ({ id, address, parameters }) =>
    [id, address, String(parameters.liquidityOf)].some(
      (name) => listed.has(name) || listed.has(name.slice(0, addressLength)),
    )
}

/** Native and its wrapped token count as one, here and at the ends of the route. */
function avoidedTokens(
  chain: ChainDefinition,
  { poolChoice, inputs, tokensOut }: RouteRequest,
): ReadonlySet<Address> {
  const canonical = (token: Address) => canonicalToken(chain, token)
  const ends = new Set([...inputs.map(({ token }) => token), ...tokensOut].map(canonical))
  const stops = (poolChoice?.excludeTokens ?? []).map(canonical).filter((one) => !ends.has(one))
  return new Set(stops.includes(chain.wrappedNative) ? [...stops, nativeToken] : stops)
}

async function deepPools(task: Task, pools: readonly MarketPool[]): Promise<readonly MarketPool[]> {
  const floor = task.settings.liquidityFloorUsd
  if (floor === 0) return pools
  const deep = await Promise.all(
    pools.map((market) => task.facts.isDeepEnough(task.reader, market, floor)),
  )
  return pools.filter((_market, index) => deep[index])
}
