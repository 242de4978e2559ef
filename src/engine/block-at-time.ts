/** The block of a moment, by few headers: timestamps grow nearly evenly, so where one lies can be guessed. */
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'

/**
 * The newest block whose timestamp is not after the given one; the head, when that is in the future. Blocks may share
 * a timestamp. Reads as many headers as halving would at most twice, and a handful where blocks come evenly.
 *
 * @param timestamp - unix seconds.
 * @param blockTimeSeconds - of the chain today: only a hint.
 * @throws ForkrouteError UNKNOWN_BLOCK when the chain began later; what `header` throws.
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
  // Always: before.timestamp <= timestamp < after.timestamp.
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
    // A guess that has left more than half shows that blocks do not come evenly here.
    guess = before.number + (left * 2n > width ? left / 2n : interpolated(before, after, timestamp))
  }
  return before
}

/** Blocks after `before` at which the moment would lie if the blocks between came evenly. */
function interpolated(before: BlockPin, after: BlockPin, timestamp: bigint): bigint {
  const blocks = after.number - before.number
  return ((timestamp - before.timestamp) * blocks) / (after.timestamp - before.timestamp)
}

function clamp(value: bigint, least: bigint, most: bigint): bigint {
  if (value < least) return least
  return value > most ? most : value
}
