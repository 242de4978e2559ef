/**
 * `tsx scripts/real-proofs.ts block.json proof.json …`: checks public test data of a real chain as reads of state are checked, and by the library that the verifier uses. The
 * first file is a block as eth_getBlockByNumber gives it, the others are answers of eth_getProof at it. Prints what was proven, how
 * many nodes deep, and how many of all single changed bits of the proofs are found. Ends with 1 where something does not fit.
 */
import { readFileSync } from 'node:fs'
import { createMPTFromProof } from '@ethereumjs/mpt'
import { createAccountFromRLP } from '@ethereumjs/util'
import { type Hex, hexToBytes, numberToHex } from 'viem'
import { bytesToHex } from 'viem/utils'
import { provenAccount, provenSlot, TrieNodes } from '../src/rpc/node/proof/trie.js'
import { headerHash } from '../src/verify/header.js'

interface Proof {
  readonly address: Hex
  readonly balance: Hex
  readonly nonce: Hex
  readonly codeHash: Hex
  readonly storageHash: Hex
  readonly accountProof: readonly Hex[]
  readonly storageProof: readonly {
    readonly key: Hex
    readonly value: Hex
    readonly proof: readonly Hex[]
  }[]
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T
const [blockFile = '', ...proofFiles] = process.argv.slice(2)
const block = read<{ readonly hash: Hex; readonly stateRoot: Hex; readonly number: Hex }>(blockFile)
let faults = 0

function expect(isSo: boolean, what: string): void {
  if (!isSo) faults += 1
  console.log(`${isSo ? 'holds' : 'FAILS'}: ${what}`)
}

expect(
  headerHash(block as never) === block.hash,
  `block ${BigInt(block.number)} has the hash ${block.hash}`,
)
for (const file of proofFiles) {
  const proof = read<Proof>(file)
  const all = [proof.accountProof, ...proof.storageProof.map((one) => one.proof)]
  const holds = (list: readonly Hex[]): boolean => {
    try {
      const nodes = new TrieNodes(list)
      const account = provenAccount(block.stateRoot, proof.address.toLowerCase() as Hex, nodes)
      return (
        account.balance === BigInt(proof.balance) &&
        account.nonce === BigInt(proof.nonce) &&
        account.codeHash === proof.codeHash &&
        account.storageRoot === proof.storageHash &&
        proof.storageProof.every(({ key, value }) => {
          const slot = numberToHex(BigInt(key), { size: 32 })
          return provenSlot(account.storageRoot, slot, nodes) === BigInt(value)
        })
      )
    } catch {
      return false
    }
  }
  const nodes = [...new Set(all.flat())]
  const depths = all.map((list) => list.length).join(', ')
  expect(
    holds(nodes),
    `account ${proof.address} and ${proof.storageProof.length} slots, ${depths} nodes deep`,
  )
  const path = proof.accountProof.map((node) => hexToBytes(node))
  const root = hexToBytes(block.stateRoot)
  const trie = await createMPTFromProof(path, { useKeyHashing: true, root })
  const value = await trie.get(hexToBytes(proof.address), true)
  const account = createAccountFromRLP(value ?? new Uint8Array())
  const isSame = account.balance === BigInt(proof.balance) && account.nonce === BigInt(proof.nonce)
  expect(isSame, 'the library finds the same account')
  let accepted = 0
  let changes = 0
  for (const [at, node] of nodes.entries()) {
    const bytes = hexToBytes(node)
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const changed = bytes.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      changes += 1
      if (holds(nodes.with(at, bytesToHex(changed)))) accepted += 1
    }
  }
  expect(accepted === 0, `of ${changes} changed bits of it ${accepted} are accepted`)
}
process.exitCode = faults ? 1 : 0
