/**
 * Concentrated pools of PancakeSwap's Infinity: one CLPoolManager holds the state of all, laid out as Uniswap V4's.
 * Venue parameters: `poolManager`, `router` (the UniversalRouter). Pool parameters: `fee` (1/1_000_000, or the flag of a dynamic
 * fee), `tickSpacing`, `hooks`, `permissions` (of the hooks, 16 bits).
 */
import { toEventSelector } from 'viem'
import { type Address, toAddress, zeroAddress } from '../../domain/primitives.js'
import { type DiscoverArgs, defineProtocol } from '../protocol.js'
import { concentratedParts } from '../shared/concentrated/adapter-parts.js'
import { virtualReserves } from '../shared/concentrated/depth.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import {
  depthSlotsFrom,
  initialisedAmong,
  slotsFrom,
  swapFees,
  swapSlotsFrom,
} from '../shared/keyed/concentrated.js'
import { paidBySwapEvent, toCurrency, withNative } from '../shared/keyed/currencies.js'
import { mappingSlot } from '../shared/storage-slots.js'
import { orderedPairs } from '../shared/token-pairs.js'
import { unlessPaused } from './pause.js'
import { feeCautions, keyOf, poolIdOf, poolOfEvent, refusalOf, setsFee } from './pool-key.js'
import { routerSwap, swapActions } from './router.js'
import { infinityTrust } from './trust.js'

const slug = 'pancakeswap-infinity-cl'
const gasPerSwap = 145_000n

/** CLPoolManager: `mapping(PoolId => CLPool.State) pools`. @see pancakeswap/infinity-core 7c04695, test/Extsload.t.sol */
const poolsSlot = 4n
const stateSlot = (id: string) => mappingSlot(BigInt(id), poolsSlot)

/** Those of PancakeSwap V3; any other combination is possible, and told by events. */
const usualTiers = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 2_500, tickSpacing: 50 },
  { fee: 10_000, tickSpacing: 200 },
] as const

/** @see pancakeswap/infinity-core 7c04695, src/pool-cl/interfaces/ICLPoolManager.sol */
const initialize = toEventSelector(
  'Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)',
)
const swapTopic = toEventSelector(
  'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)',
)

const quoting = concentratedParts((pool) => {
  const refusal = refusalOf(pool, 'tickSpacing')
  if (refusal) return refusal
  return {
    address: pool.address,
    slots: slotsFrom(stateSlot(pool.id)),
    tickSpacing: Number(pool.parameters.tickSpacing),
    feePips: swapFees,
  }
})

function discover({ reader, chain, venue, pairs }: DiscoverArgs) {
  const address = toAddress(String(venue.poolManager))
  const candidates = orderedPairs(pairs)
    .flatMap((pair) => withNative(pair, chain.wrappedNative))
    .flatMap((tokens) => usualTiers.map((tier) => candidate(address, tokens, tier)))
  return initialisedAmong({ reader }, candidates, stateSlot)
}

function candidate(
  address: Address,
  tokens: readonly [Address, Address],
  { fee, tickSpacing }: (typeof usualTiers)[number],
) {
  const hooks = zeroAddress
  const id = poolIdOf({
    currency0: toCurrency(tokens[0]),
    currency1: toCurrency(tokens[1]),
    hooks,
    poolManager: address,
    fee,
    parameters: BigInt(tickSpacing) << 16n,
  })
  const parameters = { fee, tickSpacing, hooks, permissions: 0 }
  return { protocol: slug, id, address, tokens, parameters }
}

export const infinityCl = defineProtocol<ConcentratedState>({
  slug,
  name: 'PancakeSwap Infinity CL',
  project: 'pancakeswap',
  category: 'dex',
  url: 'https://pancakeswap.finance',
  description: 'Concentrated-liquidity pools of PancakeSwap Infinity.',
  swaps: {
    ...quoting,
    paysRecipient: true,
    discover,
    load: (args) => unlessPaused(args, () => quoting.load(args)),
    swapSlots: (pool, state) => swapSlotsFrom(stateSlot(pool.id), state),
    gasEstimate: () => gasPerSwap,
    cautions: feeCautions,
    paidInLogs: (pool, tokenOut, logs) => paidBySwapEvent(swapTopic, pool, tokenOut, logs),
    encodeSwap(args) {
      const key = keyOf(args.pool, 'tickSpacing')
      if (!key) throw new RangeError('A pool without a key is not swapped in.')
      return routerSwap(swapActions.cl, key, args)
    },
  },
  trust: infinityTrust('CL'),
  index: {
    sources: ({ poolManager }) => [{ address: toAddress(String(poolManager)), topic: initialize }],
    toPool: (log, { poolManager }) =>
      poolOfEvent(log, slug, toAddress(String(poolManager)), 'tickSpacing'),
    depthSlots: ({ id, address }) => depthSlotsFrom(address, stateSlot(id)),
    depth: virtualReserves,
    feePips: (pool) => (setsFee(pool) ? null : Number(pool.parameters.fee)),
  },
})
