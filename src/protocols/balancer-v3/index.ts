/**
 * Balancer V3: weighted and stable pools of one Vault, made by Balancer's own factories, by native math.
 * Venue parameters: `vault`, `factories`. Pool parameters: `factory`, `isRated`; the id is the pool's contract.
 */
import { parseAbiItem, toEventSelector } from 'viem'
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import type { ExecutorStep } from '../../domain/order.js'
import { addressIn } from '../pool-events.js'
import { defineProtocol } from '../protocol.js'
import { helperAddress } from '../shared/helper-address.js'
import { loadBalancerV3 } from './load.js'
import { type BalancerV3State, vaultSwap } from './math.js'
import { factoriesOf, slug, vaultOf } from './parameters.js'
import { balancerV3PoolEvents } from './pool-events.js'

const helperName = 'BalancerV3Swapper'

const swapAbi = parseAbiItem(
  'function swap(address vault, address pool, address tokenIn, address tokenOut, address recipient) returns (uint256 amountOut)',
)

/** @see balancer/balancer-v3-monorepo 0a5890a, pkg/interfaces/contracts/vault/IVaultEvents.sol */
const swapTopic = toEventSelector('Swap(address,address,address,uint256,uint256,uint256,uint256)')

export const balancerV3 = defineProtocol<BalancerV3State>({
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
    swap({ tokens }, state, { tokenIn, tokenOut }, amountIn) {
      const swap = vaultSwap(state, tokens.indexOf(tokenIn), tokens.indexOf(tokenOut), amountIn)
      const after = () => (swap ? { ...state, balances: swap.balances } : state)
      return { amountOut: swap?.amountOut ?? 0n, exact: true, after }
    },
    gasEstimate: (_pool, { kind }) => (kind === 'weighted' ? 120_000n : 140_000n),
    cautions: (_pool, { rateProvider }) =>
      cautionsWhere([rateProvider !== null, 'rate', 'A rate provider says what a token is worth.']),
    // What arrives at the Vault is credited to the swap that comes next.
    prepaidAt: (pool) => pool.address,
    paidInLogs(pool, tokenOut, logs) {
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
    isNoPriceSource: ({ parameters }) => parameters.isRated !== false,
    foreignCode: (_pool, { rateProvider }) => rateProvider,
    probes: (venue) => [
      probe('Vault of Balancer V3', vaultOf(venue), 'getMinimumTradeAmount()', 'positive'),
      ...factoriesOf(venue).map((to) =>
        probe('factory of Balancer V3', to, 'getVault()', vaultOf(venue)),
      ),
    ],
  },
  index: balancerV3PoolEvents,
})
