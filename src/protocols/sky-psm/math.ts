/**
 * Sky's Lite-PSM: its gem, USDC, against DAI at par, less a fee. It pays what it holds, and no more. Pure.
 *
 * @see makerdao/dss-lite-psm dbf0022, src/DssLitePsm.sol, _sellGem and _buyGem
 * @see makerdao/usds-wrappers c2eb5de, src/UsdsPsmWrapper.sol, which sells and buys there for USDS at the same terms
 */

export interface PsmState {
  /** Raw units of DAI for one raw unit of the gem. */
  readonly factor: bigint
  /** Fees on selling and on buying the gem, in 1e18; null: halted. */
  readonly tin: bigint | null
  readonly tout: bigint | null
  /** Raw units of DAI that it holds, and of the gem that its pocket holds. */
  readonly dai: bigint
  readonly gems: bigint
}

interface Outcome {
  readonly amountOut: bigint
  readonly after: PsmState
}

export const wad = 10n ** 18n

/**
 * The gem for DAI, the fee rounded down.
 *
 * @param gems - raw units, > 0.
 * @returns null where it sells nothing, or holds less DAI.
 */
export function sellGem(state: PsmState, gems: bigint): Outcome | null {
  const { factor, tin, dai } = state
  if (tin === null) return null
  const worth = gems * factor
  const amountOut = worth - (worth * tin) / wad
  if (amountOut > dai) return null
  return { amountOut, after: { ...state, dai: dai - amountOut, gems: state.gems + gems } }
}

/**
 * DAI for the gem. The contract is told how much of the gem to pay, and takes what that costs: here as much as the DAI
 * is enough for, rounded down, so less than a raw unit's worth of DAI is left.
 *
 * @param dai - raw units, > 0.
 * @returns null where it buys nothing, or its pocket holds less.
 */
export function buyGem(state: PsmState, dai: bigint): Outcome | null {
  const { tout, gems } = state
  if (tout === null) return null
  const { cost, gem } = buyingRatio(state.factor, tout)
  const amountOut = (dai * gem) / cost
  if (amountOut > gems) return null
  const paid = (amountOut * cost) / gem
  return { amountOut, after: { ...state, dai: state.dai + paid, gems: gems - amountOut } }
}

/** So much DAI buys so much of the gem, fee included: the contract's own rounding of the fee, where both are rounded down. */
export function buyingRatio(
  factor: bigint,
  tout: bigint,
): { readonly cost: bigint; readonly gem: bigint } {
  return { cost: factor * (wad + tout), gem: wad }
}
