/**
 * rETH for ether and back at the rate that the network's oracles report. Pure.
 * @see rocket-pool/rocketpool 0125b44, contracts/contract/token/RocketTokenRETH.sol, getEthValue and getRethValue
 * @see rocket-pool/rocketpool, contracts/contract/deposit/RocketDepositPool.sol as of Solidity 0.8, deposit
 */
import type { Address } from '../../domain/primitives.js'

const wad = 10n ** 18n

/** Structured-clonable. */
export interface RocketState {
  /** Takes deposits; replaced now and then. */
  readonly depositPool: Address
  /** Wei of the network, as reported. */
  readonly totalEther: bigint
  /** Raw units of rETH, as reported with it. */
  readonly supply: bigint
  /** Part of a deposit that is kept, of 10^18. */
  readonly depositFee: bigint
  /** Wei. */
  readonly minDeposit: bigint
  /** Wei that can be deposited at the block; 0n: deposits are off, or the pool is full. */
  readonly maxDeposit: bigint
  /** Wei that can be paid for rETH at the block. */
  readonly collateral: bigint
  /** True when the contract's own conversions agree with these figures. */
  readonly proven: boolean
}

/** rETH for ether, rounded down; 0n outside of the limits. */
export function minted(state: RocketState, amount: bigint): bigint {
  const { minDeposit, maxDeposit, depositFee } = state
  if (amount < minDeposit || amount > maxDeposit) return 0n
  return rethFor(state, amount - (amount * depositFee) / wad)
}

/** Ether for rETH, rounded down; 0n where there is not as much. */
export function burnt(state: RocketState, amount: bigint): bigint {
  const paid = etherFor(state, amount)
  return paid > state.collateral ? 0n : paid
}

export function afterMint(state: RocketState, amount: bigint): RocketState {
  if (minted(state, amount) === 0n) return state
  return { ...state, maxDeposit: state.maxDeposit - amount }
}

/** The rate stays: reports of the oracles set it. */
export function afterBurn(state: RocketState, amount: bigint): RocketState {
  return { ...state, collateral: state.collateral - burnt(state, amount) }
}

export function rethFor({ supply, totalEther }: RocketState, ether: bigint): bigint {
  if (supply === 0n) return ether
  return totalEther === 0n ? 0n : (ether * supply) / totalEther
}

export function etherFor({ supply, totalEther }: RocketState, reth: bigint): bigint {
  return supply === 0n ? reth : (reth * totalEther) / supply
}
