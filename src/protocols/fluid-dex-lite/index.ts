/**
 * Fluid's DEX Lite: pools of one contract that hold their tokens themselves, within a range of prices.
 * Venue parameters: `dex`, `resolver`. Pool parameter: `salt`, with the tokens the pool's key.
 */
import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { isNative } from '../../domain/primitives.js'
import { defineProtocol } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { toWord } from '../shared/storage-slots.js'
import { discoverPools, keyOf, loadPools } from './load.js'
import { type FluidLiteState, stateAfter, swapIn } from './math.js'

const slug = 'fluid-dex-lite'

const swapAbi = parseAbiItem([
  'function swapSingle(DexKey dexKey, bool swap0To1, int256 amountSpecified, uint256 amountLimit, address to, bool isCallback, bytes callbackData, bytes extraData) payable returns (uint256 amountUnspecified)',
  'struct DexKey { address token0; address token1; bytes32 salt; }',
])

/** Two transfers, two square roots and a few words. */
const gasPerSwap = 90_000n

export const fluidDexLite = defineProtocol<FluidLiteState>({
  slug,
  name: 'Fluid DEX Lite',
  project: 'fluid',
  category: 'dex',
  url: 'https://fluid.io',
  description: 'Pools of one contract of Fluid, each within a range of prices.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverPools(slug, args),
    load: loadPools,
    swap(pool, state, { tokenIn }, amountIn) {
      const swap = swapIn(state, tokenIn === pool.tokens[0], amountIn)
      if (!swap) return { amountOut: 0n, exact: state.exact, after: () => state }
      return {
        amountOut: swap.amountOut,
        exact: state.exact,
        after: () => stateAfter(state, swap),
      }
    },
    gasEstimate: () => gasPerSwap,
    cautions: (_pool, { moves }) =>
      cautionsWhere([
        moves,
        'price',
        'The middle of its range may be a contract, or shift with time and with swaps.',
      ]),
    encodeSwap({ pool, tokenIn, amountIn, recipient }) {
      const key = keyOf(pool)
      if (!key) throw new RangeError(`${pool.id} is no pool of Fluid DEX Lite.`)
      const args = [key, tokenIn === key.token0, amountIn, 0n, recipient, false, '0x', '0x']
      const call = { kind: 'call', target: pool.address, abi: swapAbi, args } as const
      if (isNative(tokenIn)) return [{ ...call, value: amountIn }]
      return [{ kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn }, call]
    },
  },
  trust: {
    probes: ({ dex, resolver }) => [
      ...addressesOf(dex).map((to) => {
        const call = { signature: 'readFromStorage(bytes32)', args: [toWord(1n)] }
        return probe('DEX Lite of Fluid', to, call, 'positive')
      }),
      ...addressesOf(resolver).map((to) =>
        probe('resolver of Fluid DEX Lite', to, 'getAllDexes()', 'text'),
      ),
    ],
  },
})
