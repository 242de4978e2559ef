/**
 * Ties blocks by their parents' hashes to one that the operator names (`TRUSTED_BLOCK_<chain id>`): nodes that agree on
 * another chain are found out. Keeps the hashes between that block and the farthest ones on both sides.
 */
import { unknownBlock } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Hex } from '../../domain/primitives.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'

export interface TrustedChain {
  /** Settles once the block is tied. @throws ForkrouteError UPSTREAM_UNAVAILABLE, UNKNOWN_BLOCK. */
  tie(block: BlockRef): Promise<void>
}

/** Headers that are asked for at the same time. */
const atOnce = 64n
/** Blocks from the trusted one that are walked: a week of Ethereum. */
const mostBlocks = 50_000n

export function createTrustedChain(parts: {
  readonly chainId: number
  readonly trusted: BlockRef
  /** The block that nodes have at the height. */
  readonly block: (number: bigint) => Promise<Answer<VerifiedBlock>>
}): TrustedChain {
  const { chainId, trusted } = parts
  const tied = new Map<bigint, Hex>([[trusted.number, trusted.hash]])
  let [lowest, highest] = [trusted.number, trusted.number]
  let running: Promise<unknown> = Promise.resolve()

  async function headerAt(number: bigint): Promise<{ readonly hash: Hex; readonly parent: Hex }> {
    const found = await parts.block(number)
    if (!found.ok) throw unknownBlock({ chainId, number }, `Block ${number}: ${found.message}.`)
    return { hash: found.value.pin.hash, parent: found.value.json.parentHash as Hex }
  }

  function headersOf(first: bigint, last: bigint) {
    const count = Number(last - first) + 1
    return Promise.all(Array.from({ length: count }, (_, at) => headerAt(first + BigInt(at))))
  }

  function untied(number: bigint): ForkrouteError {
    return new ForkrouteError(
      'UPSTREAM_UNAVAILABLE',
      `Block ${number} of chain ${chainId} does not follow from block ${trusted.number} with the hash ${trusted.hash}, which TRUSTED_BLOCK_${chainId} names.`,
      { chainId, blockNumber: number.toString() },
    )
  }

  async function upTo(number: bigint): Promise<void> {
    while (highest < number) {
      const first = highest + 1n
      const last = first + atOnce > number ? number : first + atOnce - 1n
      for (const [at, { hash, parent }] of (await headersOf(first, last)).entries()) {
        const above = first + BigInt(at)
        if (tied.get(above - 1n) !== parent) throw untied(above)
        tied.set(above, hash)
        highest = above
      }
    }
  }

  async function downTo(number: bigint): Promise<void> {
    while (lowest > number) {
      const last = lowest
      const first = last - atOnce < number ? number : last - atOnce
      const headers = await headersOf(first, last)
      for (let at = headers.length - 1; at > 0; at--) {
        const [own, below] = [headers[at], headers[at - 1]]
        const height = first + BigInt(at)
        if (own?.hash !== tied.get(height) || own?.parent !== below?.hash) throw untied(height - 1n)
        tied.set(height - 1n, own?.parent as Hex)
        lowest = height - 1n
      }
    }
  }

  /** Blocks that a reorg has replaced are forgotten, down to the trusted one at most. */
  async function forgetReplaced(): Promise<void> {
    while (highest > trusted.number && (await headerAt(highest)).hash !== tied.get(highest)) {
      tied.delete(highest)
      highest -= 1n
    }
  }

  async function walk({ number, hash }: BlockRef): Promise<void> {
    if (tied.get(number) === hash) return
    const distance = number > trusted.number ? number - trusted.number : trusted.number - number
    if (distance > mostBlocks) {
      const why = `Block ${number} is ${distance} blocks from the one that TRUSTED_BLOCK_${chainId} names, of which ${mostBlocks} are walked at most: name another block.`
      throw unknownBlock({ chainId, number }, why)
    }
    if (number > trusted.number) {
      await forgetReplaced()
      await upTo(number)
    } else await downTo(number)
    if (tied.get(number) !== hash) throw untied(number)
  }

  return {
    async tie(block) {
      if (tied.get(block.number) === block.hash) return
      const own = running.catch(() => undefined).then(() => walk(block))
      running = own
      await own
    },
  }
}
