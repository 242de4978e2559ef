/**
 * Balancer V3: weighted and stable pools of one Vault, made by Balancer's own factories, by native math.
 * Venue parameters: `vault`, `factories`, those of ../shared/hooks/quoter.ts.
 * Pool parameters: `factory`, `isRated`, `hooks` that take part in swaps; the id is the pool's contract.
 */
import { parseAbiItem, toEventSelector } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { larger } from '../../domain/lists.js'
import type { ExecutorStep } from '../../domain/order.js'
import { addressIn } from '../pool-events.js'
import { defineProtocol } from '../protocol.js'
import { helperAddress } from '../shared/helper-address.js'
import { swapOfRun, type WithHooks } from '../shared/hooks/run.js'
import { loadBalancerV3 } from './load.js'
import { type BalancerV3State, vaultSwap } from './math.js'
import { factoriesOf, hooksOf, slug, vaultOf } from './parameters.js'
import { balancerV3PoolEvents } from './pool-events.js'

const helperName = 'BalancerV3Swapper'

const swapAbi = parseAbiItem(
  'function swap(address vault, address pool, address tokenIn, address tokenOut, address recipient) returns (uint256 amountOut)',
)

/** @see balancer/balancer-v3-monorepo 0a5890a, pkg/interfaces/contracts/vault/IVaultEvents.sol */
const swapTopic = toEventSelector('Swap(address,address,address,uint256,uint256,uint256,uint256)')

export const balancerV3 = defineProtocol<WithHooks<BalancerV3State>>({
  slug,
  name: 'Balancer V3',
  project: 'balancer',
  category: 'dex',
  url: 'https://balancer.fi',
  description: 'Weighted and stable pools of the Balancer V3 Vault.',
  swaps: {
    paysRecipient: true,
    helperContracts: [helperName],
    // The Vault keeps no index by tokens: pools come from the index of events and from lists.
    discover: async () => ({ pools: [], unreadable: [] }),
    load: loadBalancerV3,
    swap({ tokens }, state, direction, amountIn) {
      const sampled = swapOfRun(state, direction, amountIn)
      if (sampled) return sampled
      const [i, j] = [direction.tokenIn, direction.tokenOut].map((token) => tokens.indexOf(token))
      const swap = vaultSwap(state, i ?? -1, j ?? -1, amountIn)
      const after = () => (swap ? { ...state, balances: swap.balances } : state)
      return { amountOut: swap?.amountOut ?? 0n, exact: !state.swapHooks, after }
    },
    gasEstimate: (_pool, { kind, run }) =>
      larger(kind === 'weighted' ? 120_000n : 140_000n, run?.gas ?? 0n),
    cautions: (_pool, { rateProvider, swapHooks }) =>
      cautionsWhere(
        [rateProvider !== null, 'rate', 'A rate provider says what a token is worth.'],
        [
          swapHooks !== undefined,
          'plugin',
          'Hooks take part in swaps, and may change what they move.',
        ],
      ),
    // What arrives at the Vault is credited to the swap that comes next.
    prepaidAt: (pool) => pool.address,
    paidInLogs(pool, tokenOut, logs) {
      // Hooks may take a part after the event.
      if (hooksOf(pool)) return null
      const swap = logs.find(
        ({ address, topics: [topic, of, , out] }) =>
          address === pool.address &&
          topic === swapTopic &&
          addressIn(of) === pool.id &&
          addressIn(out) === tokenOut,
      )
      return swap ? BigInt(`0x${swap.data.slice(66, 130)}`) : null
    },
    encodeSwap({ pool, tokenIn, tokenOut, amountIn, helpers, recipient, isPrepaid }) {
      const vault = pool.address
      const swap: ExecutorStep = {
        kind: 'call',
        target: helperAddress(helpers, helperName),
        abi: swapAbi,
        args: [vault, pool.id, tokenIn, tokenOut, recipient],
      }
      if (isPrepaid) return [swap]
      return [{ kind: 'transfer', token: tokenIn, to: vault, amount: amountIn }, swap]
    },
  },
  trust: {
    // A rate is the word of a contract that whoever made the pool has named.
    isNoPriceSource: (pool) => pool.parameters.isRated !== false || hooksOf(pool) !== null,
    foreignCode: (_pool, { swapHooks, rateProvider }) => swapHooks ?? rateProvider,
    probes: (venue) => [
      probe('Vault of Balancer V3', vaultOf(venue), 'getMinimumTradeAmount()', 'positive'),
      ...factoriesOf(venue).map((to) =>
        probe('factory of Balancer V3', to, 'getVault()', vaultOf(venue)),
      ),
    ],
  },
  index: balancerV3PoolEvents,
})
