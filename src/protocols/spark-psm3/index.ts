/**
 * Spark's PSM3: USDC, USDS and sUSDS against each other, without a fee.
 * Venue parameters: `psm`, `usdc`, `usds`, `susds`. Pool parameter: `hasShare`; a pool for each two of the tokens.
 */
import { parseAbiItem } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { defineProtocol } from '../protocol.js'
import { discoverPsm3, loadPsm3, psm3Addresses } from './load.js'
import { type Psm3State, swapExactIn } from './math.js'

const slug = 'spark-psm3'

const swapAbi = parseAbiItem(
  'function swapExactIn(address assetIn, address assetOut, uint256 amountIn, uint256 minAmountOut, address receiver, uint256 referralCode) returns (uint256 amountOut)',
)

/** Two transfers of upgradeable tokens, and the rate. */
const gasPerSwap = 110_000n

export const sparkPsm3 = defineProtocol<Psm3State>({
  slug,
  name: 'Spark PSM3',
  project: 'spark',
  category: 'dex',
  url: 'https://spark.fi',
  description:
    'USDC, USDS and sUSDS at their rate, without a fee, as far as the module holds them.',
  swaps: {
    paysRecipient: true,
    discover: (args) => discoverPsm3(slug, args),
    load: loadPsm3,
    sharedState: ({ address }) => address,
    swap({ tokens }, state, { tokenIn }, amountIn) {
      const swap = swapExactIn(state, tokenIn === tokens[0], amountIn)
      return { amountOut: swap?.amountOut ?? 0n, exact: true, after: () => swap?.after ?? state }
    },
    gasEstimate: () => gasPerSwap,
    cautions: (_pool, { assets }) =>
      cautionsWhere([
        assets.some(({ isShare }) => isShare),
        'rate',
        'The worth of sUSDS grows with the savings rate of Sky.',
      ]),
    encodeSwap({ pool, tokenIn, tokenOut, amountIn, recipient }) {
      const target = pool.address
      const args = [tokenIn, tokenOut, amountIn, 0n, recipient, 0n]
      return [
        { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
        { kind: 'call', target, abi: swapAbi, args },
      ]
    },
  },
  trust: {
    probes(venue) {
      const { psm, ...tokens } = psm3Addresses(venue)
      return [
        ...(['usdc', 'usds', 'susds'] as const).map((name) =>
          probe('PSM3 of Spark', psm, `${name}()`, tokens[name]),
        ),
        probe('USDS of Sky', tokens.usds, 'decimals()', 18n),
        probe('sUSDS of Sky', tokens.susds, 'decimals()', 18n),
      ]
    },
  },
})
