/** The slippage of a request that leaves it to be measured. */
import type { CallContext, RouteRequest } from '../../domain/engine.js'
import { compareAmounts } from '../../domain/lists.js'
import { type BlockPin, defaultCentiBps } from '../../domain/primitives.js'
import type { FoundSlippage } from '../../domain/validity.js'
import { filledCount, heldBlocks, lossesAfter, slippageFor } from './losses.js'
import { type Past, type PastOutputs, windowBlocks } from './past-outputs.js'

/** Blocks between a quote and its execution. */
const delays = [1, 2, 3]
/** Blocks for which an answer may be said to hold: half of the window, so that as many quotes show it. */
const mostHeld = 25

/** A request with its slippage. */
export interface Limited {
  readonly request: RouteRequest
  readonly slippage: FoundSlippage
  /** Blocks for which the answer holds; null where that was not measured. */
  readonly held: number | null
  readonly warnings: readonly string[]
}

/**
 * Gives the request the slippage that was enough before its block.
 *
 * @returns null where the request states its limit itself.
 * @throws ForkrouteError as a quote, for what may pass.
 */
export async function limited(
  request: RouteRequest,
  block: BlockPin,
  past: Pick<PastOutputs, 'before'>,
  context: CallContext,
): Promise<Limited | null> {
  const { autoSlippage, ...rest } = request
  if (!autoSlippage) return null
  const found = slippageOf(await past.before(request, block, context), autoSlippage.maxBps)
  const limit = { kind: 'slippage' as const, centiBps: found.slippage.bps * 100n }
  return { request: { ...rest, limit }, ...found }
}

/** @param maxBps - the most that it may be. */
export function slippageOf(past: Past, maxBps: bigint): Omit<Limited, 'request'> {
  const { from, to, outputs } = past
  const losses = outputs
    ? delays.flatMap((delay) => lossesAfter(outputs, delay)).sort(compareAmounts)
    : []
  if (!outputs || !losses.length) return unmeasured(maxBps)
  const needed = slippageFor(losses)
  const bps = needed < maxBps ? needed : maxBps
  const filledShare = Math.floor((filledCount(losses, bps) / losses.length) * 10_000) / 10_000
  const held = heldBlocks(outputs, bps, mostHeld)
  return {
    slippage: {
      bps,
      maxBps,
      source: 'measured',
      blocks: { from, to },
      samples: losses.length,
      filledShare,
    },
    held,
    warnings: [
      ...(bps < needed
        ? [
            `maxSlippage ${maxBps} would have filled ${percent(filledShare)} of the quotes of the blocks ${from} to ${to}, and 99.5 % need ${needed > 10_000n ? 'more than any slippage' : `${needed} basis points`}.`,
          ]
        : []),
      ...(held === 0
        ? ['Not even for one block have 99.5 % of the quotes before this block held.']
        : []),
    ],
  }
}

function unmeasured(maxBps: bigint): Omit<Limited, 'request'> {
  const usual = defaultCentiBps / 100n
  const bps = usual < maxBps ? usual : maxBps
  return {
    slippage: { bps, maxBps, source: 'default', blocks: null, samples: 0, filledShare: null },
    held: null,
    warnings: [
      `The slippage could not be measured, since the ${windowBlocks} blocks before or the pair in them cannot be read here: it is ${bps} basis points.`,
    ],
  }
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100} %`
}
