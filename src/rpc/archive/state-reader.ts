/** Reads values of one chain: known ones from the state book, the others from the nodes, and keeps what it read. */
import { LRUCache } from 'lru-cache'
import type { Address, Hex } from '../../domain/primitives.js'
import type { Recorder } from '../cassette/recorder.js'
import type { HotSet } from '../hints/hot-set.js'
import type { PoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { State } from '../node/bulk/prestate.js'
import {
  accountKeys,
  addressOf,
  emptyValue,
  type ItemKey,
  nonceKey,
  withAccounts,
} from '../node/state-item.js'
import type { Upstream } from '../node/upstream.js'
import type { BlockOpener } from './block-opener.js'
import type { ChainCounters } from './chain-counters.js'
import type { ChainSource } from './chain-source.js'
import type { StateBook } from './state-book.js'

export interface StateReader
  extends Pick<ChainSource, 'read' | 'ahead' | 'assumeEmpty' | 'held' | 'heldAccounts'> {
  /** Asks a node and keeps the value. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  fetch(key: ItemKey, at: BlockRef): Promise<Answer<Hex>>
  /** The known value, else as `fetch`. For internal reads: neither recorded nor remembered as a hint. */
  find(key: ItemKey, at: BlockRef): Promise<Answer<Hex>>
  /**
   * Keeps what comes in bulk. It leaves no hints: what is used of it will be read. Single reads wait for it.
   * @param of - accounts that it is of.
   * @param isAwaited - whether the read of a value of theirs, by a fork or by somebody else, waits for it.
   * @param bulk - never rejects; null: nothing came.
   */
  bring(
    of: ReadonlySet<Address>,
    at: BlockRef,
    bulk: Promise<State | null>,
    isAwaited: (key: ItemKey, isForks: boolean) => boolean,
  ): void
}

export interface StateReaderParts {
  readonly chainId: number
  readonly states: StateBook
  readonly upstream: Pick<Upstream, 'state'>
  /** A read that is already in flight elsewhere. */
  readonly pending: BlockOpener['pending']
  readonly hot: HotSet
  readonly poolSets: PoolSets
  /** Accounts that are empty on every chain: not recorded. */
  readonly knownEmpty: ReadonlySet<Address>
  readonly recorder: Recorder | null
  readonly counters: ChainCounters
}

/** What comes in bulk is awaited no longer: a node may hang on that call alone. */
const patienceMs = 2_000

interface Coming {
  /** Or too late. */
  readonly kept: Promise<void>
  readonly isAwaited: (key: ItemKey, isForks: boolean) => boolean
}

/** Unreadable state is not requested again for this long: the candidates of one search run into the same state. */
const unreadableTtlMs = 2_000

export function createStateReader(parts: StateReaderParts): StateReader {
  const { chainId, states, upstream, hot, poolSets, knownEmpty, recorder, counters } = parts
  /** `<block hash><key>` to the reason. */
  const unreadable = new LRUCache<string, string>({ max: 10_000, ttl: unreadableTtlMs })

  /** `<block hash><address>` */
  const assumed = new LRUCache<string, true>({ max: 10_000 })

  /** What comes in bulk, by `<block hash><address>`. */
  const coming = new Map<string, ReadonlySet<Coming>>()

  /** What is on its way in bulk is not asked for again, unless it did not come. */
  async function ask(key: ItemKey, at: BlockRef, isForks: boolean): Promise<Answer<Hex>> {
    const own = [...(coming.get(`${at.hash}${addressOf(key)}`) ?? [])]
    const awaited = own.filter(({ isAwaited }) => isAwaited(key, isForks))
    if (awaited.length > 0) {
      await Promise.all(awaited.map(({ kept }) => kept))
      const value = states.find(key, at)
      if (value !== null) return { ok: true, value }
    }
    return upstream.state(key, at)
  }

  async function fetch(key: ItemKey, at: BlockRef, isForks = false): Promise<Answer<Hex>> {
    counters.misses += 1
    const answer = await (parts.pending(key, at.hash) ?? ask(key, at, isForks))
    if (answer.ok) states.keep(key, at, answer.value)
    else {
      counters.unreadable += 1
      unreadable.set(`${at.hash}${key}`, answer.message)
    }
    return answer
  }

  function recorded(key: ItemKey, at: BlockRef, answer: Answer<Hex>): Answer<Hex> {
    if (!knownEmpty.has(addressOf(key))) recorder?.state(chainId, key, at, answer)
    return answer
  }

  return {
    fetch,
    async find(key, at) {
      const value = states.find(key, at)
      return value === null ? fetch(key, at) : { ok: true, value }
    },
    bring(of, at, bulk, isAwaited) {
      const names = [...of].map((address) => `${at.hash}${address}`)
      const kept = bulk.then((state) => {
        for (const [key, value] of state ?? []) {
          if (states.find(key, at) === null) states.keep(key, at, value)
        }
        for (const name of names) {
          const others = new Set(coming.get(name))
          others.delete(own)
          if (others.size > 0) coming.set(name, others)
          else coming.delete(name)
        }
      })
      const patience = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs)
        void kept.then(() => clearTimeout(timer))
      })
      const own: Coming = { kept: Promise.race([kept, patience]), isAwaited }
      for (const name of names) coming.set(name, new Set([...(coming.get(name) ?? []), own]))
    },
    read(key, at, isForks) {
      // Of no use at another block, so no hint either.
      if (assumed.has(`${at.hash}${addressOf(key)}`)) return { ok: true, value: emptyValue(key) }
      hot.touch(key)
      const value = states.find(key, at)
      if (value !== null) return recorded(key, at, { ok: true, value })
      const message = unreadable.get(`${at.hash}${key}`)
      if (message !== undefined) return recorded(key, at, { ok: false, message })
      poolSets.miss(key, at.hash)
      const asked = fetch(key, at, isForks)
      return recorder ? asked.then((answer) => recorded(key, at, answer)) : asked
    },
    assumeEmpty(accounts, at) {
      for (const address of accounts) {
        if (states.find(nonceKey(address), at) === null) assumed.set(`${at.hash}${address}`, true)
      }
    },
    async ahead(key, at) {
      hot.touch(key)
      if (states.find(key, at) !== null) return true
      if (unreadable.has(`${at.hash}${key}`)) return false
      poolSets.miss(key, at.hash)
      return fetch(key, at).then(
        ({ ok }) => ok,
        () => false,
      )
    },
    held(slots, at) {
      // Values given in bulk bypass the recorder, so a recording gives none.
      if (recorder) return []
      const isHeld = (key: ItemKey): boolean => states.find(key, at) !== null
      return withAccounts(slots, isHeld).map((key) => [key, states.find(key, at) as Hex])
    },
    heldAccounts(accounts, at) {
      // What a recording holds must not depend on what was asked before.
      if (recorder) return []
      return accounts.filter((address) =>
        accountKeys(address).every((key) => states.find(key, at) !== null),
      )
    },
  }
}
