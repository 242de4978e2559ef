/**
 * Aave's GHO Stability Module over an ERC-4626 vault of Aave's reserve: the asset into shares of the vault, and shares into
 * GHO at par less a fee, or back. It takes shares up to a cap, and pays those that it holds. Pure.
 *
 * @see aave-dao/gho-origin 731776b, src/contracts/facilitators/gsm, Gsm.sol, Gsm4626.sol, FixedFeeStrategy.sol and
 *   FixedPriceStrategy4626.sol; GhoReserve.sol f7af8a0
 * @see aave-dao/aave-v3-origin fd1fbd9, src/contracts/extensions/stata-token/ERC4626StataTokenUpgradeable.sol
 */

import { smaller } from '../../domain/lists.js'

export interface GsmState {
  /** Raw units of the asset for a share of the vault, in 1e27, at the time of the swap. */
  readonly rate: bigint
  /** Raw units of GHO for `unit` raw units of the asset. */
  readonly ratio: bigint
  readonly unit: bigint
  /** In 1/10,000. */
  readonly buyFee: bigint
  readonly sellFee: bigint
  /** Raw units of the asset that the vault takes, and shares that it redeems. */
  readonly depositable: bigint
  readonly redeemable: bigint
  /** Shares that the module takes, and that it holds for sale. */
  readonly room: bigint
  readonly stock: bigint
  /** Raw units of GHO that the module has used of its limit, the limit, and what its reserve holds. */
  readonly used: bigint
  readonly limit: bigint
  readonly reserve: bigint
}

interface Outcome {
  readonly amountOut: bigint
  readonly after: GsmState
}

export const ray = 10n ** 27n
const whole = 10_000n

function up(a: bigint, b: bigint, c: bigint): bigint {
  return (a * b + c - 1n) / c
}

/** Raw units of GHO that shares are worth, rounded down. */
function worth({ rate, ratio, unit }: GsmState, shares: bigint): bigint {
  return (((shares * rate) / ray) * ratio) / unit
}

/**
 * The asset for GHO. The module takes as few shares as make the same GHO, so a few may be left.
 *
 * @param assets - raw units, > 0.
 * @returns null where the vault or the module takes less, or the reserve has less GHO.
 */
export function sell(state: GsmState, assets: bigint): Outcome | null {
  const { rate, ratio, unit, sellFee, depositable, room, used, limit, reserve } = state
  if (assets > depositable) return null
  const shares = (assets * ray) / rate
  const full = worth(state, shares)
  const amountOut = full - up(full, sellFee, whole)
  const gross = sellFee > 0n ? up(amountOut, whole, whole - sellFee) : amountOut
  const taken = up(up(gross, unit, ratio), ray, rate)
  if (amountOut <= 0n || taken === 0n || taken > shares || taken > room) return null
  if (used + gross > limit || gross > reserve) return null
  return {
    amountOut,
    after: {
      ...state,
      depositable: depositable - assets,
      room: room - taken,
      stock: state.stock + taken,
      used: used + gross,
      reserve: reserve - gross,
    },
  }
}

/**
 * GHO for the asset. The module is asked for as many shares as the GHO is enough for, and takes what those cost, so a
 * little may be left.
 *
 * @param gho - raw units, > 0.
 * @returns null where the module has fewer shares, the vault redeems fewer, or they cost more GHO than was used.
 */
export function buy(state: GsmState, gho: bigint): Outcome | null {
  const { rate, ratio, unit, buyFee, redeemable, stock, used, limit, reserve } = state
  const affordable = buyFee > 0n ? (gho * whole) / (whole + buyFee) : gho
  const wanted = (((affordable * unit) / ratio) * ray) / rate
  if (wanted === 0n) return null
  const least = up(up(wanted, rate, ray), ratio, unit)
  const cost = least + up(least, buyFee, whole)
  const gross = buyFee > 0n ? (cost * whole) / (whole + buyFee) : cost
  const shares = (((gross * unit) / ratio) * ray) / rate
  if (shares === 0n || shares > stock || shares > redeemable || cost > gho) return null
  // What the shares have earned is used first, for the treasury.
  const backing = worth(state, stock)
  const earned = backing > used && limit > used ? smaller(backing - used, limit - used) : 0n
  if (earned > reserve || gross > used + earned) return null
  return {
    amountOut: (shares * rate) / ray,
    after: {
      ...state,
      redeemable: redeemable - shares,
      room: state.room + shares,
      stock: stock - shares,
      used: used + earned - gross,
      reserve: reserve - earned + gross,
    },
  }
}
