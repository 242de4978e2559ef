/**
 * Results of deposits into and redemptions from a vault. Pure.
 * Plain vaults convert by their two totals, most of them with virtual shares and assets added. Aave's static tokens
 * convert by a rate alone. Any other vault is known only by its answers to single previews.
 */
import { maxUint256 } from '../../domain/primitives.js'

interface Limits {
  /** Raw units of the asset that the vault takes at most. */
  readonly maxDeposit: bigint
  /** Raw units of the share that exist. */
  readonly totalSupply: bigint
  /** Whether shares are redeemed after a cooldown only, so not in one transaction. */
  readonly isLocked: boolean
}

/** Converts by totals, proven by the vault's own previews. Structured-clonable. */
export interface PlainVault extends Limits {
  readonly kind: 'plain'
  readonly totalAssets: bigint
  /** 10^offset and 1 in vaults of OpenZeppelin 4.9 and later, both 0 in older ones and in others. */
  readonly virtualShares: bigint
  readonly virtualAssets: bigint
}

/** Converts by a rate alone, proven by the vault's own previews. */
export interface RatedVault extends Limits {
  readonly kind: 'rated'
  /** Assets of 10^27 shares. */
  readonly rate: bigint
}

/** One preview of each direction; 0 out: the vault refused it. */
export interface SampledVault extends Limits {
  readonly kind: 'sampled'
  readonly deposit: Sample
  readonly redeem: Sample
}

export interface Sample {
  /** Raw units, > 0. */
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export type VaultState = PlainVault | RatedVault | SampledVault

/** One share, as rates of Aave count. */
export const ray = 10n ** 27n

/**
 * Shares for assets, fee and limits included.
 *
 * @param assets - raw units, > 0.
 * @returns raw units of the share, rounded down; 0n where the vault takes no such deposit.
 * @see OpenZeppelin/openzeppelin-contracts 5.7.0, contracts/token/ERC20/extensions/ERC4626.sol, _convertToShares
 * @see transmissions11/solmate, src/tokens/ERC4626.sol, convertToShares
 * @see aave-dao/aave-v3-origin fd1fbd9, src/contracts/extensions/stata-token/ERC4626StataTokenUpgradeable.sol
 */
export function sharesFor(state: VaultState, assets: bigint): bigint {
  if (assets <= 0n || assets > state.maxDeposit) return 0n
  const shares = conversion(state, assets)
  return state.totalSupply + shares > maxUint256 ? 0n : shares
}

/**
 * Assets for shares, fee and limits included.
 *
 * @param shares - raw units, > 0.
 * @returns raw units of the asset, rounded down; 0n where there are not as many shares, or in a cooldown.
 */
export function assetsFor(state: VaultState, shares: bigint): bigint {
  if (shares <= 0n || shares > state.totalSupply || state.isLocked) return 0n
  if (state.kind === 'rated') return ratedAssets(state, shares)
  return state.kind === 'plain' ? plainAssets(state, shares) : proportional(state.redeem, shares)
}

function conversion(state: VaultState, assets: bigint): bigint {
  if (state.kind === 'rated') return ratedShares(state, assets)
  return state.kind === 'plain' ? plainShares(state, assets) : proportional(state.deposit, assets)
}

/**
 * Shares and the assets that they are redeemed for, fee included, both with all their digits.
 *
 * @returns null where there are no shares, or the vault does not say.
 */
export function worthOf(
  state: VaultState,
): { readonly shares: bigint; readonly assets: bigint } | null {
  if (state.totalSupply === 0n) return null
  if (state.kind === 'rated') return { shares: ray, assets: state.rate }
  if (state.kind === 'plain') {
    const { totalSupply, totalAssets, virtualShares, virtualAssets } = state
    return { shares: totalSupply + virtualShares, assets: totalAssets + virtualAssets }
  }
  const { amountIn, amountOut } = state.redeem
  return amountOut === 0n ? null : { shares: amountIn, assets: amountOut }
}

/** The vault after a deposit of these assets. */
export function afterDeposit(state: VaultState, assets: bigint): VaultState {
  const shares = sharesFor(state, assets)
  if (shares === 0n) return state
  const { maxDeposit } = state
  return {
    ...state,
    ...(state.kind === 'plain' && { totalAssets: state.totalAssets + assets }),
    totalSupply: state.totalSupply + shares,
    maxDeposit: maxDeposit === maxUint256 ? maxDeposit : maxDeposit - assets,
  }
}

/** The vault after these shares were redeemed; a cap on deposits stays as it was. */
export function afterRedeem(state: VaultState, shares: bigint): VaultState {
  const assets = assetsFor(state, shares)
  if (assets === 0n) return state
  return {
    ...state,
    ...(state.kind === 'plain' && { totalAssets: state.totalAssets - assets }),
    totalSupply: state.totalSupply - shares,
  }
}

/** Conversion alone, without limits: what `previewDeposit` of a plain vault answers. */
export function plainShares(vault: PlainVault, assets: bigint): bigint {
  const { totalAssets, totalSupply, virtualShares, virtualAssets } = vault
  if (virtualShares === 0n && totalSupply === 0n) return assets
  const held = totalAssets + virtualAssets
  return held === 0n ? 0n : (assets * (totalSupply + virtualShares)) / held
}

/** Conversion alone, without limits: what `previewRedeem` of a plain vault answers. */
export function plainAssets(vault: PlainVault, shares: bigint): bigint {
  const { totalAssets, totalSupply, virtualShares, virtualAssets } = vault
  const issued = totalSupply + virtualShares
  return issued === 0n ? shares : (shares * (totalAssets + virtualAssets)) / issued
}

/** Conversion alone, without limits: what `previewDeposit` of a vault with a rate answers. */
export function ratedShares({ rate }: RatedVault, assets: bigint): bigint {
  return (assets * ray) / rate
}

/** Conversion alone, without limits: what `previewRedeem` of a vault with a rate answers. */
export function ratedAssets({ rate }: RatedVault, shares: bigint): bigint {
  return (shares * rate) / ray
}

/** Fees and rates of vaults are proportions, so that one large answer gives the others but for rounding. */
function proportional({ amountIn, amountOut }: Sample, amount: bigint): bigint {
  return (amount * amountOut) / amountIn
}
