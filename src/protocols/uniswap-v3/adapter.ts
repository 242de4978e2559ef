/** Builds the adapter of one V3-style exchange from its row of parameters; see `index.ts`. */
import { probe } from '../../chains/probe.js'
import { defined } from '../../domain/defined.js'
import { defineProtocol, type SwapAdapter } from '../protocol.js'
import { concentratedParts, feeAndSpacing } from '../shared/concentrated/adapter-parts.js'
import type { ConcentratedState } from '../shared/concentrated/swap.js'
import { v3Swap, v3SwapSlots } from '../shared/concentrated/v3-swap.js'
import { addressesOf } from '../shared/parameters.js'
import { discoverV3, type V3Pools } from './discover.js'
import { explainV3 } from './nft-abi.js'
import { nftActions } from './nft-actions.js'
import { nftPositions } from './nft-positions.js'
import { v3PoolEvents } from './pool-events.js'

interface UniswapV3Row extends V3Pools {
  readonly name: string
  readonly project: string
  readonly url: string
  readonly forkOf?: string
  /** Whether positions are made through Uniswap's NonfungiblePositionManager or one with the same functions. */
  readonly hasPositions?: boolean
}

/** Ticks crossed now and then, oracle entry written, callback paid. */
const gasPerSwap = 75_000n

/** Words of a tick's record: liquidity, two fee growths, oracle values. */
const wordsPerTick = 4n

/** @returns Adapter for pools with V3's `swap` and math; the row says where their state lies. */
export function defineUniswapV3Like(row: UniswapV3Row): SwapAdapter<ConcentratedState> {
  const { slug, name, project, url, forkOf, poolSlots, hasPositions = false } = row
  return defineProtocol<ConcentratedState>({
    slug,
    name,
    project,
    url,
    ...defined({ forkOf: forkOf || undefined }),
    category: 'dex',
    description: `Concentrated-liquidity pools of ${name}.`,
    swaps: {
      discover: (args) => discoverV3(row, args),
      ...concentratedParts((pool) => {
        const parameters = feeAndSpacing(pool)
        if (!parameters) return 'The pool lacks the parameters fee and tickSpacing.'
        const fee = BigInt(parameters.fee)
        return {
          address: pool.address,
          slots: poolSlots,
          tickSpacing: parameters.tickSpacing,
          hasOracle: true,
          feePips: () => [fee, fee],
        }
      }),
      swapSlots: (_pool, state) => v3SwapSlots(poolSlots, wordsPerTick, state),
      gasEstimate: () => gasPerSwap,
      changesOnlyWithEvents: 'always',
      ...v3Swap,
    },
    trust: {
      probes: ({ factory, feeTiers = [], positionManager, routers }, { wrappedNative }) => {
        const [made = 'address' as const] = addressesOf(factory)
        return [
          ...addressesOf(factory).flatMap((to) =>
            [feeTiers]
              .flat()
              .map((fee) =>
                probe(
                  `factory of ${row.name}`,
                  to,
                  { signature: 'feeAmountTickSpacing(uint24)', args: [BigInt(fee)] },
                  'positive',
                ),
              ),
          ),
          ...[...addressesOf(positionManager), ...addressesOf(routers)].flatMap((to) => {
            const name = addressesOf(routers).includes(to) ? 'router' : 'position manager'
            return [
              probe(`${name} of ${row.name}`, to, 'factory()', made),
              probe(`${name} of ${row.name}`, to, 'WETH9()', wrappedNative),
            ]
          }),
        ]
      },
    },
    index: v3PoolEvents(row.slug, poolSlots),
    ...(hasPositions && {
      positions: nftPositions(row),
      actions: { definitions: nftActions(row), explain: explainV3 },
    }),
  })
}
