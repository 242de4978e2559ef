/** Markets of the one contract, by id. The contract keeps no list, so the venue's parameters name the known markets. */
import { decodeAbiParameters, encodeFunctionData, parseAbiParameters } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, toAddress, zeroAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import { readWord } from '../shared/read-word.js'
import { readAbi } from './abi.js'
import type { MarketTotals } from './math.js'

export const slug = 'morpho-blue'

export interface MarketParameters {
  readonly loanToken: Address
  readonly collateralToken: Address
  readonly oracle: Address
  /** Rate model; the zero address: nothing is paid for loans. */
  readonly irm: Address
  /** How much of the collateral's value may be owed, 10^-18. */
  readonly lltv: bigint
}

/** Null: there is no such market. A message: it could not be read. */
export type MarketFacts = MarketParameters | { readonly message: string } | null

export function morphoOf(venue: VenueParameters): Address {
  return toAddress(String(venue.morpho))
}

export function knownMarkets(venue: VenueParameters): Hex[] {
  return Array.isArray(venue.markets) ? venue.markets.map((id) => toAddress(String(id))) : []
}

const parametersType = parseAbiParameters('address, address, address, address, uint256')
const totalsType = parseAbiParameters('uint256, uint256, uint256, uint256, uint256, uint256')

/** In the order asked. */
export async function readParameters(
  reader: StateReader,
  to: Address,
  ids: readonly Hex[],
): Promise<MarketFacts[]> {
  const results = await reader.call(
    ids.map((id) => ({
      to,
      data: encodeFunctionData({ abi: readAbi, functionName: 'idToMarketParams', args: [id] }),
    })),
  )
  return results.map(toParameters)
}

function toParameters(result: ReadResult): MarketFacts {
  if (!result.ok) return result.reason === 'unreadable' ? { message: result.message } : null
  if (result.value.length !== 2 + 5 * 64) return null
  const [loanToken, collateralToken, oracle, irm, lltv] = decodeAbiParameters(
    parametersType,
    result.value,
  )
  if (loanToken === zeroAddress) return null
  return {
    loanToken: toAddress(loanToken),
    collateralToken: toAddress(collateralToken),
    oracle: toAddress(oracle),
    irm: toAddress(irm),
    lltv,
  }
}

/** In the order asked; null for what could not be read. */
export async function readTotals(
  reader: StateReader,
  to: Address,
  ids: readonly Hex[],
): Promise<(MarketTotals | null)[]> {
  const results = await reader.call(
    ids.map((id) => ({
      to,
      data: encodeFunctionData({ abi: readAbi, functionName: 'market', args: [id] }),
    })),
  )
  return results.map((result) => {
    if (!result.ok || result.value.length !== 2 + 6 * 64) return null
    const [supplyAssets, supplyShares, borrowAssets, borrowShares, lastUpdate, fee] =
      decodeAbiParameters(totalsType, result.value)
    return { supplyAssets, supplyShares, borrowAssets, borrowShares, lastUpdate, fee }
  })
}

/** What borrowers pay, 10^-18 per second, in the order asked; null where the model does not say. */
export async function readRates(
  reader: StateReader,
  markets: readonly { readonly parameters: MarketParameters; readonly totals: MarketTotals }[],
): Promise<(bigint | null)[]> {
  const results = await reader.call(
    markets.map(({ parameters, totals }) => ({
      to: parameters.irm,
      data: encodeFunctionData({
        abi: readAbi,
        functionName: 'borrowRateView',
        args: [parameters, totals],
      }),
    })),
  )
  return markets.map(({ parameters }, index) =>
    parameters.irm === zeroAddress ? 0n : readWord(results[index]),
  )
}
