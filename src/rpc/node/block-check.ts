/** Checks blocks that a node answers. Pure. */
import type { BlockPin } from '../../domain/primitives.js'
import { headerHash } from '../../verify/header.js'
import { type BlockJson, toPin } from './header.js'
import type { Judgement } from './node-request.js'

export interface VerifiedBlock {
  readonly pin: BlockPin
  readonly json: BlockJson
}

/**
 * Checks the fields of a block, its hash, and that it is the requested one.
 * The value is a VerifiedBlock. A missing block is odd: a node that is behind may have it in a moment, and another one now.
 */
export function judgeBlock(
  value: unknown,
  expected: {
    readonly chainId: number
    readonly verifyHeaderHash: boolean
    readonly number?: bigint
    readonly hash?: string
  },
): Judgement {
  if (value === null) return { kind: 'odd', message: 'no such block' }
  const pin = toPin(expected.chainId, value)
  if (!pin) return { kind: 'odd', message: 'the block lacks fields of a header' }
  const json = value as BlockJson
  if (expected.verifyHeaderHash) {
    let actual: string | null = null
    try {
      actual = headerHash(json)
    } catch {
      // A field that cannot be hashed counts as a wrong hash.
    }
    if (actual !== pin.hash) {
      return {
        kind: 'lie',
        message: `it gives block ${pin.number} the hash ${pin.hash}, but its header hashes to ${actual ?? 'nothing'}.`,
      }
    }
  }
  if (expected.number !== undefined && pin.number !== expected.number) {
    return { kind: 'lie', message: `asked for block ${expected.number} it gave ${pin.number}.` }
  }
  if (expected.hash !== undefined && pin.hash !== expected.hash) {
    return { kind: 'lie', message: `asked for block ${expected.hash} it gave ${pin.hash}.` }
  }
  return { kind: 'value', value: { pin, json } satisfies VerifiedBlock }
}
