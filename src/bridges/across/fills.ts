/**
 * What Across's relayers have filled deposits for, and how fast, by the events of both chains. No contract says what they
 * want, but what they took shows it. Pure.
 */
import type { LaneHistory, LaneSeconds } from '../../domain/bridges/lane-history.js'
import { compareAmounts } from '../../domain/lists.js'
import { ceilDiv } from '../../domain/primitives.js'
import type { Lane, PastDelivery, PastDeposit } from '../bridge.js'
import { scaleOf } from '../decimals.js'

/** Deposits without a message that are to be known of a lane before its fees are told from them. */
const leastFills = 200
/** Of all deposits at a fee and above it, this part must have been filled. */
const filledPart = 0.95
/** Of the fills that tell a fee, this part may have taken less: some relayers fill at a loss, such as their own deposits. */
const belowPart = 0.1
/** Deposits that nothing fills raise the fee no further: whoever relays could make some that nobody can fill. */
const mostRaised = 1.25
/** What the amount does not change, as parts of the fee that are tried: of 1 to 10,000 up to 10,000 to 1. */
const gasParts = Array.from({ length: 33 }, (_, index) => 1 / (1 + 10 ** ((index - 16) / 4)))
/** Of what is enough, since gas prices and relayers move. */
const marginPercent = 110n
/** Deposits of the nearest amounts, by which a fee is told. */
const nearest = 200
/** Fees are told for so many amounts. */
const mostAmounts = 12
/** A deposit that is older when the events end, and that nothing has filled, was not wanted. Seconds. */
const waitedFor = 1_800
/** Above so many times the largest amount that is known, fees of smaller ones tell nothing. */
const mostTimes = 4n
/** The newest deliveries, by which the time is told, and how many that must be. */
const timedDeliveries = { most: 200, least: 20 }

interface Offer {
  /** Raw units of `tokenIn`. */
  readonly amount: bigint
  /** Raw units of `tokenOut` that were left to the relayer and to those who lend to it. */
  readonly fee: bigint
  readonly isFilled: boolean
}

/** @param until - unix seconds up to which all deliveries are known. */
export function laneHistory(
  lane: Lane,
  deposits: readonly PastDeposit[],
  deliveries: readonly PastDelivery[],
  until: number,
): LaneHistory {
  const byId = new Map(deliveries.map((one) => [one.id, one]))
  const plain = deposits.filter(
    ({ tokenIn, tokenOut, amountIn, hasMessage }) =>
      tokenIn === lane.tokenIn && tokenOut === lane.tokenOut && amountIn > 0n && !hasMessage,
  )
  const { numerator, denominator } = scaleOf(lane)
  const offers = plain.flatMap(({ id, at, amountIn, amountOut }): Offer[] => {
    const delivery = byId.get(id)
    if (!delivery && at > until - waitedFor) return []
    // The depositor may have agreed to less than was deposited for.
    const fee = (amountIn * numerator) / denominator - (delivery?.amountOut ?? amountOut)
    return [{ amount: amountIn, fee: fee > 0n ? fee : 0n, isFilled: delivery !== undefined }]
  })
  return { fees: feesOf(offers), seconds: secondsOf(plain, byId) }
}

/** By amounts that lie evenly among those of the fills; the least fee that such an amount was surely filled for. */
function feesOf(offers: readonly Offer[]): LaneHistory['fees'] {
  const fills = offers.filter(({ isFilled }) => isFilled)
  if (fills.length < leastFills) return []
  const amounts = fills.map(({ amount }) => amount).toSorted(compareAmounts)
  const count = Math.min(mostAmounts, amounts.length)
  const chosen = Array.from({ length: count }, (_, index) =>
    amounts.at(Math.round((index * (amounts.length - 1)) / Math.max(1, count - 1))),
  )
  const distinct = [...new Set(chosen)].filter((amount) => amount !== undefined)
  return distinct.map((amount) => ({ amount, fee: feeFor(amount, offers) }))
}

/**
 * A relayer wants some gas and a share of the amount. Among lines of that form, the tightest below nearly all fills of
 * about the amount says in which proportion; what was filled and what was not says how much of it is enough.
 */
