/** What Across delivers of an amount: its share, what a fill costs the relayer, and the most that it is given at once. */
import { encodeFunctionData } from 'viem'
import { bpsDenominator, ceilDiv } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import type { BridgeAdapter, Lane, LaneQuote, LaneRefusal } from '../bridge.js'
import { scaleOf } from '../decimals.js'
import { feeAsFilled } from './fills.js'
import type { AcrossSettings } from './settings.js'
import { spokePoolAbi } from './spoke-pool.js'

/** Seconds that a deposit can be filled for; SpokePools take up to 21,600. */
export const fillDeadlineOffset = 18_000

type QuoteArgs = Parameters<BridgeAdapter['quote']>[0]

/** What a deposit leaves to its relayer: delivered is amount * numerator / denominator, rounded down, less the cost. */
interface RelayerTerms {
  readonly numerator: bigint
  readonly denominator: bigint
  /** Raw units of `tokenOut`. */
  readonly cost: bigint
}

/**
 * What relayers have taken of late for about the amount, and what an order of ours costs more; where that is not known, what
 * is configured.
 *
 * @param amountIn - expected, raw units of `tokenIn`.
 * @returns null where the cost of a delivery is not known.
 */
export function relayerTerms(
  settings: AcrossSettings,
  { lane, terms }: Pick<QuoteArgs, 'lane' | 'terms'>,
  amountIn: bigint,
): RelayerTerms | null {
  const { numerator, denominator } = scaleOf(lane)
  const { deliveryCost, plainDeliveryCost } = terms
  const taken = feeAsFilled(lane.history?.fees ?? [], amountIn)
  if (deliveryCost === null) return null
  if (taken !== null && plainDeliveryCost !== null) {
    const more = withMargin(settings, deliveryCost - plainDeliveryCost)
    const scaled = amountIn * numerator
    const left = scaled - taken * denominator
    return {
      // More than all is taken of an amount that is too small.
      numerator: left > 0n ? left : 0n,
      denominator: amountIn * denominator,
      cost: more > 0n ? more : 0n,
    }
  }
  return {
    numerator: (bpsDenominator - settings.feeBps) * numerator,
    denominator: bpsDenominator * denominator,
    cost: withMargin(settings, deliveryCost),
  }
}

/** Of what a fill costs, rounded up. */
function withMargin({ costBps }: AcrossSettings, cost: bigint): bigint {
  return ceilDiv(cost * costBps, bpsDenominator)
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

function tooLittle(
  { lane: { symbol }, amountIn }: Pick<QuoteArgs, 'lane' | 'amountIn'>,
  { numerator, denominator, cost }: RelayerTerms,
): LaneRefusal {
  if (numerator === 0n) {
    return {
      reason: 'too-little',
      message: `Across delivers nothing of so little ${symbol}: relayers have taken more than all of it for a fill.`,
    }
  }
  const limit = ceilDiv((cost + 1n) * denominator, numerator)
  return {
    reason: 'too-little',
    message: `Across delivers nothing of ${amountIn} ${symbol}: the delivery costs ${cost}, so ${limit} raw units are the least.`,
    limit,
  }
}

/** What is delivered of an amount, or why Across cannot take it. */
export async function quoteDeposit(
  settings: AcrossSettings,
  args: QuoteArgs,
): Promise<LaneQuote | LaneRefusal> {
  const { lane, amountIn, reader } = args
  const closed = await whyClosed(lane, reader)
  if (closed) return closed
  const wanted = relayerTerms(settings, args, amountIn)
  if (wanted === null) {
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
  const { numerator, denominator, cost } = wanted
  const delivered = (amountIn * numerator) / denominator - cost
  if (delivered <= 0n) return tooLittle(args, wanted)
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
