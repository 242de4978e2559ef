import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { emptyTrie, noCode, ProofError, provenAccount, provenSlot, TrieNodes } from './trie.js'

const word = (value: bigint) => numberToHex(value, { size: 32 })
const integer = (value: bigint): Hex => {
  const digits = value.toString(16)
  return value === 0n ? '0x' : `0x${digits.length % 2 ? '0' : ''}${digits}`
}
const address = (value: bigint) => numberToHex(value, { size: 20 })

async function storageTrie(values: ReadonlyMap<bigint, bigint>): Promise<MerklePatriciaTrie> {
  const trie = await createMPT({ useKeyHashing: true })
  for (const [slot, value] of values) {
    await trie.put(hexToBytes(word(slot)), hexToBytes(toRlp(integer(value))))
  }
  return trie
}

async function proofOf(trie: MerklePatriciaTrie, key: Hex): Promise<Hex[]> {
  const proof = await createMerkleProof(trie, hexToBytes(key))
  return proof.map((node) => bytesToHex(node))
}

const slots = fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), {
  minLength: 1,
  maxLength: 120,
})
const values = fc.array(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), {
  minLength: 120,
  maxLength: 120,
})

describe('provenSlot', () => {
  test('reads what another implementation wrote, and that other slots are zero', async () => {
    await fc.assert(
      fc.asyncProperty(slots, values, async (keys, amounts) => {
        const held = new Map(keys.map((key, index) => [key, amounts[index] as bigint]))
        const trie = await storageTrie(held)
        const root = bytesToHex(trie.root())
        for (const slot of [...keys.slice(0, 8), 1n, 2n ** 255n + 3n]) {
          const nodes = new TrieNodes(await proofOf(trie, word(slot)))
          expect(provenSlot(root, word(slot), nodes)).toBe(held.get(slot) ?? 0n)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('a changed bit of any node is never read as another value', async () => {
    const held = new Map(Array.from({ length: 200 }, (_, at) => [BigInt(at), BigInt(at) * 7n + 1n]))
    const trie = await storageTrie(held)
    const root = bytesToHex(trie.root())
    const proof = await proofOf(trie, word(77n))
    for (const [at, node] of proof.entries()) {
      for (let bit = 0; bit < 8 * (node.length / 2 - 1); bit += 5) {
        const bytes = hexToBytes(node)
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
        const nodes = new TrieNodes(proof.with(at, bytesToHex(bytes)))
        expect(() => provenSlot(root, word(77n), nodes)).toThrow(ProofError)
      }
    }
  })

  test('an absence cannot be shown by leaving nodes out, nor by the proof of another key', async () => {
    const held = new Map(Array.from({ length: 60 }, (_, at) => [BigInt(at), 5n]))
    const trie = await storageTrie(held)
    const root = bytesToHex(trie.root())
    const proof = await proofOf(trie, word(7n))
    for (const at of proof.keys()) {
      const nodes = new TrieNodes(proof.filter((_, index) => index !== at))
      expect(() => provenSlot(root, word(7n), nodes)).toThrow(/is missing/)
    }
    const other = new TrieNodes(await proofOf(trie, word(8n)))
    expect(() => provenSlot(root, word(7n), other)).toThrow(/is missing/)
  })

  test('of an empty trie every slot is zero, without a node', () => {
    expect(provenSlot(emptyTrie, word(3n), new TrieNodes([]))).toBe(0n)
  })

  test.each([
    ['is no list', toRlp('0x1234')],
    ['is a list of three', toRlp(['0x20', '0x01', '0x02'])],
    ['has a path that is a list', toRlp([['0x20'], '0x01'])],
    ['is cut off', '0xf8'],
    ['has a child of three bytes', toRlp(Array<Hex>(17).fill('0x010203'))],
    ['is longer than any', `0x${'00'.repeat(601)}`],
  ] as const)('refuses a root that %s', (_, node) => {
    expect(() => provenSlot(keccak256(node), word(1n), new TrieNodes([node]))).toThrow(ProofError)
  })
})

describe('provenAccount', () => {
  const account = (fields: readonly Hex[]) => toRlp([...fields])
  const storageRoot = keccak256('0x01')
  const codeHash = keccak256('0x02')

  async function stateOf(value: Hex) {
    const trie = await createMPT({ useKeyHashing: true })
    for (let at = 0n; at < 40n; at++) await trie.put(hexToBytes(address(at)), hexToBytes(value))
    return { trie, root: bytesToHex(trie.root()) }
  }

  test('reads nonce, balance, code hash and storage root', async () => {
    const { trie, root } = await stateOf(
      account(['0x07', integer(10n ** 18n), storageRoot, codeHash]),
    )
    const proof = await proofOf(trie, address(3n))
    const nodes = new TrieNodes(proof)
    expect(provenAccount(root, address(3n), nodes)).toEqual({
      nonce: 7n,
      balance: 10n ** 18n,
      storageRoot,
      codeHash,
    })
    expect(nodes.used()).toHaveLength(proof.length)
  })

  test('an account that is not there is empty, by proof', async () => {
    const { trie, root } = await stateOf(account(['0x', '0x', storageRoot, codeHash]))
    const nodes = new TrieNodes(await proofOf(trie, address(1000n)))
    expect(provenAccount(root, address(1000n), nodes)).toEqual({
      nonce: 0n,
      balance: 0n,
      storageRoot: emptyTrie,
      codeHash: noCode,
    })
  })

  test('tells the nodes that proofs need from others', async () => {
    const { trie, root } = await stateOf(account(['0x', '0x', storageRoot, codeHash]))
    const proof = await proofOf(trie, address(2n))
    const nodes = new TrieNodes(['0xc0', ...proof])
    provenAccount(root, address(2n), nodes)
    expect(nodes.used()).toEqual(proof)
  })

  test.each([
    ['three fields', account(['0x', '0x', storageRoot])],
    ['five fields', account(['0x', '0x', storageRoot, codeHash, '0x01'])],
    ['a short root', account(['0x', '0x', '0x1234', codeHash])],
    ['a balance of 33 bytes', account(['0x', `0x${'11'.repeat(33)}`, storageRoot, codeHash])],
    ['bytes in place of fields', toRlp('0x1234')],
  ])('refuses an account of %s', async (_, value) => {
    const { trie, root } = await stateOf(value)
    const nodes = new TrieNodes(await proofOf(trie, address(3n)))
    expect(() => provenAccount(root, address(3n), nodes)).toThrow(ProofError)
  })
})
