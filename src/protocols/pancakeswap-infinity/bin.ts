/**
 * Bin pools of PancakeSwap's Infinity: one BinPoolManager holds the state of all, with bins as Liquidity Book has them.
 * Venue parameters: `poolManager`, `router` (the UniversalRouter). Pool parameters: `fee` (1/1_000_000, or the flag of a dynamic
 * fee), `binStep` (1/10_000), `hooks`, `permissions` (of the hooks, 16 bits).
 */
import { toEventSelector } from 'viem'
import { toAddress } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type Pool, type Unreadable, unreadablePool } from '../pool.js'
import { defineProtocol, type LoadedPool } from '../protocol.js'
import { loadBins, readEach } from '../shared/bins/load.js'
import { paidBySwapEvent } from '../shared/keyed/currencies.js'
import { mappingSlot, toWord } from '../shared/storage-slots.js'
import { type BinPoolState, binFees, binPoolSwap } from './bin-math.js'
import { unlessPaused } from './pause.js'
import { feeCautions, keyOf, poolOfEvent, refusalOf } from './pool-key.js'
import { routerSwap, swapActions } from './router.js'
import { infinityTrust } from './trust.js'

const slug = 'pancakeswap-infinity-bin'
const gasPerSwap = 140_000n

/** BinPoolManager: `mapping(PoolId => BinPool.State) pools`. @see pancakeswap/infinity-core 7c04695, test/pool-bin/BinPoolManager.t.sol */
const poolsSlot = 5n
const stateSlot = (id: string) => mappingSlot(BigInt(id), poolsSlot)
/** Of a pool's state: what bins hold, and the last level of the tree that tells which hold anything. */
const [reservesOffset, leavesOffset] = [1n, 6n] as const

/** @see pancakeswap/infinity-core 7c04695, src/pool-bin/interfaces/IBinPoolManager.sol */
const initialize = toEventSelector(
  'Initialize(bytes32,address,address,address,uint24,bytes32,uint24)',
)
const swapTopic = toEventSelector('Swap(bytes32,address,int128,int128,uint24,uint24,uint16)')

async function loadPools(
  reader: StateReader,
  pools: readonly Pool[],
): Promise<(LoadedPool<BinPoolState> | Unreadable)[]> {
  const heads = await readEach(reader, pools, ({ id, address }) => [
    { address, slot: toWord(stateSlot(id)) },
  ])
  const found = pools.map((pool, index) => {
    const refusal = refusalOf(pool, 'binStep')
    const head = heads[index]
    if (refusal || head === undefined) return refusal ?? 'Not read.'
    if (typeof head === 'string') return head
    const slot0 = BigInt(head[0] ?? '0x0')
    return { pool, slot0, activeId: Number(BigInt.asUintN(24, slot0)) }
  })
  const readable = found.filter((one) => typeof one !== 'string')
  const sources = readable.map(({ pool: { id, address }, activeId }) => {
    const base = stateSlot(id)
    return { address, bins: base + reservesOffset, leaves: base + leavesOffset, activeId }
  })
  const bins = await loadBins(reader, sources)
  const loaded = new Map(readable.map(({ pool }, index) => [pool, bins[index]]))
  return pools.map((pool, index) => {
    const [head, own] = [found[index], loaded.get(pool)]
    if (head === undefined || typeof head === 'string')
      return unreadablePool(pool, head ?? 'Not read.')
    if (own === undefined || typeof own === 'string')
      return unreadablePool(pool, own ?? 'Not read.')
    const { slot0, activeId } = head
    const binStep = BigInt(Number(pool.parameters.binStep))
    return { pool, state: { ...own, ...binFees(slot0), binStep, activeId }, partial: false }
  })
}

export const infinityBin = defineProtocol<BinPoolState>({
  slug,
  name: 'PancakeSwap Infinity Bin',
  project: 'pancakeswap',
  category: 'dex',
  url: 'https://pancakeswap.finance',
  description: 'Pools of PancakeSwap Infinity with a bin for each price.',
  swaps: {
    paysRecipient: true,
    // Steps and fees are free, so nothing is looked for by guesses: events and imports tell of pools.
    discover: async () => ({ pools: [], unreadable: [] }),
    load: (args) => unlessPaused(args, () => loadPools(args.reader, args.pools)),
    swap(pool, state, { tokenIn }, amountIn) {
      const swap = binPoolSwap(state, tokenIn === pool.tokens[0], amountIn)
      return swap
        ? { amountOut: swap.amountOut, exact: swap.exact, after: () => swap.after }
        : { amountOut: 0n, exact: true, after: () => state }
    },
    gasEstimate: () => gasPerSwap,
    cautions: feeCautions,
    paidInLogs: (pool, tokenOut, logs) => paidBySwapEvent(swapTopic, pool, tokenOut, logs),
    encodeSwap(args) {
      const key = keyOf(args.pool, 'binStep')
      if (!key) throw new RangeError('A pool without a key is not swapped in.')
      return routerSwap(swapActions.bin, key, args)
    },
  },
  trust: infinityTrust('Bin'),
  index: {
    sources: ({ poolManager }) => [{ address: toAddress(String(poolManager)), topic: initialize }],
    toPool: (log, { poolManager }) =>
      poolOfEvent(log, slug, toAddress(String(poolManager)), 'binStep'),
  },
})
