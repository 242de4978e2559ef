import { keccak256, stringToHex } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../chains/chain.js'
import type { Address, Hex } from '../../domain/primitives.js'
import { contractAddress, quoteSender } from '../../executor/deployments.js'
import { readers } from '../../executor/generated/contracts.js'
import { balancerV3 } from '../../protocols/balancer-v3/index.js'
import { aerodromeSlipstream, velodromeSlipstream } from '../../protocols/slipstream/index.js'
import { uniswapV4 } from '../../protocols/uniswap-v4/index.js'
import type { WorkerSettings } from './worker-settings.js'

/** Pairs that are run of a pool with hooks of more than four tokens: all of five. */
const mostPairsOfHooked = 10

/** A swapper and a sender that hooks cannot take for those of the service. */
const [otherSwapper, otherSender] = [
  addressOfNobody('other-swapper'),
  addressOfNobody('other-sender'),
]

function addressOfNobody(name: string): Address {
  return `0x${keccak256(stringToHex(`forkroute.${name}`)).slice(-40)}`
}

/** The chain with what the operator says about hooks as parameters of its venues; the same where that is nothing. */
export function withHooks(
  chain: ChainDefinition,
  {
    v4Hooks,
    runsBalancerHooks,
    runsHooksOfMany,
    v4HooksAllowlist = [],
  }: Pick<WorkerSettings, 'v4Hooks' | 'runsBalancerHooks' | 'runsHooksOfMany' | 'v4HooksAllowlist'>,
): ChainDefinition {
  const runs = v4Hooks === 'run'
  const v4 = {
    ...(v4HooksAllowlist.length > 0 && { hooksAllowlist: v4HooksAllowlist }),
    ...(runs && quoterAt(contractAddress('UniswapV4Swapper'), readers.UniswapV4Quoter.runtimeCode)),
  }
  const balancer =
    runs && runsBalancerHooks === true
      ? {
          ...quoterAt(contractAddress('BalancerV3Swapper'), readers.BalancerV3Quoter.runtimeCode),
          ...(runsHooksOfMany && { quoterPairs: mostPairsOfHooked }),
        }
      : {}
  return withParameters(withParameters(chain, uniswapV4.slug, v4), balancerV3.slug, balancer)
}

/** The chain on which the fee that a swap ahead in the block raises counts; the same where it does not. */
export function withFeesByOrder(
  chain: ChainDefinition,
  { countsFeeOrder }: Pick<WorkerSettings, 'countsFeeOrder'>,
): ChainDefinition {
  const parameters = countsFeeOrder === true ? { feesByOrder: 1 } : {}
  return [velodromeSlipstream, aerodromeSlipstream].reduce(
    (known, { slug }) => withParameters(known, slug, parameters),
    chain,
  )
}

function quoterAt(swapper: Address, code: Hex): VenueParameters {
  return {
    quoterCode: code,
    quoterSwappers: [swapper, otherSwapper],
    quoterSenders: [quoteSender, otherSender],
  }
}

function withParameters(
  chain: ChainDefinition,
  slug: string,
  parameters: VenueParameters,
): ChainDefinition {
  const venue = chain.venues[slug]
  if (!venue || Object.keys(parameters).length === 0) return chain
  return { ...chain, venues: { ...chain.venues, [slug]: { ...venue, ...parameters } } }
}
