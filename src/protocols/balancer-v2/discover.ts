/**
 * Pools by their shares: a token that names its pool id is asked of the Vault, which must know the pool by it. Pools
 * cannot be found by the tokens that they hold: the Vault keeps no such index. The index of events does.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Pool, Unreadable } from '../pool.js'
import type { DiscoverArgs, EndorsementArgs } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { liquidityPool } from './liquidity-pool.js'
import { vaultOf } from './load.js'
import { poolContract } from './parameters.js'

const slug = 'balancer-v2'
const abi = parseAbi([
  'function getPoolId() view returns (bytes32)',
  'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256)',
  'function getNormalizedWeights() view returns (uint256[])',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function isPoolFromFactory(address pool) view returns (bool)',
])
const poolIdCall = encodeFunctionData({ abi, functionName: 'getPoolId' })
const factCalls = (['getNormalizedWeights', 'getAmplificationParameter', 'version'] as const).map(
  (functionName) => encodeFunctionData({ abi, functionName }),
)
const decimalsCall = encodeFunctionData({ abi, functionName: 'decimals' })

interface Found {
  /** Records that trade the shares, by these. */
  readonly pools: ReadonlyMap<Address, Pool>
  readonly unreadable: readonly { readonly token: Address; readonly message: string }[]
}

/** Connector tokens are not asked: they are in every look-up, and none of them is such a share. */
export async function discoverBalancer(
  args: DiscoverArgs,
): Promise<{ readonly pools: Pool[]; readonly unreadable: Unreadable[] }> {
  const { chain, pairs } = args
  const connectors = new Set<string>(chain.connectorTokens)
  const tokens = [...new Set(pairs.flat())].filter((token) => !connectors.has(token))
  const found = await findPools({ ...args, tokens })
  const pools = [...found.pools].flatMap(([share, pool]) => {
    const isWanted = pairs.some(
      (pair) => pair.includes(share) && pair.every((token) => pool.tokens.includes(token)),
    )
    return isWanted ? [pool] : []
  })
  const unreadable = found.unreadable.flatMap(({ token, message }) =>
    pairs
      .filter((pair) => pair.includes(token))
      .map((pair) => ({ protocol: slug, subject: `pool id of ${token}`, message, pair })),
  )
  return { pools, unreadable }
}

/**
 * Whether one of the protocol's factories made the pool: the Vault takes pools from everybody, and how many shares
 * there are is the pool's word.
 */
export async function isFromFactory({
  reader,
  venue,
  pool,
  listed,
}: EndorsementArgs): Promise<boolean> {
  if (listed) return true
  const factories = Array.isArray(venue.factories) ? venue.factories : []
  const args = [poolContract(pool)] as const
  const data = encodeFunctionData({ abi, functionName: 'isPoolFromFactory', args })
  const answers = await reader.call(
    factories.map((factory) => ({ to: toAddress(String(factory)), data })),
  )
  return answers.some((answer) => readWord(answer) === 1n)
}

/** The weighted and stable pools whose shares are among the tokens. */
export async function findPools(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly tokens: readonly Address[]
}): Promise<Found> {
  const { reader, tokens } = args
  if (tokens.length === 0) return { pools: new Map(), unreadable: [] }
  const ids = await reader.call(tokens.map((to) => ({ to, data: poolIdCall })))
  const named: { readonly share: Address; readonly id: Hex }[] = []
  const unreadable: { readonly token: Address; readonly message: string }[] = []
  tokens.forEach((share, k) => {
    const result = ids[k]
    if (result?.ok && result.value.length === 66 && result.value.startsWith(share)) {
      named.push({ share, id: result.value })
    } else if (result && !result.ok && result.reason === 'unreadable') {
      unreadable.push({ token: share, message: result.message })
    }
  })
  const pools = new Map<Address, Pool>()
  const described = await describePools(args, named)
  for (const { share, pool } of described.pools) {
    pools.set(share, pool.tokens.includes(share) ? pool : liquidityPool(pool))
  }
  const unread = described.unreadable.map(({ share, message }) => ({ token: share, message }))
  return { pools, unreadable: [...unreadable, ...unread] }
}

/** What pools and the Vault say of them; those that are of no known kind are left out. */
export async function describePools(
  { reader, venue }: { readonly reader: StateReader; readonly venue: VenueParameters },
  named: readonly { readonly share: Address; readonly id: Hex }[],
): Promise<{
  readonly pools: readonly { readonly share: Address; readonly pool: Pool }[]
  readonly unreadable: readonly { readonly share: Address; readonly message: string }[]
}> {
  if (named.length === 0) return { pools: [], unreadable: [] }
  const address = vaultOf(venue)
  const perPool = 1 + factCalls.length
  const answers = await reader.call(
    named.flatMap(({ share, id }) => [
      {
        to: address,
        data: encodeFunctionData({ abi, functionName: 'getPoolTokens', args: [id] }),
      },
      ...factCalls.map((data) => ({ to: share, data })),
    ]),
  )
  const held = named.map((_item, k) =>
    (decode('getPoolTokens', answers[k * perPool])?.[0] ?? []).map(toAddress),
  )
  const places = await reader.call(held.flat().map((to) => ({ to, data: decimalsCall })))
  let next = 0
  const unreadable: { readonly share: Address; readonly message: string }[] = []
  const pools = named.flatMap(({ share, id }, k) => {
    const tokens = held[k] ?? []
    const digits = places.slice(next, next + tokens.length)
    const decimals = digits.map(readWord)
    next += tokens.length
    const poolAnswers = answers.slice(k * perPool, (k + 1) * perPool)
    for (const result of [...poolAnswers, ...digits]) {
      if (result.ok || result.reason !== 'unreadable') continue
      unreadable.push({ share, message: result.message })
      return []
    }
    const facts = poolAnswers.slice(1)
    const weights = decode('getNormalizedWeights', facts[0])
    const isStable = decode('getAmplificationParameter', facts[1]) !== null
    if (tokens.length < 2 || decimals.includes(null) || (!weights && !isStable)) return []
    const version = versionOf(decode('version', facts[2]))
    const pool: Pool = {
      protocol: slug,
      id,
      address,
      tokens,
      parameters: {
        kind: weights ? 'weighted' : 'stable',
        decimals: decimals.map(String),
        ...defined({ weights: weights?.map(String), version: version || undefined }),
      },
    }
    return [{ share, pool }]
  })
  return { pools, unreadable }
}

/** Pools since 2022 say it in JSON, e.g. `{"name":"WeightedPool","version":4}`. */
function versionOf(text: string | null): string | null {
  return /"version":\s*"?([1-9])"?/.exec(text ?? '')?.[1] ?? null
}

function decode<F extends (typeof abi)[number]['name']>(functionName: F, result?: ReadResult) {
  if (!result?.ok || result.value === '0x') return null
  try {
    return decodeFunctionResult<typeof abi, F>({ abi, functionName, data: result.value } as never)
  } catch {
    return null
  }
}
