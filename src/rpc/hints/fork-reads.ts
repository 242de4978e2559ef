/**
 * What forks of a chain requested one by one, so that forks can be given it all at once: slots, and accounts.
 * Reads of routing threads are left out: they are several times as many, and no use to a fork. A hint only: it decides
 * what is given early, never what is answered.
 */
import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/primitives.js'
import type { ItemKey } from '../node/state-item.js'

export interface ForkReads {
  /** Records a slot that a fork requested. Forks do not request what they were given. */
  asked(key: ItemKey): void
  /**
   * The most recently requested slots, the newest first.
   * @param since - only those that were requested after that many requests. Default 0: all.
   */
  keys(since?: number): readonly ItemKey[]
  /** Requests so far. */
  readonly requests: number
  askedAccount(address: Address): void
  /** The most recently requested accounts. */
  accounts(): readonly Address[]
  /** Records that not every block has the account, so that a fork that knows it could not move on to some. */
  lacksAccount(address: Address): void
}

/** Giving a fork more than this takes longer than it saves. */
const maxKeys = 2_048
/** Some 10 kB each in every process. */
const maxAccounts = 256

export function createForkReads(): ForkReads {
  /** Holds for each slot how many requests had come up to the last one for it. */
  const known = new LRUCache<ItemKey, number>({ max: maxKeys })
  const accounts = new LRUCache<Address, true>({ max: maxAccounts })
  const lacking = new LRUCache<Address, true>({ max: maxAccounts })
  let requests = 0
  return {
    asked(key) {
      requests += 1
      known.set(key, requests)
    },
    keys(since = 0) {
      const newer: ItemKey[] = []
      // In the order of use: the first that is too old ends it.
      for (const [key, request] of known.entries()) {
        if (request <= since) break
        newer.push(key)
      }
      return newer
    },
    get requests() {
      return requests
    },
    askedAccount(address) {
      if (!lacking.has(address)) accounts.set(address, true)
    },
    accounts: () => [...accounts.keys()],
    lacksAccount(address) {
      lacking.set(address, true)
      accounts.delete(address)
    },
  }
}
