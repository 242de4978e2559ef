/** State of a PSM3 in two bulk reads: what it is made of, then what its parts say at the time of the simulated block. */
import { encodeFunctionData, parseAbi } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, type Hex, maxUint256 } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { type Pool, unreadablePool } from '../pool.js'
import type { DiscoverArgs, Swaps } from '../protocol.js'
import { deployedPools, isGiven, poolsOfPairs } from '../shared/given-pools.js'
import { namedAddresses } from '../shared/parameters.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import type { Asset, Psm3State } from './math.js'

const abi = parseAbi([
  'function usdc() view returns (address)',
  'function usds() view returns (address)',
  'function susds() view returns (address)',
  'function pocket() view returns (address)',
  'function rateProvider() view returns (address)',
  'function getConversionRate() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

const names = ['usdc', 'usds', 'susds'] as const
type Name = (typeof names)[number]

/** @throws RangeError where the venue lacks one. */
export const psm3Addresses = (venue: VenueParameters) => namedAddresses(venue, ['psm', ...names])

/** One for each two of its tokens, since what moves the one's rate moves the other's not. */
function poolsOf(protocol: string, venue: VenueParameters): Pool[] {
  const { psm: address, ...tokens } = psm3Addresses(venue)
  return names.flatMap((first, index) =>
    names.slice(index + 1).map((second) => ({
      protocol,
      id: `${address}-${first}-${second}`,
      address,
      tokens: [tokens[first], tokens[second]],
      parameters: { hasShare: second === 'susds' },
    })),
  )
}

export function discoverPsm3(slug: string, { reader, chain, venue, pairs }: DiscoverArgs) {
  const { usdc } = psm3Addresses(venue)
  return deployedPools(reader, poolsOfPairs(chain, poolsOf(slug, venue), pairs), () => ({
    data: encodeFunctionData({ abi, functionName: 'usdc' }),
    expected: usdc,
  }))
}

export const loadPsm3: Swaps<Psm3State>['load'] = async ({ reader, chain, venue, pools }) => {
  if (pools.length === 0) return []
  const { psm, ...tokens } = psm3Addresses(venue)
  const made = await reader.call(
    ([...names, 'pocket', 'rateProvider'] as const).map((functionName) => ({
      to: psm,
      data: encodeFunctionData({ abi, functionName }),
    })),
  )
  const [usdc, usds, susds, pocket, provider] = made.map(addressOf)
  const isItself = usdc === tokens.usdc && usds === tokens.usds && susds === tokens.susds
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const ask = (to: Address, data: Hex) => ({ to, data, timestamp })
  const balanceOf = (owner: Address) =>
    encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] })
  const parts = !(isItself && pocket && provider)
    ? []
    : await reader.call([
        ask(provider, encodeFunctionData({ abi, functionName: 'getConversionRate' })),
        ask(tokens.usdc, balanceOf(pocket)),
        ask(tokens.usds, balanceOf(psm)),
        ask(tokens.susds, balanceOf(psm)),
        ...names.map((name) =>
          ask(tokens[name], encodeFunctionData({ abi, functionName: 'decimals' })),
        ),
        ask(
          tokens.usdc,
          encodeFunctionData({ abi, functionName: 'allowance', args: [pocket, psm] }),
        ),
      ])
  const refused = [...made, ...parts].find((one) => !one.ok && one.reason === 'unreadable')
  const state = stateOf(parts, pocket === psm)
  return pools.map((pool) => {
    if (!isGiven(poolsOf(pool.protocol, venue))(pool)) {
      return unreadablePool(pool, 'It is not one of the pools of the chain.')
    }
    if (refused && !refused.ok) return unreadablePool(pool, refused.message)
    if (!state) return unreadablePool(pool, 'There is no PSM3 with these tokens.')
    const asset = (token: Address | undefined): Asset =>
      state.assets[token === tokens.usdc ? 'usdc' : token === tokens.usds ? 'usds' : 'susds']
    const [first, second] = pool.tokens
    return {
      pool,
      state: { rate: state.rate, assets: [asset(first), asset(second)] },
      partial: false,
    }
  })
}

function stateOf(
  parts: readonly ReadResult[],
  isOwnPocket: boolean,
): { readonly rate: bigint; readonly assets: Readonly<Record<Name, Asset>> } | null {
  const [rate, usdc, usds, susds, usdcDigits, usdsDigits, susdsDigits, allowance] =
    parts.map(readWord)
  const asset = (held: bigint | null | undefined, digits: bigint | null | undefined) =>
    held == null || digits == null || digits > 77n
      ? null
      : { held, unit: 10n ** digits, allowed: null }
  const [first, second, third] = [
    asset(usdc, usdcDigits),
    asset(usds, usdsDigits),
    asset(susds, susdsDigits),
  ]
  if (!rate || !first || !second || !third || allowance == null) return null
  // A pocket of somebody else pays by allowance, and the largest one is not used up.
  const allowed = isOwnPocket || allowance === maxUint256 ? null : allowance
  return {
    rate,
    assets: {
      usdc: { ...first, allowed, isShare: false },
      usds: { ...second, isShare: false },
      susds: { ...third, isShare: true },
    },
  }
}

function addressOf(answer: ReadResult): Address | null {
  const word = readWord(answer)
  return answer.ok && word !== null && word >> 160n === 0n ? addressInWord(answer.value) : null
}
