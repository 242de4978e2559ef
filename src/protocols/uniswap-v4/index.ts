/**
 * Uniswap V4: all pools live in one PoolManager, found by the hash of their key.
 * Pools with hooks are swapped where running them shows that they are steady, or where the operator allows the hooks.
 * Tokens of a pool may include native itself. Venue parameters: `poolManager`, `hooksAllowlist` (from the configuration),
 * those of ../shared/hooks/quoter.ts, `routers` that a swap may name.
 * Pool parameters: `fee` (1/1_000_000, or the flag of a dynamic fee), `tickSpacing`, `hooks`.
 */
import { parseAbiItem, toEventSelector } from 'viem'
import type { VenueParameters } from '../../chains/chain.js'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { larger, zip } from '../../domain/lists.js'
import type { ExecutorStep } from '../../domain/order.js'
import { isNative, zeroAddress } from '../../domain/primitives.js'
import type { Pool, Unreadable } from '../pool.js'
import { type Direction, defineProtocol, type LoadedPool, type Swap } from '../protocol.js'
import { concentratedParts, isZeroForOne } from '../shared/concentrated/adapter-parts.js'
import { helperAddress } from '../shared/helper-address.js'
import { runsHooks } from '../shared/hooks/quoter.js'
import { swapOfRun } from '../shared/hooks/run.js'
import { slotsFrom, swapFees, swapSlotsFrom } from '../shared/keyed/concentrated.js'
import { dynamicFee, paidBySwapEvent } from '../shared/keyed/currencies.js'
import { addressesOf } from '../shared/parameters.js'
import { discoverV4, poolStateSlot } from './discover.js'
import { runV4Hooks, type V4State } from './hooks.js'
import { v4PoolEvents } from './pool-events.js'
import { hooksOf, keyOf, poolIdOf, touchesSwaps } from './pool-key.js'

const slug = 'uniswap-v4'
const gasPerSwap = 75_000n
const helperName = 'UniswapV4Swapper'

/** @see Uniswap/v4-core, IPoolManager.Swap: the amounts are the swapper's, negative where it pays. */
const swapTopic = toEventSelector(
  'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
)

const swapAbi = parseAbiItem(
  'function swap(address manager, (address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, bool zeroForOne, address recipient, bytes hookData) payable returns (uint256 amountOut)',
)

const quoting = concentratedParts((pool, venue) => {
  if (isUnlisted(pool, venue) && !runsHooks(venue))
    return 'Its hooks are not in V4_HOOKS_ALLOWLIST.'
  const key = keyOf(pool)
  if (!key || poolIdOf(key) !== pool.id) return 'The id is not the hash of the key of the pool.'
  return {
    address: pool.address,
    slots: slotsFrom(poolStateSlot(pool.id)),
    tickSpacing: key.tickSpacing,
    feePips: swapFees,
  }
})

function hasSwapHooks(pool: Pool): boolean {
  return touchesSwaps(hooksOf(pool) ?? zeroAddress)
}

/** Whether the pool has hooks that the operator does not name. */
function isUnlisted(pool: Pool, { hooksAllowlist }: VenueParameters): boolean {
  const hooks = hooksOf(pool) ?? 'no address'
  const allowed = Array.isArray(hooksAllowlist) ? hooksAllowlist : []
  return hooks !== zeroAddress && !allowed.includes(hooks)
}

/** Hooks that no list names are run, if the PoolManager calls them in swaps; if not, they are known to change nothing. */
async function load(args: Parameters<typeof quoting.load>[0]) {
  const loaded = (await quoting.load(args)).map((item) => withIdleHooks(item, args.venue))
  const toRun = loaded.filter(
    (item): item is LoadedPool<V4State> =>
      'state' in item && hasSwapHooks(item.pool) && isUnlisted(item.pool, args.venue),
  )
  if (toRun.length === 0) return loaded
  const run = new Map(zip(toRun, await runV4Hooks(args, toRun)))
  return loaded.map((item) => ('state' in item && run.get(item)) || item)
}