function feeFor(amount: bigint, offers: readonly Offer[]): bigint {
  const near = nearestTo(amount, offers)
  const points = near.map((one) => ({
    size: Number(one.amount) / Number(amount),
    fee: Number(one.fee),
    isFilled: one.isFilled,
  }))
  const lines = gasParts.map((gasPart) => {
    const told = points
      .map(({ size, fee, isFilled }) => ({ fee: fee / (gasPart + (1 - gasPart) * size), isFilled }))
      .toSorted((a, b) => a.fee - b.fee)
    // Who fills for nothing fills what is its own.
    const enough = told.flatMap(({ fee, isFilled }) => (isFilled && fee > 0 ? [fee] : []))
    const low = enough[Math.floor((enough.length - 1) * belowPart)] ?? 0
    return { told, low, looseness: loosenessOf(enough, low) }
  })
  const [best] = lines.toSorted((a, b) => a.looseness - b.looseness)
  if (!best) return 0n
  const fee = Math.max(best.low, Math.min(leastFilledFee(best.told), best.low * mostRaised))
  return ceilDiv(BigInt(Math.ceil(fee)) * marginPercent, 100n)
}

/** How far fees lie from the line, where those below count as many times more as they are to be fewer. */
function loosenessOf(fees: readonly number[], low: number): number {
  if (low <= 0) return Number.POSITIVE_INFINITY
  return fees.reduce((sum, fee) => {
    const distance = fee / low - 1
    return sum + (distance < 0 ? (belowPart - 1) * distance : belowPart * distance)
  }, 0)
}

function nearestTo(amount: bigint, offers: readonly Offer[]): readonly Offer[] {
  const target = Number(amount)
  return offers
    .map((offer) => ({ offer, distance: Math.abs(Math.log(Number(offer.amount) / target)) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, nearest)
    .map(({ offer }) => offer)
}

/**
 * The least fee from which on nearly all were filled, where a higher fee is filled no less often: the shares of groups of
 * neighbours are levelled until they rise (pool adjacent violators).
 */
function leastFilledFee(
  told: readonly { readonly fee: number; readonly isFilled: boolean }[],
): number {
  const groups: { readonly fee: number; readonly filled: number; readonly count: number }[] = []
  for (const { fee, isFilled } of told) {
    groups.push({ fee, filled: Number(isFilled), count: 1 })
    for (;;) {
      const [before, last] = [groups.at(-2), groups.at(-1)]
      if (!before || !last || before.filled * last.count < last.filled * before.count) break
      const filled = before.filled + last.filled
      groups.splice(-2, 2, { fee: before.fee, filled, count: before.count + last.count })
    }
  }
  const enough = groups.find(({ filled, count }) => filled >= count * filledPart)
  // Where not even the dearest were filled, the dearest is what is known to be too little.
  return enough?.fee ?? told.at(-1)?.fee ?? 0
}

function secondsOf(
  deposits: readonly PastDeposit[],
  byId: ReadonlyMap<string, PastDelivery>,
): LaneSeconds | null {
  const taken = deposits
    .flatMap(({ id, at }) => {
      const delivery = byId.get(id)
      return delivery ? [{ at, seconds: Math.max(0, delivery.at - at) }] : []
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, timedDeliveries.most)
    .map(({ seconds }) => seconds)
    .toSorted((a, b) => a - b)
  if (taken.length < timedDeliveries.least) return null
  const part = (percent: number) => taken[Math.floor(((taken.length - 1) * percent) / 100)] ?? 0
  return { median: part(50), p90: part(90), count: taken.length }
}

/**
 * What relayers want of a deposit of this amount without a message, raw units of `tokenOut`; null where it is not known.
 * Between two amounts that are known it is in proportion, below them that of the least, above them the share of the largest.
 */
export function feeAsFilled(fees: LaneHistory['fees'], amount: bigint): bigint | null {
  const above = fees.findIndex((one) => one.amount >= amount)
  const next = fees[above]
  const before = above < 0 ? fees.at(-1) : fees[above - 1]
  if (!next) {
    if (!before || amount > before.amount * mostTimes) return null
    return ceilDiv(before.fee * amount, before.amount)
  }
  if (!before) return next.fee
  const width = next.amount - before.amount
  const rise = (next.fee - before.fee) * (amount - before.amount)
  return before.fee + (rise > 0n ? ceilDiv(rise, width) : rise / width)
}
