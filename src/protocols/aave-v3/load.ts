/** aTokens among the tokens of a look-up, and the state of their reserves at the time of the simulated block. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, toAddress } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { DiscoverArgs, LoadedPool } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { type EdgeState, edgeState } from './math.js'
import { decodeReserve, readReserves, reserveCall } from './reserve.js'

const abi = parseAbi([
  'function UNDERLYING_ASSET_ADDRESS() view returns (address)',
  'function getReserveNormalizedIncome(address asset) view returns (uint256)',
  'function getVirtualUnderlyingBalance(address asset) view returns (uint128)',
  'function scaledTotalSupply() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
])
const underlyingData = encodeFunctionData({ abi, functionName: 'UNDERLYING_ASSET_ADDRESS' })

export function poolOf(venue: VenueParameters): Address {
  return toAddress(String(venue.pool))
}

/**
 * Underlying tokens of those that are aTokens of the Pool. A debt token and an aToken of another market name an
 * underlying token too: the Pool's word decides.
 */
export async function findATokens(
  reader: StateReader,
  pool: Address,
  tokens: readonly Address[],
): Promise<{
  readonly assets: ReadonlyMap<Address, Address>
  readonly refused: ReadonlyMap<Address, string>
}> {
  const assets = new Map<Address, Address>()
  const refused = new Map<Address, string>()
  if (tokens.length === 0) return { assets, refused }
  const answers = await reader.call(tokens.map((to) => ({ to, data: underlyingData })))
  const claims: { readonly token: Address; readonly asset: Address }[] = []
  answers.forEach((answer, index) => {
    const token = tokens[index] as Address
    if (answer.ok) {
      const isWord = answer.value.length === 66 && BigInt(answer.value) < 2n ** 160n
      const asset = isWord ? addressInWord(answer.value) : null
      if (asset) claims.push({ token, asset })
    } else if (answer.reason === 'unreadable') refused.set(token, answer.message)
  })
  const reserves = await readReserves(
    reader,
    pool,
    claims.map(({ asset }) => asset),
  )
  reserves.forEach((reserve, index) => {
    const { token, asset } = claims[index] as (typeof claims)[number]
    if (reserve && 'message' in reserve) {
      if (reserve.reason === 'unreadable') refused.set(token, reserve.message)
    } else if (reserve?.aToken === token) assets.set(token, asset)
  })
  return { assets, refused }
}

/** Connector tokens are not asked, as most tokens of most look-ups are such. */
export async function discoverReserves(
  slug: string,
  { reader, chain, venue, pairs }: DiscoverArgs,
): Promise<{ pools: Pool[]; unreadable: Unreadable[] }> {
  const pool = poolOf(venue)
  const wanted = orderedPairs(pairs)
  const connectors = new Set<Address>(chain.connectorTokens)
  const tokens = [...new Set(wanted.flat())].filter((token) => !connectors.has(token))
  const { assets, refused } = await findATokens(reader, pool, tokens)
  const pools = wanted.flatMap(([a, b]) => [
    ...(assets.get(a) === b ? [reservePool(slug, pool, a, b)] : []),
    ...(assets.get(b) === a ? [reservePool(slug, pool, b, a)] : []),
  ])
  const unreadable = [...refused].flatMap(([token, message]) =>
    wanted
      .filter((pair) => pair.includes(token))
      .map((pair) => ({ protocol: slug, subject: `aToken ${token}`, message, pair })),
  )
  return { pools, unreadable }
}

function reservePool(slug: string, address: Address, aToken: Address, asset: Address): Pool {
  return { protocol: slug, id: aToken, address, tokens: [asset, aToken], parameters: {} }
}

const readsPerPool = 5

export async function loadReserves(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<EdgeState> | Unreadable)[]> {
  const { reader, chain, venue, pools } = args
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const results = await reader.call(pools.flatMap((pool) => readsOf(pool, timestamp)))
  return pools.map((pool, index) => {
    const answers = results.slice(index * readsPerPool, (index + 1) * readsPerPool)
    return toLoaded(pool, poolOf(venue), answers)
  })
}

function readsOf({ address, tokens }: Pool, timestamp: bigint): ReadCall[] {
  const [asset = address, aToken = address] = tokens
  const encode = (functionName: 'getReserveNormalizedIncome' | 'getVirtualUnderlyingBalance') =>
    encodeFunctionData({ abi, functionName, args: [asset] })
  return [
    reserveCall(address, asset),
    { to: address, data: encode('getReserveNormalizedIncome'), timestamp },
    { to: aToken, data: encodeFunctionData({ abi, functionName: 'scaledTotalSupply' }) },
    { to: asset, data: encodeFunctionData({ abi, functionName: 'balanceOf', args: [aToken] }) },
    // Since version 3.1: what was given to the aToken by mere transfer cannot be withdrawn.
    { to: address, data: encode('getVirtualUnderlyingBalance') },
  ]
}

function toLoaded(
  pool: Pool,
  address: Address,
  answers: readonly ReadResult[],
): LoadedPool<EdgeState> | Unreadable {
  const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
  if (refused && !refused.ok) return unreadablePool(pool, refused.message)
  const [asset, aToken] = pool.tokens
  const [data] = answers
  const reserve = data?.ok && asset ? decodeReserve(asset, data.value) : null
  const isReserve = reserve?.aToken === aToken && pool.id === aToken && pool.address === address
  if (!reserve || !isReserve)
    return unreadablePool(pool, 'It is not an aToken of the Pool of the chain.')
  const [index, scaledSupply, balance, virtual] = answers.slice(1).map(readWord)
  if (!index || scaledSupply == null || balance == null) {
    return unreadablePool(pool, 'Its reserve does not say what it holds.')
  }
  const held = virtual != null && virtual < balance ? virtual : balance
  return { pool, state: edgeState({ ...reserve, scaledSupply, held }, index), partial: false }
}
