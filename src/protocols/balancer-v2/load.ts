/** State of Balancer V2 pools in bulk: the Vault's balances and the pools' own parameters, in one round of reads. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { LoadedPool, Pool, Unreadable } from '../protocol.js'
import { type BalancerParameters, balancerParameters, poolContract } from './parameters.js'
import type { BalancerState } from './state.js'

const abi = parseAbi([
  'function getPoolTokens(bytes32) view returns (address[] tokens, uint256[] balances, uint256)',
  'function getSwapFeePercentage() view returns (uint256)',
  'function getAmplificationParameter() view returns (uint256 value, bool isUpdating, uint256)',
  'function getScalingFactors() view returns (uint256[])',
])

const encodeFee = encodeFunctionData({ abi, functionName: 'getSwapFeePercentage' })
const encodeAmp = encodeFunctionData({ abi, functionName: 'getAmplificationParameter' })
const encodeScaling = encodeFunctionData({ abi, functionName: 'getScalingFactors' })
const readsPerPool = 4

/** Factory version from which a pool truncates like Curve (stable), or multiplies out small powers (weighted). */
const modernVersion = 2

const mainnetVault: Address = '0xba12222222228d8ba445958a75a0704d566bf2c8'

/** The Vault of the chain; the same address everywhere unless configured. */
export function vaultOf(venue: VenueParameters): Address {
  return typeof venue.vault === 'string' ? toAddress(venue.vault) : mainnetVault
}

export async function loadBalancer(args: {
  readonly reader: StateReader
  readonly venue: VenueParameters
  readonly pools: readonly Pool[]
}): Promise<(LoadedPool<BalancerState> | Unreadable)[]> {
  const vault = vaultOf(args.venue)
  const results = await args.reader.call(
    args.pools.flatMap((pool) => {
      const contract = poolContract(pool)
      return [
        { to: vault, data: encodePoolTokens(pool) },
        { to: contract, data: encodeFee },
        { to: contract, data: encodeAmp },
        { to: contract, data: encodeScaling },
      ]
    }),
  )
  return args.pools.map((pool, k) => {
    try {
      const parameters = balancerParameters(pool)
      const reads = results.slice(k * readsPerPool, (k + 1) * readsPerPool)
      const state = toState(pool, parameters, reads)
      return { pool, state, partial: !state.exact }
    } catch (error) {
      return { protocol: pool.protocol, subject: pool.id, message: (error as Error).message }
    }
  })
}

function encodePoolTokens(pool: Pool): Hex {
  const id = /^0x[0-9a-f]{64}$/.test(pool.id) ? (pool.id as Hex) : `0x${'00'.repeat(32)}`
  return encodeFunctionData({ abi, functionName: 'getPoolTokens', args: [id as Hex] })
}

/** @throws Error naming what could not be read. */
function toState(
  pool: Pool,
  parameters: BalancerParameters,
  [tokensRead, feeRead, ampRead, scalingRead]: readonly ReadResult[],
): BalancerState {
  const held = decode('getPoolTokens', tokensRead)
  const swapFee = decode('getSwapFeePercentage', feeRead)
  if (!held || swapFee === null) throw new Error('Balances or swap fee could not be read.')
  const [tokens, balances] = held
  if (tokens.map(toAddress).join() !== pool.tokens.join()) {
    throw new Error('The Vault lists other tokens for the pool.')
  }
  const own = pool.tokens.indexOf(poolContract(pool))
  const common = {
    kind: parameters.kind,
    balances,
    swapFee,
    weights: parameters.weights,
    isModern: parameters.version >= modernVersion,
    ownIndex: own === -1 ? null : own,
  }
  if (parameters.kind === 'weighted') {
    return { ...common, scalingFactors: parameters.scalingFactors, amp: 0n, exact: true }
  }
  const amp = decode('getAmplificationParameter', ampRead)
  if (!amp) throw new Error('The amplification could not be read.')
  const listed = decode('getScalingFactors', scalingRead)
  const scalingFactors = listed?.length === pool.tokens.length ? listed : parameters.scalingFactors
  const hasRates = scalingFactors.some((factor, k) => factor !== parameters.scalingFactors[k])
  return { ...common, scalingFactors, amp: amp[0], exact: !amp[1] && !hasRates }
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