function withIdleHooks(
  item: LoadedPool<V4State> | Unreadable,
  venue: VenueParameters,
): LoadedPool<V4State> | Unreadable {
  if (!('state' in item) || hasSwapHooks(item.pool) || !isUnlisted(item.pool, venue)) return item
  const contract = hooksOf(item.pool) ?? zeroAddress
  return { ...item, finding: { class: 'exact', reason: null, contract, codeHash: null } }
}

function swap(pool: Pool, state: V4State, direction: Direction, amountIn: bigint): Swap<V4State> {
  const sampled = swapOfRun(state, direction, amountIn)
  if (sampled) return sampled
  const { run } = state
  const plain = quoting.swap(pool, state, direction, amountIn)
  // Code of others may do anything another time, also where it did nothing in all that was tried.
  if (!hasSwapHooks(pool)) return plain
  return { ...plain, exact: false, after: () => ({ ...plain.after(), ...(run && { run }) }) }
}

export const uniswapV4 = defineProtocol<V4State>({
  slug,
  name: 'Uniswap V4',
  project: 'uniswap',
  category: 'dex',
  url: 'https://uniswap.org',
  description:
    'Concentrated-liquidity pools of Uniswap V4, with hooks where the operator allows them.',
  swaps: {
    paysRecipient: true,
    helperContracts: [helperName],
    discover: (args) => discoverV4(slug, args),
    load,
    // Of listed hooks without their part: what they take, give or charge shows in the simulation.
    swap,
    estimator: (pool, state, direction) =>
      state.run?.sampled
        ? (amountIn) => Number(swap(pool, state, direction, BigInt(amountIn)).amountOut)
        : quoting.estimator(pool, state, direction),
    isBeyondKnown: (pool, state, direction, amountIn) =>
      !state.run?.sampled && quoting.isBeyondKnown(pool, state, direction, amountIn),
    swapSlots: (pool, state) => swapSlotsFrom(poolStateSlot(pool.id), state),
    gasEstimate: (_pool, { run }) => larger(gasPerSwap, run?.gas ?? 0n),
    cautions: (pool) =>
      cautionsWhere(
        [
          keyOf(pool)?.fee === dynamicFee,
          'fee',
          'The hooks set the fee, and may change it at any time.',
        ],
        [hasSwapHooks(pool), 'plugin', 'Hooks take part in swaps, and may change what they move.'],
      ),
    // A hop has no hooks, and so no dynamic fee. Else a price, liquidity or fee changes with `Swap`, `ModifyLiquidity` and
    // `ProtocolFeeUpdated`, each of which names the pool.
    changesOnlyWithEvents: 'hop',
    swapHop(pool) {
      const key = keyOf(pool)
      if (!key || key.hooks !== zeroAddress) return null
      const { fee, tickSpacing } = key
      return { family: 'v4', manager: pool.address, fee, tickSpacing }
    },
    paidInLogs: (pool, tokenOut, logs) => paidBySwapEvent(swapTopic, pool, tokenOut, logs),
    encodeSwap({ pool, tokenIn, amountIn, helpers, recipient }): ExecutorStep[] {
      const target = helperAddress(helpers, helperName)
      const args = [pool.address, keyOf(pool), isZeroForOne(pool, tokenIn), recipient, '0x']
      return isNative(tokenIn)
        ? [{ kind: 'call', target, abi: swapAbi, args, value: amountIn }]
        : [
            { kind: 'transfer', token: tokenIn, to: target, amount: amountIn },
            { kind: 'call', target, abi: swapAbi, args },
          ]
    },
  },
  trust: {
    probes: ({ poolManager, routers }) => [
      ...addressesOf(poolManager).map((to) =>
        probe(
          'PoolManager of Uniswap V4',
          to,
          { signature: 'protocolFeesAccrued(address)', args: [zeroAddress] },
          'number',
        ),
      ),
      ...addressesOf(routers).map((to) =>
        probe(
          'router of Uniswap V4',
          to,
          'poolManager()',
          addressesOf(poolManager)[0] ?? 'address',
        ),
      ),
    ],
    isNoPriceSource: hasSwapHooks,
    foreignCode: (pool, _state, venue) =>
      hasSwapHooks(pool) || isUnlisted(pool, venue) ? hooksOf(pool) : null,
  },
  index: v4PoolEvents(slug),
})
