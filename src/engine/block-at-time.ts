/** Finds the block at a given time with few header reads: block times are nearly even, so it can be estimated. */
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'

/**
 * The newest block whose timestamp is not after the given one; the head when that time is in the future. Blocks may
 * share a timestamp. Reads at most twice as many headers as bisection, and only a few where blocks are evenly spaced.
 *
 * @param timestamp - unix seconds.
 * @param blockTimeSeconds - the chain's present block time: only a hint.
 * @throws ForkrouteError UNKNOWN_BLOCK when the chain began later; also whatever `header` throws.
 */
export async function findBlockAtTime(args: {
  readonly head: BlockPin
  readonly timestamp: bigint
  readonly blockTimeSeconds: number
  header(number: bigint): Promise<BlockPin>
}): Promise<BlockPin> {
  const { head, timestamp, header } = args
  if (timestamp >= head.timestamp) return head
  const first = await header(0n)
  if (timestamp < first.timestamp) {
    throw new ForkrouteError(
      'UNKNOWN_BLOCK',
      `Chain ${head.chainId} had no block at ${timestamp} (unix seconds): its first is of ${first.timestamp}.`,
      { chainId: head.chainId, timestamp: timestamp.toString() },
    )
  }
  // Invariant: before.timestamp <= timestamp < after.timestamp.
  let before = first
  let after = head
  const sinceThen = Number(head.timestamp - timestamp)
  let guess = head.number - BigInt(Math.ceil(sinceThen / Math.max(args.blockTimeSeconds, 0.01)))
  while (after.number - before.number > 1n) {
    const width = after.number - before.number
    const block = await header(clamp(guess, before.number + 1n, after.number - 1n))
    if (block.timestamp <= timestamp) before = block
    else after = block
    const left = after.number - before.number
    // An estimate that did not halve the range means that blocks are not evenly spaced here: bisect.
    guess = before.number + (left * 2n > width ? left / 2n : interpolated(before, after, timestamp))
  }
  return before
}

/** How many blocks after `before` the timestamp falls if the blocks up to `after` are evenly spaced. */
function interpolated(before: BlockPin, after: BlockPin, timestamp: bigint): bigint {
  const blocks = after.number - before.number
  return ((timestamp - before.timestamp) * blocks) / (after.timestamp - before.timestamp)
}

function clamp(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least) return least
  return value > most ? most : value
}
