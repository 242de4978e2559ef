/** A chain made of the given storage words, for unit tests of adapters: other words are zero, some are refused. */
import { type BlockPin, type Hex, zeroAddress } from '../../src/domain/primitives.js'
import type { StateReader } from '../../src/domain/state.js'

const zeroWord: Hex = `0x${'0'.repeat(64)}`
const block: BlockPin = {
  chainId: 1,
  number: 1n,
  hash: zeroWord,
  parentHash: zeroWord,
  timestamp: 12n,
  baseFeePerGas: 1n,
  gasUsed: 0n,
  gasLimit: 30_000_000n,
  miner: zeroAddress,
  extraData: '0x',
  difficulty: 0n,
  shownHardFork: 'prague',
}

/**
 * @param words - by slot, whatever the account.
 * @param refused - slots that read as unreadable with the message `refused`.
 */
export function storageReader(
  words: Readonly<Record<Hex, Hex>>,
  refused: readonly Hex[] = [],
): StateReader & { rounds(): number } {
  let rounds = 0
  return {
    block,
    rounds: () => rounds,
    storage: async (reads) => {
      rounds += 1
      return reads.map(({ slot }) =>
        refused.includes(slot)
          ? { ok: false, reason: 'unreadable', message: 'refused' }
          : { ok: true, value: words[slot] ?? zeroWord },
      )
    },
    call: async (calls) =>
      calls.map(() => ({ ok: false, reason: 'reverted', message: 'there is no code' })),
  }
}
