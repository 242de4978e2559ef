/**
 * Results of deposits and withdrawals, and the remaining room for both. Pure.
 * Both are one to one; balances are stored divided by the interest index and rounded when converted back.
 */
import { bpsDenominator, maxUint256 } from '../../domain/primitives.js'
import { ray, rayDiv, rayMul } from './ray.js'
import type { Reserve } from './reserve.js'

/** What a deposit or withdrawal in the next block meets; raw units of the underlying token. */
export interface EdgeState {
  /** Liquidity index of the next block, ray. */
  readonly index: bigint
  /** Most that can be deposited: 0 where the reserve takes nothing. */
  readonly room: bigint
  /** Most that can be withdrawn. */
  readonly liquidity: bigint
}

/** Part of the treasury's share that is added to it: debts compound, the lenders' interest is linear. */
const compoundMargin = 10n

/**
 * @param reserve.scaledSupply - aTokens of all holders, divided by the index.
 * @param reserve.held - underlying tokens that lie in the aToken for withdrawals.
 * @param index - liquidity index at the time of the next block.
 */
export function edgeState(
  reserve: Reserve & { readonly scaledSupply: bigint; readonly held: bigint },
  index: bigint,
): EdgeState {
  const isOpen = reserve.isActive && !reserve.isPaused
  return {
    index,
    room: isOpen && !reserve.isFrozen ? roomBelowCap(reserve, index) : 0n,
    liquidity: isOpen ? reserve.held : 0n,
  }
}

/**
 * The cap counts what the treasury will have earned by then, which is not known to the wei: rounded up.
 * @see aave/aave-v3-core, contracts/protocol/libraries/logic/ValidationLogic.sol, validateSupply (v1.19.3)
 */
function roomBelowCap(reserve: Reserve & { readonly scaledSupply: bigint }, index: bigint): bigint {
  const { supplyCap, decimals, scaledSupply, accruedToTreasury, reserveFactor } = reserve
  if (supplyCap === 0n) return maxUint256
  const earned = (scaledSupply * (index - reserve.liquidityIndex)) / ray + 1n
  const share =
    reserveFactor < bpsDenominator
      ? (earned * reserveFactor) / (bpsDenominator - reserveFactor)
      : reserveFactor
  const treasury = accruedToTreasury + share + share / compoundMargin + 2n
  const room = supplyCap * 10n ** BigInt(decimals) - rayMul(scaledSupply + treasury, index)
  return room > 0n ? room : 0n
}

/** aTokens of an account that has none before; 0 where the reserve cannot take the amount. */
export function deposited({ index, room }: EdgeState, amountIn: bigint): bigint {
  if (amountIn <= 0n || amountIn > room) return 0n
  return rayMul(rayDiv(amountIn, index), index)
}

/** Underlying tokens for as many aTokens; 0 where they are lent out or nothing may leave. */
export function withdrawn({ liquidity }: EdgeState, amountIn: bigint): bigint {
  return amountIn > 0n && amountIn <= liquidity ? amountIn : 0n
}

/** A deposit that the reserve cannot take changes nothing. */
export function afterDeposit(state: EdgeState, amountIn: bigint): EdgeState {
  if (deposited(state, amountIn) === 0n) return state
  return { ...state, room: state.room - amountIn, liquidity: state.liquidity + amountIn }
}

export function afterWithdrawal(state: EdgeState, amountIn: bigint): EdgeState {
  if (withdrawn(state, amountIn) === 0n) return state
  return { ...state, room: state.room + amountIn, liquidity: state.liquidity - amountIn }
}
