/** What PT, YT, SY and shares are worth in other tokens, and whose word that is. */
import type { Address } from '../../domain/primitives.js'
import type { Pool } from '../pool.js'
import type { Holdings } from '../positions.js'
import type { EndorsementArgs } from '../protocol.js'
import { readWord } from '../shared/read-word.js'
import { isYt } from './abi.js'
import { assetToSy, divDown, impliedRate, isExpired, type MarketState } from './market-math.js'
import { yieldFactoriesOf } from './pools.js'
import type { PendleState, YieldState } from './state.js'

/** Raw units whose worth is told to the unit. */
const shares = 10n ** 24n
const one = 10n ** 18n

/**
 * A PT at the last implied yield of its market, a YT the rest of the asset that both give, a share its part of the market, and an
 * SY what its preview pays for it. Null where the pool does not say it.
 */
export function holdings(pool: Pool, state: PendleState, token: Address): Holdings | null {
  const { address, tokens } = pool
  const [first, sy, yt] = tokens
  if (!first || !sy) return null
  if (state.kind === 'market') {
    if (token === address) return liquidity(state, [first, sy])
    return token === first || token === yt ? half(state, token === first, sy) : null
  }
  if (state.kind === 'redemption') {
    return token === first && state.supply > 0n
      ? { shares, amounts: [{ token: sy, amount: assetToSy(state.index, shares) }] }
      : null
  }
  return token === address ? standardized(state, first) : null
}

/** Null once it has expired: its redemption tells then. */
function half(state: MarketState, isPrincipal: boolean, sy: Address): Holdings | null {
  if (isExpired(state) || state.totalPt === 0n || state.totalSy === 0n) return null
  const principal = divDown(shares, impliedRate(state, state.lastLnImpliedRate))
  const asset = isPrincipal ? principal : shares - principal
  if (asset <= 0n) return null
  return {
    shares,
    amounts: [{ token: sy, amount: assetToSy(state.index, asset) }],
    depth: [{ token: sy, amount: state.totalSy }],
  }
}

function liquidity(
  { totalPt, totalSy, totalLp }: MarketState,
  [pt, sy]: readonly [Address, Address],
): Holdings | null {
  if (totalLp === 0n) return null
  const amounts = [
    { token: pt, amount: totalPt },
    { token: sy, amount: totalSy },
  ]
  return { shares: totalLp, amounts }
}

function standardized({ supply, redeem }: YieldState, token: Address): Holdings | null {
  if (!redeem || supply === 0n) return null
  const { numerator, denominator } = redeem
  return { shares: denominator * one, amounts: [{ token, amount: numerator * one }] }
}

/**
 * A market is loaded only where a factory has made it, and so is the YT that redeems. Anybody may have written an SY: it is believed
 * where somebody names it.
 */
export async function isEndorsed({
  reader,
  venue,
  pool,
  isNamed,
}: EndorsementArgs): Promise<boolean> {
  const { kind } = pool.parameters
  const [, sy] = pool.tokens
  if (kind === 'market') return true
  if (kind === 'yield') return sy !== undefined && isNamed(sy)
  const answers = await reader.call(
    yieldFactoriesOf(venue).map((to) => ({ to, data: isYt(pool.address) })),
  )
  return answers.some((answer) => readWord(answer) === 1n)
}
