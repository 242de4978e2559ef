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
import type { ChainCounters } from './chain-counters.js'
import type { StateBook } from './state-book.js'

export interface StateReaderParts {
  readonly chainId: number
  readonly states: StateBook
  readonly upstream: Pick<Upstream, 'state'>
  /** A read that is already in flight elsewhere. */
  readonly pending: (key: ItemKey, hash: Hex) => Promise<Answer<Hex>> | null
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

/** What comes in bulk, and who waits for it. */
export interface ComingState {
  /** Accounts that it is of. */
  readonly of: ReadonlySet<Address>
  readonly at: BlockRef
  /** Never rejects; null: nothing came. */
  readonly bulk: Promise<State | null>
  /** Whether the read of a value of theirs, by a fork or by somebody else, waits for it. */
  readonly isAwaited: (key: ItemKey, isForks: boolean) => boolean
}

export class StateReader {
  readonly #parts: StateReaderParts
  /** `<block hash><key>` to the reason. */
  readonly #unreadable = new LRUCache<string, string>({ max: 10_000, ttl: unreadableTtlMs })
  /** `<block hash><address>` */
  readonly #assumed = new LRUCache<string, true>({ max: 10_000 })
  /** What comes in bulk, by `<block hash><address>`. */
  readonly #coming = new Map<string, ReadonlySet<Coming>>()

  constructor(parts: StateReaderParts) {
    this.#parts = parts
  }

  /** Implements `ChainSource.read`. */
  read(key: ItemKey, at: BlockRef, isForks?: boolean): Answer<Hex> | Promise<Answer<Hex>> {
    const { states, hot, poolSets, recorder } = this.#parts
    // It is of no use at another block, so it is no hint either.
    if (this.#assumed.has(`${at.hash}${addressOf(key)}`)) {
      return { ok: true, value: emptyValue(key) }
    }
    hot.touch(key)
    const value = states.find(key, at)
    if (value !== null) return this.#recorded(key, at, { ok: true, value })
    const message = this.#unreadable.get(`${at.hash}${key}`)
    if (message !== undefined) return this.#recorded(key, at, { ok: false, message })
    poolSets.miss(key, at.hash)
    const asked = this.fetch(key, at, isForks)
    return recorder ? asked.then((answer) => this.#recorded(key, at, answer)) : asked
  }

  /** Implements `ChainSource.ahead`. */
  async ahead(key: ItemKey, at: BlockRef): Promise<boolean> {
    const { states, hot, poolSets } = this.#parts
    hot.touch(key)
    if (states.find(key, at) !== null) return true
    if (this.#unreadable.has(`${at.hash}${key}`)) return false
    poolSets.miss(key, at.hash)
    return this.fetch(key, at).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  /** Asks a node and keeps the value. @throws ForkrouteError UPSTREAM_UNAVAILABLE. */
  async fetch(key: ItemKey, at: BlockRef, isForks = false): Promise<Answer<Hex>> {
    const { states, counters, pending } = this.#parts
    counters.misses += 1
    const answer = await (pending(key, at.hash) ?? this.#ask(key, at, isForks))
    if (answer.ok) states.keep(key, at, answer.value)
    else {
      counters.unreadable += 1
      this.#unreadable.set(`${at.hash}${key}`, answer.message)
    }
    return answer
  }

  /** The known value, else as `fetch`. For internal reads: neither recorded nor remembered as a hint. */
  async find(key: ItemKey, at: BlockRef): Promise<Answer<Hex>> {
    const value = this.#parts.states.find(key, at)
    return value === null ? this.fetch(key, at) : { ok: true, value }
  }

  /** Keeps what comes in bulk. It leaves no hints: what is used of it will be read. Single reads wait for it. */
  bring({ of, at, bulk, isAwaited }: ComingState): void {
    const { states } = this.#parts
    const names = [...of].map((address) => `${at.hash}${address}`)
    const kept = bulk.then((state) => {
      for (const [key, value] of state ?? []) {
        if (states.find(key, at) === null) states.keep(key, at, value)
      }
      for (const name of names) this.#forgetComing(name, own)
    })
    const patience = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patienceMs)
      void kept.then(() => clearTimeout(timer))
    })
    const own: Coming = { kept: Promise.race([kept, patience]), isAwaited }
    for (const name of names) {
      this.#coming.set(name, new Set([...(this.#coming.get(name) ?? []), own]))
    }
  }

  /** Implements `ChainSource.assumeEmpty`. */
  assumeEmpty(accounts: readonly Address[], at: BlockRef): void {
    for (const address of accounts) {
      if (this.#parts.states.find(nonceKey(address), at) !== null) continue
      this.#assumed.set(`${at.hash}${address}`, true)
    }
  }

  /** Implements `ChainSource.held`. */
  held(slots: readonly ItemKey[], at: BlockRef): readonly (readonly [ItemKey, Hex])[] {
    const { states, recorder } = this.#parts
    // Values given in bulk bypass the recorder, so a recording gives none.
    if (recorder) return []
    const isHeld = (key: ItemKey): boolean => states.find(key, at) !== null
    return withAccounts(slots, isHeld).map((key) => [key, states.find(key, at) as Hex])
  }

  /** Implements `ChainSource.heldAccounts`. */
  heldAccounts(accounts: readonly Address[], at: BlockRef): readonly Address[] {
    const { states, recorder } = this.#parts
    // What a recording holds must not depend on what was asked before.
    if (recorder) return []
    return accounts.filter((address) =>
      accountKeys(address).every((key) => states.find(key, at) !== null),
    )
  }

  /** What is on its way in bulk is not asked for again, unless it did not come. */
  async #ask(key: ItemKey, at: BlockRef, isForks: boolean): Promise<Answer<Hex>> {
    const { states, upstream } = this.#parts
    const own = [...(this.#coming.get(`${at.hash}${addressOf(key)}`) ?? [])]
    const awaited = own.filter(({ isAwaited }) => isAwaited(key, isForks))
    if (awaited.length > 0) {
      await Promise.all(awaited.map(({ kept }) => kept))
      const value = states.find(key, at)
      if (value !== null) return { ok: true, value }
    }
    return upstream.state(key, at)
  }

  #forgetComing(name: string, own: Coming): void {
    const others = new Set(this.#coming.get(name))
    others.delete(own)
    if (others.size > 0) this.#coming.set(name, others)
    else this.#coming.delete(name)
  }

  #recorded(key: ItemKey, at: BlockRef, answer: Answer<Hex>): Answer<Hex> {
    const { chainId, knownEmpty, recorder } = this.#parts
    if (recorder && !knownEmpty.has(addressOf(key))) recorder.state(chainId, key, at, answer)
    return answer
  }
}
