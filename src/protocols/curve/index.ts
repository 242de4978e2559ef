/**
 * Curve: stable and crypto pools by native maths, all others by samples of their own quotes.
 * Owns everything that is particular to Curve; called by routing through the adapter type only.
 */
import type { Step } from '../../domain/plan.js'
import { type Address, isNative } from '../../domain/primitives.js'
import { defineProtocol, type EncodeSwapArgs, type Pool } from '../protocol.js'
import { exchangeAbi } from './abi.js'
import { discoverCurve } from './discover.js'
import { loadCurve } from './load.js'
import { curveParameters } from './parameters.js'
import { type CurveState, outputOf, stateAfter } from './state.js'

export const curve = defineProtocol<CurveState>({
  slug: 'curve',
  name: 'Curve',
  project: 'curve',
  category: 'dex',
  url: 'https://curve.finance',
  description: 'StableSwap and crypto pools of Curve, each its own contract.',
  paysRecipient: false,

  discover: discoverCurve,
  load: loadCurve,

  amountOut(pool, state, tokenIn, tokenOut, amountIn) {
    const exact = state.kind !== 'sampled' && state.exact
    const indexes = indexesOf(pool, tokenIn, tokenOut)
    if (!indexes || amountIn <= 0n) return { amountOut: 0n, exact }
    return { amountOut: outputOf(state, indexes.i, indexes.j, amountIn), exact }
  },

  applySwap(pool, state, tokenIn, tokenOut, amountIn) {
    const indexes = indexesOf(pool, tokenIn, tokenOut)
    if (!indexes || amountIn <= 0n) return state
    return stateAfter(state, indexes.i, indexes.j, amountIn)
  },

  gasEstimate: (pool, state) =>
    state.kind === 'stable' ? 50_000n + 15_000n * BigInt(pool.tokens.length) : 220_000n,

  encodeSwap: encodeExchange,
})

function indexesOf(pool: Pool, tokenIn: Address, tokenOut: Address) {
  const i = pool.tokens.indexOf(tokenIn)
  const j = pool.tokens.indexOf(tokenOut)
  return i === -1 || j === -1 || i === j ? null : { i, j }
}

/** The pool pulls the coin (or takes native value) and pays the Executor. */
function encodeExchange({ pool, tokenIn, tokenOut, amountIn }: EncodeSwapArgs<CurveState>): Step[] {
  const indexes = indexesOf(pool, tokenIn, tokenOut)
  if (!indexes) throw new RangeError(`Curve pool ${pool.id} does not hold both tokens.`)
  const { indexType } = curveParameters(pool)
  const call: Step = {
    kind: 'call',
    target: pool.address,
    abi: exchangeAbi[indexType],
    args: [BigInt(indexes.i), BigInt(indexes.j), amountIn, 0n],
    ...(isNative(tokenIn) && { value: amountIn }),
  }
  if (isNative(tokenIn)) return [call]
  return [{ kind: 'approve', token: tokenIn, spender: pool.address, amount: amountIn }, call]
}
