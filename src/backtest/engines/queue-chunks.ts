/** Divides a job's blocks into chunks, and encodes and decodes their ids. Pure. */
import { chunksOf, compareAmounts } from '../../domain/lists.js'

/** Neighbours share forks; more of them in a chunk would leave workers idle at the end of a job. */
const maxBlocksPerChunk = 4
/** A small job is divided into at least this many, so that every worker gets a part. */
const minChunks = 16

/** @param blocks - of the whole job. */
export function blocksPerChunkOf(blocks: number): number {
  return Math.min(maxBlocksPerChunk, Math.ceil(blocks / minChunks))
}

/** Id of a chunk, so that adding it twice adds it once. */
export function chunkId(job: string, blocks: readonly bigint[]): string {
  return `${job}.${blocks[0]}.${blocks.at(-1)}`
}

/** The blocks that a chunk stands for: those of its job within its ends. Null: a chunk of another job. */
export function rangeOf(job: string, id: string): { first: bigint; last: bigint } | null {
  const [owner, first, last] = id.split('.')
  if (owner !== job || !/^\d+$/.test(first ?? '') || !/^\d+$/.test(last ?? '')) return null
  return { first: BigInt(first ?? 0), last: BigInt(last ?? 0) }
}

/**
 * The blocks in chunks of neighbours, in order.
 * @param held - ranges that no chunk may enclose, because their blocks are held already.
 */
export function divideBlocks(
  blocks: readonly bigint[],
  held: readonly { readonly first: bigint }[],
  blocksPerChunk: number,
): bigint[][] {
  const stretches: bigint[][] = []
  for (const block of blocks.toSorted(compareAmounts)) {
    const stretch = stretches.at(-1)
    const before = stretch?.at(-1)
    const isJoined =
      before !== undefined && !held.some(({ first }) => first > before && first < block)
    if (stretch && isJoined) stretch.push(block)
    else stretches.push([block])
  }
  return stretches.flatMap((stretch) => chunksOf(stretch, blocksPerChunk))
}
