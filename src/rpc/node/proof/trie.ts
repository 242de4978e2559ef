/**
 * Proofs of accounts and slots in the Merkle-Patricia tries of a block's state, of what is there and of what is not.
 * Nodes are looked up by their hash, so a node that is not of the trie is simply never found.
 */
import { fromRlp, type Hex, keccak256 } from 'viem'

/** What is proven of an account; one that does not exist has nonce 0, balance 0, no code and no storage. */
export interface ProvenAccount {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly codeHash: Hex
  readonly storageRoot: Hex
}

/** A proof is missing, or it does not lead from the root to the key. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

export const emptyTrie = keccak256('0x80')
export const noCode = keccak256('0x')

/** Longest node in characters of hex: a branch with 16 hashes and a value is 600 bytes at most. */
const longestNode = 2 + 2 * 600
/** A key is 32 bytes, which are 64 nibbles. */
const mostSteps = 65

type Item = Hex | readonly Item[]

/** Nodes of any number of tries, by hash. */
export class TrieNodes {
  readonly #nodes = new Map<Hex, Hex>()
  readonly #used = new Set<Hex>()

  /** @throws ProofError when a node is longer than any can be. */
  constructor(nodes: Iterable<Hex>) {
    for (const node of nodes) {
      if (node.length > longestNode) throw new ProofError('a node is longer than any can be')
      this.#nodes.set(keccak256(node), node)
    }
  }

  /** @throws ProofError when there is no such node. */
  decoded(hash: Hex): readonly Item[] {
    const node = this.#nodes.get(hash)
    if (node === undefined) throw new ProofError(`the node ${hash} is missing`)
    this.#used.add(hash)
    const item = decode(node)
    if (typeof item === 'string') throw new ProofError('a node is not a list')
    return item
  }

  /** Those that proofs have led through. */
  used(): Hex[] {
    return [...this.#used].map((hash) => this.#nodes.get(hash) as Hex)
  }
}

/**
 * The account at the address, as the state root proves it.
 *
 * @throws ProofError.
 */
export function provenAccount(stateRoot: Hex, address: Hex, nodes: TrieNodes): ProvenAccount {
  const value = provenValue(stateRoot, keccak256(address), nodes)
  if (value === null) return { nonce: 0n, balance: 0n, codeHash: noCode, storageRoot: emptyTrie }
  const [nonce, balance, storageRoot, codeHash, ...more] = [decode(value)].flat() as Item[]
  if (more.length || !isHash(storageRoot) || !isHash(codeHash)) {
    throw new ProofError('the value of an account is malformed')
  }
  return { nonce: toInteger(nonce), balance: toInteger(balance), storageRoot, codeHash }
}

/**
 * The value of the slot, as the storage root of its account proves it.
 *
 * @param slot - 32 bytes.
 * @throws ProofError.
 */
export function provenSlot(storageRoot: Hex, slot: Hex, nodes: TrieNodes): bigint {
  const value = provenValue(storageRoot, keccak256(slot), nodes)
  return value === null ? 0n : toInteger(decode(value))
}

/** @returns the value at the key; null: the trie proves that there is none. */
function provenValue(root: Hex, key: Hex, nodes: TrieNodes): Hex | null {
  if (root === emptyTrie) return null
  let rest = key.slice(2)
  let node = nodes.decoded(root)
  for (let step = 0; step < mostSteps; step++) {
    let next: Item | undefined
    if (node.length === 17) {
      next = node[Number.parseInt(rest.charAt(0), 16)]
      rest = rest.slice(1)
    } else {
      const [path, target] = node
      if (node.length !== 2 || typeof path !== 'string') throw new ProofError('a node is malformed')
      // The first nibble tells leaf from extension, and whether the path is odd; without it, a zero is skipped.
      const kind = Number.parseInt(path.charAt(2), 16)
      const nibbles = path.slice(kind & 1 ? 3 : 4)
      const isLeaf = kind === 2 || kind === 3
      const isSound = isLeaf ? typeof target === 'string' : kind < 2
      if (!isSound) throw new ProofError('a node is malformed')
      if (isLeaf ? rest !== nibbles : !rest.startsWith(nibbles)) return null
      if (isLeaf) return target as Hex
      next = target
      rest = rest.slice(nibbles.length)
    }
    if (next === undefined) throw new ProofError('a node is malformed')
    if (next === '0x') return null
    // Nodes below 32 bytes stand in their parent.
    if (typeof next !== 'string') node = next
    else if (isHash(next)) node = nodes.decoded(next)
    else throw new ProofError('a node is malformed')
  }
  throw new ProofError('a path is longer than its key')
}

function decode(bytes: Hex): Item {
  try {
    return fromRlp(bytes, 'hex') as Item
  } catch {
    throw new ProofError('a node is not RLP')
  }
}

function isHash(item: Item | undefined): item is Hex {
  return typeof item === 'string' && item.length === 66
}

function toInteger(item: Item | undefined): bigint {
  if (typeof item !== 'string' || item.length > 66) throw new ProofError('a number is malformed')
  return item === '0x' ? 0n : BigInt(item)
}
