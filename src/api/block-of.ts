/** Resolves the block that a caller named. */
import type { BlockTag } from '../domain/block-tag.js'
import { unknownBlock } from '../domain/common-errors.js'
import type { CallContext, Engine } from '../domain/engine.js'
import type { BlockPin } from '../domain/primitives.js'

/** @throws ForkrouteError UNKNOWN_BLOCK, and what `Engine.block` throws. */
export async function blockOf(
  engine: Pick<Engine, 'block' | 'blockAtTime'>,
  chainId: number,
  tag: BlockTag,
  context: CallContext,
): Promise<BlockPin> {
  if (tag.kind === 'time') return engine.blockAtTime(chainId, tag.timestamp, context)
  if (tag.kind === 'number') return engine.block(chainId, tag.number, context)
  const head = await engine.block(chainId, 'latest', context)
  if (tag.back === 0n) return head
  if (tag.back <= head.number) return engine.block(chainId, head.number - tag.back, context)
  throw unknownBlock(
    { chainId, number: head.number },
    `Chain ${chainId} has no block ${tag.back} below its newest, which is ${head.number}.`,
  )
}
