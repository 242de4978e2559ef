/**
 * State of Balancer V2 pools in bulk: the Vault's balances and the pools' own parameters in one round of reads;
 * one more round for the stable pools that have token rates or change their amplification.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import type { LoadedPool } from '../protocol.js'
import { mulDown } from '../shared/balancer-math/fixed-point.js'
import { type NextBlockPool, readNextBlock, type TimeDependentPool } from './next-block.js'
import {
  type BalancerParameters,
  balancerParameters,
  isComposable,
  poolContract,
} from './parameters.js'
import type { BalancerState } from './state.js'

const abi = parseAbi([
  'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256)',
  'function getSwapFeePercentage() view returns (uint256)',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256)',
  'function getScalingFactors() view returns (uint256[])',
  'function getRateProviders() view returns (address[])',
  'function getActualSupply() view returns (uint256)',
])

const encodeFee = encodeFunctionData({ abi, functionName: 'getSwapFeePercentage' })
const encodeAmp = encodeFunctionData({ abi, functionName: 'getAmplificationParameter' })
const encodeScaling = encodeFunctionData({ abi, functionName: 'getScalingFactors' })
const encodeProviders = encodeFunctionData({ abi, functionName: 'getRateProviders' })
const encodeSupply = encodeFunctionData({ abi, functionName: 'getActualSupply' })
const readsPerPool = 5

/** Factory version from which a pool truncates like Curve (stable), or multiplies out small powers (weighted). */
const modernVersion = 2

/** What the first round of reads says of a pool. */
interface Entry {
  readonly pool: Pool
  readonly parameters: BalancerParameters
  readonly state: BalancerState
  /** Null: nothing in it depends on time. */
  readonly timeDependent: TimeDependentPool | null
}

const mainnetVault: Address = '0xba12222222228d8ba445958a75a0704d566bf2c8'

/** The Vault of the chain; the same address everywhere unless configured. */
export function vaultOf(venue: VenueParameters): Address {
  return typeof venue.vault === 'string' ? toAddress(venue.vault) : mainnetVault
}

