import { keccak256, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../domain/primitives.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { createTrustedChain } from './trusted-chain.js'

/** Hashes as a chain has them: each is of its parent's and of the branch that the block is on. */
function chainOf(branchOf: (number: bigint) => number) {
  const hashes = new Map<bigint, Hex>([[0n, keccak256('0x00')]])
  const hashOf = (number: bigint): Hex => {
    const known = hashes.get(number)
    if (known) return known
    const parent = hashOf(number - 1n)
    const hash = keccak256(`${parent}${numberToHex(branchOf(number), { size: 1 }).slice(2)}`)
    hashes.set(number, hash)
    return hash
  }
  for (let number = 1n; number <= 1_000n; number++) hashOf(number)
  return {
    ref: (number: bigint) => ({ number, hash: hashOf(number) }),
    block: async (number: bigint) => {
      const pin = { number, hash: hashOf(number) } as VerifiedBlock['pin']
      return { ok: true as const, value: { pin, json: { parentHash: hashOf(number - 1n) } } }
    },
  }
}

const ours = chainOf(() => 1)
/** Another chain from block 500 on. */
const theirs = chainOf((number) => (number < 500n ? 1 : 2))
const trustedAt = (number: bigint, block = ours.block) =>
  createTrustedChain({ chainId: 1, trusted: ours.ref(number), block })

describe('tie', () => {
  test('follows parents up and down, across many questions, and asks for no block twice', async () => {
    const asked: bigint[] = []
    const chain = trustedAt(300n, (number) => {
      asked.push(number)
      return ours.block(number)
    })
    for (const number of [300n, 301n, 431n, 432n, 299n, 100n, 350n, 150n]) {
      await chain.tie(ours.ref(number))
    }
    const above = asked.filter((number) => number > 300n)
    expect(new Set(above).size).toBe(132)
    expect(asked.length).toBeLessThan(360)
  })

  test.each([
    ['above it', 550n, 700n],
    ['below it', 600n, 450n],
    ['right above it', 500n, 501n],
    ['of its own height', 500n, 500n],
  ])('refuses a block of another chain, %s', async (_, trusted, number) => {
    const chain = trustedAt(trusted, theirs.block)
    await expect(chain.tie(theirs.ref(number))).rejects.toThrow(/does not follow from block/)
    await expect(chain.tie(theirs.ref(number))).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    })
  })

  test('a block that a reorg replaced is tied anew, and the old one no longer', async () => {
    let { block } = ours
    const chain = trustedAt(400n, (number) => block(number))
    await chain.tie(ours.ref(520n))
    block = theirs.block
    await chain.tie(theirs.ref(521n))
    await expect(chain.tie(ours.ref(520n))).rejects.toThrow(/does not follow/)
    await chain.tie(theirs.ref(505n))
  })

  test('says that a block is too far away', async () => {
    await expect(trustedAt(10n).tie({ number: 60_000n, hash: '0x00' })).rejects.toThrow(
      /59990 blocks from the one that TRUSTED_BLOCK_1 names, of which 50000 are walked at most/,
    )
  })
})
