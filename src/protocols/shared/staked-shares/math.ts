/**
 * Shares and ether of stETH, and of eETH, which counts likewise. Balances of stETH are shares times a rate, rounded down, so every transfer may lose a
 * unit or two; wstETH is shares themselves. Pure.
 * @see lidofinance/core, contracts/0.4.24/StETH.sol and contracts/0.6.12/WstETH.sol
 * @see etherfi-protocol/smart-contracts 010bd4b, src/LiquidityPool.sol; 00d9e30, src/EETH.sol and src/WeETH.sol
 */

/** Structured-clonable. */
export interface StakedState {
  /** Wei that the shares below stand for, without what external vaults back. */
  readonly pooledEther: bigint
  readonly shares: bigint
  /** Wei that can be staked at the block; 0n: staking is paused. */
  readonly stakeLimit: bigint
  /** True when the contract's own conversions agree with these figures. */
  readonly proven: boolean
}

/** Shares that an amount of stETH stands for, rounded down. */
export function sharesByPooledEth({ pooledEther, shares }: StakedState, amount: bigint): bigint {
  return pooledEther === 0n ? 0n : (amount * shares) / pooledEther
}

/** stETH that shares stand for, rounded down. */
export function pooledEthByShares({ pooledEther, shares }: StakedState, amount: bigint): bigint {
  return shares === 0n ? 0n : (amount * pooledEther) / shares
}

/** What an account without stETH holds after it was sent this much. */
function received(state: StakedState, amount: bigint): bigint {
  return pooledEthByShares(state, sharesByPooledEth(state, amount))
}

/**
 * wstETH for stETH. The Executor was sent `amount`, and wraps what it holds of it then.
 *
 * @returns raw units, exact for an Executor that held no stETH before.
 */
export function wrapped(state: StakedState, amount: bigint): bigint {
  return sharesByPooledEth(state, received(state, amount))
}

/** stETH for wstETH, as an account without stETH holds it; one that has some may gain a wei more. */
export function unwrapped(state: StakedState, amount: bigint): bigint {
  return received(state, pooledEthByShares(state, amount))
}

/** stETH for ether, as an account without stETH holds it then; 0n above the limit. */
export function staked(state: StakedState, amount: bigint): bigint {
  return pooledEthByShares(afterStaking(state, amount), mintedShares(state, amount))
}

/** The state after ether was staked. */
export function afterStaking(state: StakedState, amount: bigint): StakedState {
  const minted = mintedShares(state, amount)
  if (minted === 0n) return state
  return {
    ...state,
    pooledEther: state.pooledEther + amount,
    shares: state.shares + minted,
    stakeLimit: state.stakeLimit - amount,
  }
}

function mintedShares(state: StakedState, amount: bigint): bigint {
  return amount > state.stakeLimit ? 0n : sharesByPooledEth(state, amount)
}
