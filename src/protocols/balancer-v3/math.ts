/**
 * A swap with a given input through the Vault of V3: scaling by decimals and rates, fees, the pool's own formula, and
 * the balances that stay. Pure.
 *
 * @see balancer/balancer-v3-monorepo 0a5890a, pkg/vault/contracts/Vault.sol, _swap and
 *   _computeAndChargeAggregateSwapFees; pkg/vault/contracts/lib/PoolDataLib.sol;
 *   pkg/pool-weighted/contracts/WeightedPool.sol, onSwap
 */
import { at } from '../../domain/lists.js'
import type { Address } from '../../domain/primitives.js'
import { divDown, mul, mulDown, mulUp, one, sub } from '../shared/balancer-math/fixed-point.js'
import { weightedOutGivenIn } from '../shared/balancer-math/weighted-math.js'
import { oncePer } from '../shared/once-per.js'
import { unlessReverted } from '../shared/reverts.js'
import { stableInvariant, stableOutput } from './stable-math.js'

export interface BalancerV3State {
  readonly kind: 'weighted' | 'stable'
  /** False: not initialised, or the pool or the Vault is paused. */
  readonly isOpen: boolean
  /** Raw units in the Vault's order, less the part of the yield that the next swap takes. */
  readonly balances: readonly bigint[]
  /** 10^(18 - decimals) per token. */
  readonly scalingFactors: readonly bigint[]
  /** E18. */
  readonly rates: readonly bigint[]
  /** Share of the input, E18. */
  readonly swapFee: bigint
  /** Share of that fee which leaves the pool, E18; zero in recovery mode. */
  readonly aggregateFee: bigint
  /** The least that a swap may take or give, 18-decimal units. */
  readonly minimumTrade: bigint
  /** E18, weighted only. */
  readonly weights: readonly bigint[]
  /** Weighted: the least that the pool may be left with, 18-decimal units; null: the first version has no such limit. */
  readonly minimums: readonly bigint[] | null
  /** Times 1000, stable only. */
  readonly amp: bigint
  /** Stable: the largest balance stays below this many of the smallest; null: earlier versions have no such limit. */
  readonly mostImbalance: bigint | null
  /** A contract that is asked for a rate; null: none is. */
  readonly rateProvider: Address | null
  /** Hooks that take part in swaps; absent: none do. */
  readonly swapHooks?: Address
}

/** Raw and live balances are packed by 128 bits. */
const maxBalance = 2n ** 128n - 1n

interface Yield {
  /** Raw units. */
  readonly balance: bigint
  readonly scalingFactor: bigint
  readonly rate: bigint
  /** The balance after the last swap, 18-decimal units with the rate of that time. */
  readonly last: bigint
  /** Share of the yield, E18. */
  readonly fee: bigint
}

/**
 * Raw units of the yield since the last swap that leave the pool with the next one.
 *
 * @throws RangeError where the Vault reverts.
 */
export function yieldFee({ balance, scalingFactor, rate, last, fee }: Yield): bigint {
  const live = mulDown(mul(balance, scalingFactor), rate)
  return live > last ? divDown(mulUp(live - last, fee), mul(scalingFactor, rate)) : 0n
}

/**
 * @param amountIn - raw units, > 0, fee not yet taken.
 * @returns the output in raw units, rounded down, and the balances after the swap; null where the Vault or the pool
 *   reverts.
 */
export function vaultSwap(
  state: BalancerV3State,
  i: number,
  j: number,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly balances: readonly bigint[] } | null {
  if (!state.isOpen || i < 0 || j < 0 || i === j || amountIn <= 0n) return null
  return unlessReverted(() => swap(state, i, j, amountIn))
}

function scaledBy({ scalingFactors, rates }: BalancerV3State, raw: bigint, k: number): bigint {
  return mulDown(mul(raw, at(scalingFactors, k)), at(rates, k))
}

/** 18-decimal units. @throws RangeError where the Vault reverts. */
const liveBalances = oncePer((state: BalancerV3State) =>
  state.balances.map((raw, k) => scaledBy(state, raw, k)),
)

/** Invariant of a stable pool. @throws RangeError where the contract reverts. */
const invariantOf = oncePer((state: BalancerV3State) =>
  stableInvariant(state.amp, liveBalances(state)),
)

function swap(state: BalancerV3State, i: number, j: number, amountIn: bigint) {
  const { scalingFactors, rates, minimumTrade } = state
  const scaled = (raw: bigint, k: number) => scaledBy(state, raw, k)
  const given = scaled(amountIn, i)
  const fee = mulUp(given, state.swapFee)
  const net = sub(given, fee)
  if (net < minimumTrade) throw new RangeError('too little comes in')
  const output = poolOutput(state, i, j, net)
  if (output < minimumTrade) throw new RangeError('too little goes out')
  const amountOut = divDown(output, mul(at(scalingFactors, j), roundedUp(at(rates, j))))
  const feeRaw = divDown(fee, mul(at(scalingFactors, i), at(rates, i)))
  const left = mulDown(feeRaw, state.aggregateFee)
  const balances = state.balances.map((balance, k) => {
    if (k === i) return sub(balance + amountIn, left)
    return k === j ? sub(balance, amountOut) : balance
  })
  for (const [k, balance] of balances.entries()) {
    if (balance > maxBalance || scaled(balance, k) > maxBalance) throw new RangeError('overflow')
  }
  return { amountOut, balances }
}

/** @returns 18-decimal units. */
function poolOutput(
  state: BalancerV3State,
  indexIn: number,
  indexOut: number,
  amountIn: bigint,
): bigint {
  const { amp, mostImbalance, minimums, weights } = state
  const live = liveBalances(state)
  if (state.kind === 'stable') {
    const invariant = invariantOf(state)
    return stableOutput({
      amp,
      balances: live,
      invariant,
      indexIn,
      indexOut,
      amountIn,
      mostImbalance,
    })
  }
  // Since its second version the pool counts one unit more of what comes in.
  const balanceIn = at(live, indexIn) + (minimums ? 1n : 0n)
  const balanceOut = at(live, indexOut)
  if (minimums && balanceIn < at(minimums, indexIn)) throw new RangeError('below the minimum')
  const amountOut = weightedOutGivenIn({
    balanceIn,
    weightIn: at(weights, indexIn),
    balanceOut,
    weightOut: at(weights, indexOut),
    amountIn,
    hasShortcuts: true,
  })
  if (minimums && sub(balanceOut, amountOut) < at(minimums, indexOut)) {
    throw new RangeError('below the minimum')
  }
  return amountOut
}

/** What goes out is divided by the rate and one more, except by one that is whole. */
function roundedUp(rate: bigint): bigint {
  return rate % one === 0n ? rate : rate + 1n
}
