/**
 * Aave V3: tokens are lent to one Pool for aTokens, one to one; other tokens can be borrowed against them.
 * Swap edges are deposits and withdrawals. Venue parameter: `pool`. Pool parameters: none; tokens: underlying, aToken.
 */
import { probe } from '../../chains/probe.js'
import { cautionsWhere } from '../../domain/caution.js'
import { defineProtocol, type ProtocolAdapter, type SwapAdapter } from '../protocol.js'
import { addressesOf } from '../shared/parameters.js'
import { borrow, repay } from './debt-actions.js'
import { errorsAbi, explain } from './errors.js'
import { harvest } from './harvest.js'
import { discoverReserves, findATokens, loadReserves, poolOf } from './load.js'
import { afterDeposit, afterWithdrawal, deposited, type EdgeState, withdrawn } from './math.js'
import { listPositions, type Market, readPositions } from './positions.js'
import { deposit, redeem, supplyAbi, withdraw, withdrawAbi } from './supply-actions.js'

const gasPerDeposit = 180_000n
const gasPerWithdrawal = 200_000n

/** Aave V3, or a market that runs its code. @param facts.market - how its aTokens are named where they have no name. */
function defineAaveV3Like({
  market: name,
  ...facts
}: Pick<ProtocolAdapter, 'slug' | 'name' | 'project' | 'url' | 'forkOf'> & {
  readonly market: string
}): SwapAdapter<EdgeState> {
  const { slug } = facts
  const market: Market = { slug, name }
  return defineProtocol<EdgeState>({
    ...facts,
    category: 'lending',
    description: 'Lending of tokens for interest, and loans against them.',
    swaps: {
      paysRecipient: true,
      discover: (args) => discoverReserves(slug, args),
      load: loadReserves,
      swap(pool, state, { tokenIn }, amountIn) {
        if (tokenIn === pool.id) {
          const after = () => afterWithdrawal(state, amountIn)
          return { amountOut: withdrawn(state, amountIn), exact: true, after }
        }
        // Balances are rounded together with what else their owner holds, which is not known.
        const after = () => afterDeposit(state, amountIn)
        return { amountOut: deposited(state, amountIn), exact: false, after }
      },
      action: (pool, tokenIn) => (tokenIn === pool.id ? 'withdraw' : 'deposit'),
      gasEstimate: () => (gasPerDeposit + gasPerWithdrawal) / 2n,
      cautions: () =>
        cautionsWhere([
          true,
          'rebase',
          'Balances of the aToken grow with interest in each second.',
        ]),
      encodeSwap({ pool, tokenIn, tokenOut, amountIn, recipient }) {
        const target = pool.address
        if (tokenIn === pool.id) {
          const args = [tokenOut, amountIn, recipient]
          return [{ kind: 'call', target, abi: withdrawAbi, args }]
        }
        return [
          { kind: 'approve', token: tokenIn, spender: target, amount: amountIn },
          { kind: 'call', target, abi: supplyAbi, args: [tokenIn, amountIn, recipient, 0] },
        ]
      },
    },
    trust: {
      probes: ({ pool }) =>
        addressesOf(pool).map((to) =>
          probe(`Pool of ${facts.name}`, to, 'ADDRESSES_PROVIDER()', 'address'),
        ),
      // What an aToken is worth follows from its asset: the edge would say the same less exactly.
      isNoPriceSource: () => true,
    },
    positions: {
      rebases: true,
      list: (args) => listPositions(market, args),
      read: (args) => readPositions(market, args),
      holdings: ({ id, tokens: [asset] }, _state, token) =>
        asset && token === id ? { shares: 1n, amounts: [{ token: asset, amount: 1n }] } : null,
      async underlying({ reader, venue, tokens }) {
        const { assets } = await findATokens(reader, poolOf(venue), tokens)
        return new Map([...assets].map(([aToken, asset]) => [aToken, [asset]]))
      },
    },
    actions: {
      definitions: [deposit, withdraw, redeem, borrow, repay, harvest],
      errorsAbi,
      explain,
    },
  })
}

export const aaveV3 = defineAaveV3Like({
  slug: 'aave-v3',
  name: 'Aave V3',
  project: 'aave',
  url: 'https://aave.com',
  market: 'Aave',
})

export const sparkLend = defineAaveV3Like({
  slug: 'spark-lend',
  name: 'SparkLend',
  project: 'spark',
  url: 'https://spark.fi',
  forkOf: 'aave-v3',
  market: 'Spark',
})
