/**
 * Fluid's DEX T1: pools whose liquidity is collateral and debt of Fluid's liquidity layer.
 * Venue parameters: `factory`, `resolver`. Pool parameter: `dexId`.
 */
import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { isNative } from '../../domain/primitives.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { discoverPools, loadPools } from './load.js'
import { type FluidState, stateAfter, swapIn } from './math.js'

const slug = 'fluid-dex-t1'

const swapAbi = parseAbiItem(
  'function swapIn(bool swap0to1, uint256 amountIn, uint256 amountOutMin, address to) payable returns (uint256 amountOut)',
)

/** Two calls of the liquidity layer, each with its limits, and up to four square roots. */
const gasPerSwap = 200_000n

export const fluidDex = defineProtocol<FluidState>({
  slug,
  name: 'Fluid DEX',
  project: 'fluid',
  category: 'dex',
  url: 'https://fluid.io',
  description: 'Pools of Fluid whose liquidity is collateral and debt.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverPools(slug, args),
    load: loadPools,
    swap(pool, state, { tokenIn }, amountIn) {
      const zeroForOne = tokenIn === pool.tokens[0]
      const swap = swapIn(state, zeroForOne, amountIn)
      if (!swap) return { amountOut: 0n, exact: state.exact, after: () => state }
      const { amountOut, exact } = swap
      return { amountOut, exact, after: () => stateAfter(state, zeroForOne, swap) }
    },
    gasEstimate: () => gasPerSwap,
    cautions: (_pool, { collateral, debt }) =>
      cautionsWhere([
        collateral !== null || debt !== null,
        'price',
        'Reserves are collateral and debt, which grow with interest, around a center price that may be a contract or shift with time.',
      ]),
    encodeSwap: ({ pool, tokenIn, amountIn, recipient }) => {
      const args = [tokenIn === pool.tokens[0], amountIn, 0n, recipient]
      const call = { kind: 'call', target: pool.address, abi: swapAbi, args } as const
      if (isNative(tokenIn)) return [{ ...call, value: amountIn }]
      return [{ kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn }, call]
    },
  },
  trust: {
    probes: ({ factory, resolver }) => {
      const [made = 'address' as const] = addressesOf(factory)
      return [
        ...addressesOf(factory).map((to) =>
          probe('factory of Fluid', to, 'totalDexes()', 'positive'),
        ),
        ...addressesOf(resolver).map((to) => probe('resolver of Fluid', to, 'FACTORY()', made)),
      ]
    },
  },
})
