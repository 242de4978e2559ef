/** State of the Lite-PSM in one bulk read: both of its pools are of the same fees and holdings. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'
import { type Pool, unreadablePool } from '../pool.js'
import type { DiscoverArgs, Swaps } from '../protocol.js'
import { deployedPools, isGiven, poolsOfPairs } from '../shared/given-pools.js'
import { namedAddresses } from '../shared/parameters.js'
import { readWord } from '../shared/read-word.js'
import type { PsmState } from './math.js'

const abi = parseAbi([
  'function gem() view returns (address)',
  'function dai() view returns (address)',
  'function pocket() view returns (address)',
  'function to18ConversionFactor() view returns (uint256)',
  'function tin() view returns (uint256)',
  'function tout() view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
])

type Getter = Exclude<(typeof abi)[number]['name'], 'balanceOf'>

const get = (functionName: Getter): Hex => encodeFunctionData({ abi, functionName })
const balanceOf = (owner: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] })

/** @throws RangeError where the venue lacks one. */
export const psmAddresses = (venue: VenueParameters) =>
  namedAddresses(venue, ['psm', 'wrapper', 'pocket', 'dai', 'usds', 'usdc'])

function poolsOf(protocol: string, venue: VenueParameters): Pool[] {
  const { psm, wrapper, dai, usds, usdc } = psmAddresses(venue)
  const pool = (address: Address, token: Address): Pool => ({
    protocol,
    id: address,
    address,
    tokens: [token, usdc],
    parameters: { isWrapped: address === wrapper },
  })
  return [pool(psm, dai), pool(wrapper, usds)]
}

export function discoverPsm(slug: string, { reader, chain, venue, pairs }: DiscoverArgs) {
  const { usdc } = psmAddresses(venue)
  return deployedPools(reader, poolsOfPairs(chain, poolsOf(slug, venue), pairs), () => ({
    data: get('gem'),
    expected: usdc,
  }))
}

export const loadPsm: Swaps<PsmState>['load'] = async ({ reader, venue, pools }) => {
  if (pools.length === 0) return []
  const { psm, pocket, dai, usdc } = psmAddresses(venue)
  const answers = await reader.call([
    ...(['to18ConversionFactor', 'tin', 'tout', 'pocket'] as const).map((name) => ({
      to: psm,
      data: get(name),
    })),
    { to: dai, data: balanceOf(psm) },
    { to: usdc, data: balanceOf(pocket) },
    // The wrapper calls its USDS so, too.
    ...pools.map(({ address }) => ({ to: address, data: get('dai') })),
  ])
  const refused = answers.find((answer) => !answer.ok && answer.reason === 'unreadable')
  const [factor = null, tin = null, tout = null, holder = null, held = null, gems = null, ...own] =
    answers.map(readWord)
  return pools.map((pool, index) => {
    if (!isGiven(poolsOf(pool.protocol, venue))(pool)) {
      return unreadablePool(pool, 'It is not one of the pools of the chain.')
    }
    if (refused && !refused.ok) return unreadablePool(pool, refused.message)
    const isItself = holder === BigInt(pocket) && own[index] === BigInt(pool.tokens[0] ?? 0)
    if (!isItself || !factor || tin === null || tout === null || held === null || gems === null) {
      return unreadablePool(pool, 'There is no Lite-PSM with this pocket and these tokens.')
    }
    const state = { factor, tin: feeOf(tin), tout: feeOf(tout), dai: held, gems }
    return { pool, state, partial: false }
  })
}

/** The largest number stands for a halt. */
function feeOf(word: bigint): bigint | null {
  return word === maxUint256 ? null : word
}
