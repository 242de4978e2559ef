/**
 * `eth_getProof` without slots for the blocks of the sandbox's history: the true root of an account's storage there, its
 * balance, nonce and code hash. Anvil would answer the same, but processes the whole state each time (50 ms); here
 * an account's trie is built once and each block's changes are added to it. `accountProof` stays empty: the trie of
 * all accounts is not built. Requests with slots go to Anvil, which gives complete proofs.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt'
import pLimit from 'p-limit'
import { bytesToHex, hexToBytes, numberToHex, toRlp, trim } from 'viem'
import type { Address, Hex } from '../../domain/primitives.js'
import type { AccountChange, History } from './history.js'

export interface AccountProofs {
  /** Null: a block outside of the history, whose last one belongs to Anvil, where users may change it. */
  proofAt(address: Address, number: number): Promise<object> | null
}

/** Each takes some tenths of a millisecond. */
const slotsPerTurn = 16

/** The trie of an account's storage, and its roots by the number of changes that they contain. */
interface StorageTrie {
  readonly trie: MerklePatriciaTrie
  readonly roots: Map<number, Uint8Array>
}

export function createAccountProofs(history: History): AccountProofs {
  const tries = new Map<Address, Promise<StorageTrie>>()
  const oneByOne = pLimit(1)

  async function build(address: Address): Promise<StorageTrie> {
    const trie = await createMPT({ useKeyHashing: true })
    await write(trie, history.accountAt(address, history.firstBlock)?.storage ?? {})
    return { trie, roots: new Map([[0, trie.root()]]) }
  }

  /** From the nearest root before it. One call at a time: a trie has one root at a time. */
  async function advance(
    { trie, roots }: StorageTrie,
    changes: readonly AccountChange[],
  ): Promise<StorageTrie> {
    const wanted = changes.length
    if (roots.has(wanted)) return { trie, roots }
    const from = Math.max(...[...roots.keys()].filter((count) => count < wanted))
    trie.root(roots.get(from))
    const storage: Record<Hex, Hex> = {}
    for (const change of changes.slice(from)) Object.assign(storage, change.storage)
    await write(trie, storage)
    roots.set(wanted, trie.root())
    return { trie, roots }
  }

  async function rootAt(address: Address, number: number): Promise<Hex> {
    const changes = history.changesOf(address, number)
    const before = tries.get(address)
    const turn = oneByOne(async () => advance((await before) ?? (await build(address)), changes))
    tries.set(address, turn)
    turn.catch(() => tries.delete(address))
    const { roots } = await turn
    return bytesToHex(roots.get(changes.length) as Uint8Array)
  }

  return {
    proofAt(address, number) {
      if (number < history.firstBlock || number >= history.lastBlock) return null
      return (async () => {
        const account = history.accountAt(address, number)
        return {
          address,
          accountProof: [],
          balance: account?.balance ?? '0x0',
          nonce: numberToHex(account?.nonce ?? 0),
          codeHash: history.codeHashOf(address),
          storageHash: await rootAt(address, number),
          storageProof: [],
        }
      })()
    },
  }
}

/** Other requests to the sandbox are answered meanwhile: the trie itself never waits for anything. */
async function write(trie: MerklePatriciaTrie, storage: Readonly<Record<Hex, Hex>>): Promise<void> {
  let written = 0
  for (const [slot, value] of Object.entries(storage) as [Hex, Hex][]) {
    const key = hexToBytes(numberToHex(BigInt(slot), { size: 32 }))
    if (BigInt(value) === 0n) await trie.del(key)
    else await trie.put(key, toRlp(hexToBytes(trim(value)), 'bytes'))
    written += 1
    if (written % slotsPerTurn === 0) await nextTurn()
  }
}
