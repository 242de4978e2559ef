/**
 * A peer's plan as a transaction of our own contracts: both sides pay the same for settlement, and the split alone makes
 * the difference. Shares are rounded to basis points, as ours are.
 */
import { ethereum } from '../../src/chains/ethereum.js'
import { latestDeadline } from '../../src/domain/deadline.js'
import type { Order, UnsignedTransaction } from '../../src/domain/order.js'
import { type Address, bpsDenominator, isNative, nativeToken } from '../../src/domain/primitives.js'
import { buildTransaction, runnerAddress } from '../../src/executor/compile.js'
import type { MarketPool } from '../../src/routing/market/market-view.js'
import { helpersOf } from '../../src/routing/route/built.js'
import { planRoute } from '../../src/routing/route/plan-route.js'
import { planSwap } from '../../src/routing/route/plan-swap.js'
import type { FlowEdge } from '../../src/routing/search/flow.js'
import type { Leg, Plan } from './contract.js'
import type { LeagueToken } from './market.js'
import type { Trade } from './trades.js'

const strategy = 'router'
const whole = Number(bpsDenominator)
const wrapped = ethereum.wrappedNative

/**
 * @param from - has no code, and has allowed the Router to take the input.
 * @throws Error where the plan names a pool that is not among `pools`.
 */
export function settle(args: {
  readonly plan: Plan
  readonly trade: Trade
  readonly pools: ReadonlyMap<string, MarketPool>
  readonly tokens: readonly LeagueToken[]
  readonly from: Address
}): UnsignedTransaction {
  const { plan, trade, pools, tokens, from } = args
  const { tokenIn, tokenOut } = trade
  const edges = plan.legs.flatMap((leg) => {
    const market = pools.get(leg.pool)
    if (!market) throw new Error(`the plan names the unknown pool ${leg.pool}`)
    return edgesOf(leg, market)
  })
  const inputs = [{ token: tokenIn, amount: plan.amountIn }]
  const route = planRoute({
    chain: ethereum,
    edges,
    inputs,
    tokensOut: [tokenOut],
    executor: runnerAddress(strategy, from),
    receiver: from,
    mayPayReceiver: true,
    helpers: helpersOf({ edges }),
  })
  const order: Order = {
    inputs,
    feeReceiver: from,
    steps: route.steps,
    outputs: [{ token: tokenOut, minAmountOut: 0n }],
    outputsPaidBySteps: route.paysReceiver,
    receiver: from,
    refundReceiver: from,
    sweep: route.sweep,
    deadline: latestDeadline,
    accountId: `0x${'00'.repeat(32)}`,
    referralCode: `0x${'00'.repeat(16)}`,
  }
  const legs = planSwap(edges, [tokenIn], [tokenOut])
  const taxed = new Set(tokens.flatMap(({ address, isTaxed }) => (isTaxed ? [address] : [])))
  const measuresPairs = plan.legs.some((leg) => taxed.has(leg.tokenIn) || taxed.has(leg.tokenOut))
  return buildTransaction({
    strategy,
    from,
    order,
    ...(legs && { swap: { legs, measuresPairs } }),
  })
}

/** The swap; around it, where the pool is one of native itself, the unwrapping or wrapping. */
function edgesOf({ tokenIn, tokenOut, share }: Leg, market: MarketPool): FlowEdge[] {
  const spends =
    share === 'previous' ? share : Math.min(whole, Math.max(1, Math.round(share * whole)))
  const own = (token: Address) =>
    token === wrapped && market.loaded.pool.tokens.some(isNative) ? nativeToken : token
  const hop = { kind: 'swap', market, tokenIn: own(tokenIn), tokenOut: own(tokenOut) } as const
  if (hop.tokenIn !== tokenIn) {
    return [
      { hop: { kind: 'unwrap', tokenIn, tokenOut: hop.tokenIn }, spends },
      { hop, spends: 'previous' },
    ]
  }
  if (hop.tokenOut !== tokenOut) {
    return [
      { hop, spends },
      { hop: { kind: 'wrap', tokenIn: hop.tokenOut, tokenOut }, spends: 'previous' },
    ]
  }
  return [{ hop, spends }]
}
