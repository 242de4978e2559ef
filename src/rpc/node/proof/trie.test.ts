import { generateKeyPairSync, sign } from 'node:crypto'
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, toRlp } from 'viem'
import { describe, expect, test } from 'vitest'
import { type Evidence, signedBytes, verifyEvidence } from '../../../verify/verify.js'
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

/** A file of a block whose state root is this node's hash, signed by its author. */
function fileOf(node: Hex, key: Hex): string {
  const fields = Array.from({ length: 16 }, (_, at) => (at === 3 ? keccak256(node) : '0x01'))
  const header = toRlp(fields as Hex[])
  const [zero, one] = [address(0n), '0x1'] as const
  const evidence: Evidence = {
    format: 'forkroute-evidence-1',
    madeBy: { version: '', build: '', anvil: '' },
    request: { endpoint: 'quote', input: {} },
    answer: {},
    block: { chainId: 1, hash: keccak256(header), header },
    execution: {
      transaction: { from: zero, to: zero, data: '0x', value: '0x0', gas: '0x0' },
      isDelegated: false,
      hardFork: 'prague',
      time: one,
      baseFeePerGas: one,
      priorityFeePerGas: one,
      assumed: [],
    },
    state: { accounts: [{ address: key, slots: [] }], nodes: [node], codes: [] },
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(12).toString('hex')
  const signature = sign(null, signedBytes(evidence), privateKey).toString('hex')
  return JSON.stringify({ evidence, publicKey: `0x${raw}`, signature: `0x${signature}` })
}

describe('the trie of the verifier', () => {
  type Item = Hex | readonly Item[]
  const key = address(7n)
  const nibbles = keccak256(key).slice(2)
  const value = toRlp(['0x05', '0x06', emptyTrie, noCode])
  const path = (kind: number, part: string): Hex =>
    part.length % 2 ? `0x${kind + 1}${part}` : `0x${kind}0${part}`
  /** Nested in each other along the path of the key, so that all stand in one node. */
  const nested = (kinds: readonly ('branch' | 'extension')[], isThere: boolean, at = 0): Item => {
    const [kind, ...others] = kinds
    const rest = nibbles.slice(at)
    if (!kind) return [path(2, isThere ? rest : `0${rest.slice(1)}`.slice(0, -1)), value]
    if (kind === 'extension') return [path(0, rest.slice(0, 3)), nested(others, isThere, at + 3)]
    const place = Number.parseInt(rest.charAt(0), 16)
    const child = nested(others, isThere, at + 1)
    return Array.from({ length: 17 }, (_, index) => (index === place ? child : '0x'))
  }
  const ownReading = (node: Hex) => {
    try {
      const { nonce, balance } = provenAccount(keccak256(node), key, new TrieNodes([node]))
      return { nonce, balance }
    } catch (error) {
      expect(error).toBeInstanceOf(ProofError)
      return null
    }
  }
  const kinds = fc.array(fc.constantFrom('branch', 'extension'), { maxLength: 12 })

  test('reads what the reader of nodes reads', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), async (list, isThere) => {
        const node = toRlp(nested(list, isThere) as Hex[])
        const { state } = await verifyEvidence(fileOf(node, key))
        const { nonce, balance } = state?.accounts.get(key) ?? {}
        expect({ nonce, balance }).toEqual(ownReading(node))
        expect(nonce).toBe(isThere ? 5n : 0n)
      }),
      { numRuns: 60 },
    )
  })

  test('never throws, whatever a node holds, and reads no other value than the reader of nodes', async () => {
    const bit = fc.nat({ max: 8 * 600 })
    await fc.assert(
      fc.asyncProperty(kinds, fc.boolean(), bit, async (list, isThere, place) => {
        const bytes = hexToBytes(toRlp(nested(list, isThere) as Hex[]))
        const at = (place >> 3) % bytes.length
        bytes[at] = (bytes[at] as number) ^ (1 << (place & 7))
        const node = bytesToHex(bytes)
        const { problem, state } = await verifyEvidence(fileOf(node, key))
        expect(problem?.part).toBe(state ? 'answer' : 'state')
        const own = ownReading(node)
        const { nonce, balance } = state?.accounts.get(key) ?? {}
        // The library reads some nodes that no trie of a chain can have, which the reader of nodes refuses.
        if (state && own) expect({ nonce, balance }).toEqual(own)
      }),
      { numRuns: 300 },
    )
  })
})
