/** State of the modules in two bulk reads: what each is made of and holds, then what its parts say. */
import { encodeFunctionData, hexToBigInt, parseAbi, size, slice } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { nextBlockTime } from '../../domain/changes/what-if.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult } from '../../domain/state.js'
import { type Pool, unreadablePool } from '../pool.js'
import type { DiscoverArgs, Swaps } from '../protocol.js'
import { deployedPools, isGiven, poolsOfPairs } from '../shared/given-pools.js'
import { namedAddresses } from '../shared/parameters.js'
import { readAll } from '../shared/read-all.js'
import { readWord } from '../shared/read-word.js'
import { addressInWord } from '../shared/storage-slots.js'
import { type GsmState, ray } from './math.js'

const abi = parseAbi([
  'function UNDERLYING_ASSET() view returns (address)',
  'function GHO_TOKEN() view returns (address)',
  'function PRICE_STRATEGY() view returns (address)',
  'function getFeeStrategy() view returns (address)',
  'function canSwap() view returns (bool)',
  'function getAvailableUnderlyingExposure() view returns (uint256)',
  'function getAvailableLiquidity() view returns (uint256)',
  'function getUsage(address entity) view returns (uint256 limit, uint256 used)',
  'function balanceOf(address owner) view returns (uint256)',
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
  'function maxDeposit(address receiver) view returns (uint256)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function PRICE_RATIO() view returns (uint256)',
  'function UNDERLYING_ASSET_DECIMALS() view returns (uint256)',
  'function getBuyFee(uint256 grossAmount) view returns (uint256)',
  'function getSellFee(uint256 grossAmount) view returns (uint256)',
])

type Name = (typeof abi)[number]['name']

const call = (functionName: Name, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi, functionName, args } as never)

/** Of `modules`, each `module:vault:asset`. */
export function modulesOf({ modules = [] }: VenueParameters) {
  return [modules].flat().map((text) => {
    const [module, vault, asset] = String(text).split(':').map(toAddress)
    if (!module || !vault || !asset) throw new RangeError(`This is no module: ${text}`)
    return { module, vault, asset }
  })
}

/** @throws RangeError where the venue lacks one. */
export const ghoAddresses = (venue: VenueParameters) => namedAddresses(venue, ['gho', 'reserve'])

function poolsOf(protocol: string, venue: VenueParameters): Pool[] {
  const { gho } = ghoAddresses(venue)
  return modulesOf(venue).map(({ module, vault, asset }) => ({
    protocol,
    id: module,
    address: module,
    tokens: [gho, asset],
    parameters: { vault },
  }))
}

export function discoverGsm(slug: string, { reader, chain, venue, pairs }: DiscoverArgs) {
  const pools = poolsOfPairs(chain, poolsOf(slug, venue), pairs)
  return deployedPools(reader, pools, ({ parameters }) => ({
    data: call('UNDERLYING_ASSET'),
    expected: vaultOf(parameters),
  }))
}

export function vaultOf({ vault }: Pool['parameters']): Address {
  return toAddress(String(vault))
}

export const loadGsm: Swaps<GsmState>['load'] = async ({ reader, chain, venue, pools }) => {
  const { gho, reserve } = ghoAddresses(venue)
  const timestamp = nextBlockTime(reader.block, chain.blockTimeSeconds)
  const ask = (to: Address, data: Hex) => ({ to, data, timestamp })
  const own = await readAll(
    reader,
    pools.map(({ address, parameters }) => {
      const vault = vaultOf(parameters)
      return [
        ask(address, call('PRICE_STRATEGY')),
        ask(address, call('getFeeStrategy')),
        ask(address, call('canSwap')),
        ask(address, call('getAvailableUnderlyingExposure')),
        ask(address, call('getAvailableLiquidity')),
        ask(vault, call('convertToAssets', ray)),
        ask(vault, call('maxDeposit', address)),
        ask(vault, call('maxRedeem', address)),
        ask(gho, call('balanceOf', reserve)),
        ask(reserve, call('getUsage', address)),
      ]
    }),
  )
  const parts = await readAll(
    reader,
    own.map(([price, fee]) => {
      const [priceStrategy, feeStrategy] = [addressOf(price), addressOf(fee)]
      return [
        ...(priceStrategy
          ? (['PRICE_RATIO', 'UNDERLYING_ASSET_DECIMALS'] as const).map((name) =>
              ask(priceStrategy, call(name)),
            )
          : []),
        // Without one there is no fee.
        ...(feeStrategy
          ? (['getBuyFee', 'getSellFee'] as const).map((name) =>
              ask(feeStrategy, call(name, 10_000n)),
            )
          : []),
      ]
    }),
  )
  return pools.map((pool, index) => {
    if (!isGiven(poolsOf(pool.protocol, venue))(pool)) {
      return unreadablePool(pool, 'It is not one of the pools of the chain.')
    }
    const [answers = [], ofParts = []] = [own[index], parts[index]]
    const refused = [...answers, ...ofParts].find((one) => !one.ok && one.reason === 'unreadable')
    if (refused && !refused.ok) return unreadablePool(pool, refused.message)
    const state = stateOf(answers, ofParts)
    return state
      ? { pool, state, partial: false }
      : unreadablePool(pool, 'There is no module with this vault and reserve.')
  })
}

function stateOf(own: readonly ReadResult[], parts: readonly ReadResult[]): GsmState | null {
  const usage = own[9]
  if (!usage?.ok || size(usage.value) !== 64) return null
  const [limit, used] = [slice(usage.value, 0, 32), slice(usage.value, 32)].map((word) =>
    hexToBigInt(word),
  ) as [bigint, bigint]
  const [, feeStrategy, isOpen, ...numbers] = own.slice(0, 9).map(readWord)
  const [room, stock, rate, depositable, redeemable, reserve] = numbers
  const hasFee = feeStrategy !== 0n
  const [ratio, decimals, buyFee, sellFee] = parts.map(readWord)
  const fees = hasFee ? [buyFee, sellFee] : [0n, 0n]
  const known = [room, stock, rate, depositable, redeemable, reserve, ratio, decimals, ...fees]
  if (!known.every((one) => one != null) || isOpen === null || !rate || !ratio) return null
  if (!decimals || decimals > 77n || fees.some((fee) => fee != null && fee >= 10_000n)) return null
  // A halted module takes nothing and has nothing for sale.
  const open = (amount: bigint | null | undefined) => (isOpen === 1n ? (amount ?? 0n) : 0n)
  return {
    rate,
    ratio,
    unit: 10n ** decimals,
    buyFee: fees[0] ?? 0n,
    sellFee: fees[1] ?? 0n,
    depositable: depositable ?? 0n,
    redeemable: redeemable ?? 0n,
    room: open(room),
    stock: open(stock),
    used,
    limit,
    reserve: reserve ?? 0n,
  }
}

/** Null for the zero address, too. */
function addressOf(answer: ReadResult | undefined): Address | null {
  const word = readWord(answer)
  return answer?.ok && word && word >> 160n === 0n ? addressInWord(answer.value) : null
}
