/**
 * What a transaction would have lost between a quote and its execution some blocks later. The folder owns slippage that
 * is measured: what one transaction gives at past blocks (`past-outputs.ts`), at which of them events spare an execution
 * (`quiet-blocks.ts`), which windows are measured before anybody asks (`kept-ahead.ts`), the losses between outputs (here),
 * and the slippage and the warnings that follow for a request (`auto-slippage.ts`). In: a request and its block. Out: the request
 * with a slippage, and how that was found. Errors: those of a quote that may pass; any other becomes the default slippage.
 */
import { compareAmounts, larger } from '../../domain/lists.js'
import { bpsDenominator } from '../../domain/primitives.js'

/** What a transaction gave at one block: raw units of each token that comes out. `unknown`: its state is not there. */
export type BlockOutput = readonly bigint[] | 'reverted' | 'unknown'

/** Above every slippage: what reverts fills with none. */
const never = bpsDenominator + 1n

/** Nearly all: this share of past quotes must fill, in thousandths. */
const thousandthsToFill = 995

/** The least slippage, whole basis points, for which the minimum of `before` is at most `after`. */
function leastBps(before: bigint, after: bigint): bigint {
  if (after >= before || before === 0n) return 0n
  return (bpsDenominator * (before - after - 1n)) / before + 1n
}

/** The least slippage with which all outputs fill; `never` where the transaction reverts. */
function neededBps(before: readonly bigint[], after: readonly bigint[] | 'reverted'): bigint {
  if (after === 'reverted') return never
  return before.reduce(
    (most, amount, index) => larger(most, leastBps(amount, after[index] ?? 0n)),
    0n,
  )
}

/**
 * What each quote needs to fill so many blocks later, basis points, ascending. Blocks at which there was no quote, and
 * those whose state is not there, count for nothing.
 *
 * @param outputs - at consecutive blocks.
 * @param delay - in blocks, from 1.
 */
export function lossesAfter(outputs: readonly BlockOutput[], delay: number): bigint[] {
  return outputs
    .flatMap((before, index) => {
      const after = outputs[index + delay]
      if (before === 'reverted' || before === 'unknown') return []
      if (after === undefined || after === 'unknown') return []
      return [neededBps(before, after)]
    })
    .sort(compareAmounts)
}

/** The least slippage with which nearly all of them fill: at least one basis point. @param losses - ascending, not empty. */
export function slippageFor(losses: readonly bigint[]): bigint {
  return larger(1n, losses[leastToFill(losses.length) - 1] ?? 0n)
}

export function filledCount(losses: readonly bigint[], bps: bigint): number {
  return losses.filter((needed) => needed <= bps).length
}

/**
 * For how many blocks on nearly all quotes still fill with this slippage; 0: not even for one.
 *
 * @param mostBlocks - of which there are losses.
 */
export function heldBlocks(
  outputs: readonly BlockOutput[],
  bps: bigint,
  mostBlocks: number,
): number {
  for (let delay = 1; delay <= mostBlocks; delay += 1) {
    const losses = lossesAfter(outputs, delay)
    if (!losses.length || filledCount(losses, bps) < leastToFill(losses.length)) return delay - 1
  }
  return mostBlocks
}

function leastToFill(count: number): number {
  return Math.ceil((count * thousandthsToFill) / 1_000)
}
