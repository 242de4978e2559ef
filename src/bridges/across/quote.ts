/** What Across delivers of an amount: its share, what a fill costs the relayer, and the most that it is given at once. */
import { encodeFunctionData } from 'viem'
import { bpsDenominator } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { BridgeAdapter, DeliveryTerms, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { scaleOf } from '../decimals.js'
import type { AcrossSettings } from './settings.js'
import { spokePoolAbi } from './spoke-pool.js'

/** Seconds that a deposit can be filled for; SpokePools take up to 21,600. */
export const fillDeadlineOffset = 18_000

type QuoteArgs = Parameters<BridgeAdapter['quote']>[0]

/** What is delivered of an amount, before costs: amount * numerator / denominator, rounded down. */
export function shareOf(
  settings: AcrossSettings,
  lane: Lane,
): { numerator: bigint; denominator: bigint } {
  const { numerator, denominator } = scaleOf(lane)
  return {
    numerator: (bpsDenominator - settings.feeBps) * numerator,
    denominator: bpsDenominator * denominator,
  }
}

/** Raw units of `tokenOut` that stay with the relayer for the fill, rounded up. */
export function costOf(settings: AcrossSettings, { deliveryCost }: DeliveryTerms): bigint | null {
  if (deliveryCost === null) return null
  return (deliveryCost * settings.costBps + bpsDenominator - 1n) / bpsDenominator
}

/** Raw units that are worth what one deposit may be. */
function maximumAt(
  maxUsd: number,
  price: Awaited<ReturnType<QuoteArgs['priceOf']>>,
): bigint | null {
  if (!price || price.priceUsd <= 0) return null
  const scale = 10 ** Math.min(price.decimals, 9)
  const whole = BigInt(Math.floor((maxUsd / price.priceUsd) * scale))
  return (whole * 10n ** BigInt(price.decimals)) / BigInt(scale)
}

/** Why the SpokePool takes no deposit at the block; null: it does. */
async function whyClosed(lane: Lane, reader: StateReader): Promise<LaneRefusal | null> {
  const data = encodeFunctionData({ abi: spokePoolAbi, functionName: 'pausedDeposits' })
  const [paused] = await reader.call([{ to: lane.primary, data }])
  if (!paused?.ok || paused.value === '0x') {
    const why = paused?.ok === false ? paused.message : 'there is no contract'
    return {
      reason: 'unreadable',
      message: `The SpokePool ${lane.primary} cannot be read: ${why}.`,
    }
  }
  if (BigInt(paused.value) !== 0n) {
    return { reason: 'paused', message: 'Across takes no deposits on the source chain: paused.' }
  }
  return null
}

/** Raw units that one deposit may be; null: any number; a refusal where that is limited and no price is known. */
async function maximumOf(
  { maxUsd }: AcrossSettings,
  { lane, priceOf }: QuoteArgs,
): Promise<bigint | LaneRefusal | null> {
  if (maxUsd === null) return null
  const maximum = maximumAt(maxUsd, await priceOf(lane.tokenIn))
  if (maximum !== null) return maximum
  return {
    reason: 'unreadable',
    message: `ACROSS_MAX_USD limits what Across is given, and ${lane.symbol} has no price at this block.`,
  }
}

/** What is delivered of an amount, or why Across cannot take it. */
export async function quoteDeposit(
  settings: AcrossSettings,
  args: QuoteArgs,
): Promise<LaneQuote | LaneRefusal> {
  const { lane, terms, amountIn, reader } = args
  const closed = await whyClosed(lane, reader)
  if (closed) return closed
  const cost = costOf(settings, terms)
  if (cost === null) {
    return {
      reason: 'unreadable',
      message: `What a delivery costs in ${lane.symbol} is not known: a price is missing.`,
    }
  }
  const maximum = await maximumOf(settings, args)
  if (maximum !== null && typeof maximum !== 'bigint') return maximum
  if (maximum !== null && amountIn > maximum) {
    return {
      reason: 'too-much',
      message: `ACROSS_MAX_USD lets Across have ${maximum} raw units of ${lane.symbol} at once, and ${amountIn} is more.`,
      limit: maximum,
    }
  }
  const { numerator, denominator } = shareOf(settings, lane)
  const delivered = (amountIn * numerator) / denominator - cost
  if (delivered <= 0n) {
    const limit = ((cost + 1n) * denominator + numerator - 1n) / numerator
    return {
      reason: 'too-little',
      message: `Across delivers nothing of ${amountIn} ${lane.symbol}: the delivery costs ${cost}, so ${limit} raw units are the least.`,
      limit,
    }
  }
  return {
    delivered,
    nativeFee: 0n,
    maximum,
    unit: 1n,
    warnings: [
      `No chain state tells whether a relayer of Across has the ${lane.symbol} and takes the fee. Without one, the deposit is paid back to the sender on the source chain after ${fillDeadlineOffset / 3_600} hours.`,
    ],
  }
}