export async function loadBalancer(args: {
  readonly reader: StateReader
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<BalancerState> | Unreadable)[]> {
  const vault = vaultOf(args.venue)
  const composable = args.pools.filter(isComposable)
  const results = await args.reader.call([
    ...args.pools.flatMap((pool) => {
      const contract = poolContract(pool)
      return [
        { to: vault, data: encodePoolTokens(pool) },
        { to: contract, data: encodeFee },
        { to: contract, data: encodeAmp },
        { to: contract, data: encodeScaling },
        { to: contract, data: encodeProviders },
      ]
    }),
    ...composable.map((pool) => ({ to: poolContract(pool), data: encodeSupply })),
  ])
  const supplies = new Map(
    composable.map((pool, k) => [pool, results[args.pools.length * readsPerPool + k]]),
  )
  const entries = args.pools.map((pool, k): Entry | Unreadable => {
    try {
      const reads = results.slice(k * readsPerPool, (k + 1) * readsPerPool)
      return toEntry(pool, reads, supplies.get(pool))
    } catch (error) {
      return unreadablePool(pool, (error as Error).message)
    }
  })
  const timeDependent = entries.flatMap((entry) =>
    'state' in entry && entry.timeDependent ? [{ entry, timeDependent: entry.timeDependent }] : [],
  )
  // The simulated block is the next one: a cache may have expired and a ramp has gone on by then.
  const timestamp = nextBlockTime(args.reader.block, args.chain.blockTimeSeconds)
  const settled = await readNextBlock(
    args.reader,
    timestamp,
    timeDependent.map((item) => item.timeDependent),
  )
  const states = new Map(
    timeDependent.map(({ entry }, k) => [entry, settledState(entry, settled[k])]),
  )
  return entries.map((entry) => {
    if (!('state' in entry)) return entry
    const state = states.get(entry) ?? entry.state
    return { pool: entry.pool, state, partial: !state.exact }
  })
}

function encodePoolTokens(pool: Pool): Hex {
  const id = /^0x[0-9a-f]{64}$/.test(pool.id) ? (pool.id as Hex) : `0x${'00'.repeat(32)}`
  return encodeFunctionData({ abi, functionName: 'getPoolTokens', args: [id as Hex] })
}

/** @throws Error naming what could not be read. */
function toEntry(
  pool: Pool,
  [tokensRead, feeRead, ampRead, scalingRead, providersRead]: readonly ReadResult[],
  supplyRead: ReadResult | undefined,
): Entry {
  const parameters = balancerParameters(pool)
  const contract = poolContract(pool)
  const held = decode('getPoolTokens', tokensRead)
  const swapFee = decode('getSwapFeePercentage', feeRead)
  if (!held || swapFee === null) throw new Error('Balances or swap fee could not be read.')
  const [tokens, balances] = held
  if (tokens.map(toAddress).join() !== pool.tokens.join()) {
    throw new Error('The Vault lists other tokens for the pool.')
  }
  const shareIndex = pool.tokens.indexOf(contract)
  const common = {
    kind: parameters.kind,
    balances,
    swapFee,
    weights: parameters.weights,
    isModern: parameters.version >= modernVersion,
    ownIndex: shareIndex === -1 ? null : shareIndex,
  }
  if (parameters.kind === 'weighted') {
    const state = { ...common, scalingFactors: parameters.scalingFactors, amp: 0n, exact: true }
    return { pool, parameters, state, timeDependent: null }
  }
  const amplification = decode('getAmplificationParameter', ampRead)
  if (!amplification) throw new Error('The amplification could not be read.')
  const [amp, isRamping] = amplification
  const listed = decode('getScalingFactors', scalingRead)
  const scalingFactors = listed?.length === pool.tokens.length ? listed : parameters.scalingFactors
  const rated = pool.tokens.flatMap((token, k) => {
    const provider = toAddress(decode('getRateProviders', providersRead)?.[k] ?? zeroAddress)
    return provider === zeroAddress ? [] : [{ token, provider }]
  })
  const isRated = scalingFactors.some((factor, k) => factor !== parameters.scalingFactors[k])
  const supply = decode('getActualSupply', supplyRead)
  const shares = supply === null ? {} : { supply }
  const state = { ...common, ...shares, scalingFactors, amp, exact: !isRated }
  const isMoving = isRamping || rated.length > 0
  return {
    pool,
    parameters,
    state,
    timeDependent: isMoving ? { contract, rated, amp, isRamping } : null,
  }
}

function settledState(entry: Entry, settled: NextBlockPool | undefined): BalancerState {
  const { pool, parameters, state, timeDependent } = entry
  if (!settled || !timeDependent) return { ...state, exact: false }
  const scalingFactors = state.scalingFactors.map((factor, k) => {
    const place = timeDependent.rated.findIndex(({ token }) => token === pool.tokens[k])
    const rate = settled.rates[place] ?? null
    const unrated = parameters.scalingFactors[k] ?? factor
    return rate === null ? factor : mulDown(unrated, rate)
  })
  // Rates of which nobody is named cannot be followed.
  const hasStray = state.scalingFactors.some(
    (factor, k) =>
      factor !== parameters.scalingFactors[k] &&
      !timeDependent.rated.some(({ token }) => token === pool.tokens[k]),
  )
  return { ...state, scalingFactors, amp: settled.amp, exact: settled.isCertain && !hasStray }
}

type Name = (typeof abi)[number]['name']

function decode<F extends Name>(functionName: F, result: ReadResult | undefined) {
  if (!result?.ok || result.value === '0x') return null
  try {
    return decodeFunctionResult<typeof abi, F>({ abi, functionName, data: result.value } as never)
  } catch {
    return null
  }
}
