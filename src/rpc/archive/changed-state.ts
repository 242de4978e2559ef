/**
 * The state of a chain as one request changed it: a source in front of another, which answers what was changed by
 * itself. Nothing that is learnt from such a state is kept, since it may hold for no other request.
 */

import type { ChangedAccount, ChangedAccounts } from '../../domain/changes/what-if.js'
import type { Address, Hex } from '../../domain/primitives.js'
import type { ForkReads } from '../hints/fork-reads.js'
import type { Learned } from '../hints/learned.js'
import type { PoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import {
  addressOf,
  balanceKey,
  codeKey,
  emptyValue,
  type ItemKey,
  isSlot,
  nonceKey,
  storageKey,
  toStored,
} from '../node/state-item.js'
import type { ChainSource } from './chain-source.js'

export interface ChangedValues {
  /** In their stored form. */
  readonly values: ReadonlyMap<ItemKey, Hex>
  /** Accounts whose other slots are zero. */
  readonly replaced: ReadonlySet<Address>
}

/** @throws RangeError when a value is malformed: callers check them. */
export function changedValues(accounts: ChangedAccounts): ChangedValues {
  const entries = Object.entries(accounts) as [Address, ChangedAccount][]
  const values = new Map<ItemKey, Hex>()
  const put = (key: ItemKey, value: string) => {
    const stored = toStored(key, value)
    if (stored === null) throw new RangeError(`${key} cannot be changed to ${value}.`)
    values.set(key, stored)
  }
  for (const [address, { balance, nonce, code, state, stateDiff }] of entries) {
    if (balance !== undefined) put(balanceKey(address), `0x${balance.toString(16)}`)
    if (nonce !== undefined) put(nonceKey(address), `0x${nonce.toString(16)}`)
    if (code !== undefined) put(codeKey(address), code)
    for (const [slot, word] of Object.entries({ ...state, ...stateDiff })) {
      put(storageKey(address, slot), word)
    }
  }
  const replaced = entries.filter(([, { state }]) => state).map(([address]) => address)
  return { values, replaced: new Set(replaced) }
}

/** Nothing of such a state is learnt, and nothing of it is remembered as read by forks. */
const nothingSwapped: PoolSets = {
  keysOf: () => [],
  watch: () => undefined,
  miss: () => undefined,
  learn: () => undefined,
}
const nothingRead: ForkReads = {
  keys: () => [],
  asked: () => undefined,
  requests: 0,
  accounts: () => [],
  askedAccount: () => undefined,
  lacksAccount: () => undefined,
}

export class ChangedSource implements ChainSource {
  readonly forkReads = nothingRead
  readonly learned: Learned
  readonly poolSets: PoolSets
  readonly #source: ChainSource
  readonly #changes: ChangedValues

  constructor(source: ChainSource, changes: ChangedValues) {
    this.#source = source
    this.#changes = changes
    this.learned = { get: (topic) => source.learned.get(topic), put: () => undefined }
    this.poolSets = { ...nothingSwapped, keysOf: (topic) => source.poolSets.keysOf(topic) }
  }

  read(key: ItemKey, block: BlockRef, isForks?: boolean): Answer<Hex> | Promise<Answer<Hex>> {
    const value = this.#changedTo(key)
    return value === undefined ? this.#source.read(key, block, isForks) : { ok: true, value }
  }

  async ahead(key: ItemKey, block: BlockRef): Promise<boolean> {
    return this.#changedTo(key) !== undefined || this.#source.ahead(key, block)
  }

  held(): [] {
    return []
  }

  heldAccounts(): [] {
    return []
  }

  get chainId(): number {
    return this.#source.chainId
  }

  get firstAnswers(): Promise<void> {
    return this.#source.firstAnswers
  }

  pin(...asked: Parameters<ChainSource['pin']>) {
    return this.#source.pin(...asked)
  }

  block(...asked: Parameters<ChainSource['block']>) {
    return this.#source.block(...asked)
  }

  foresee(...asked: Parameters<ChainSource['foresee']>): void {
    this.#source.foresee(...asked)
  }

  guess(...asked: Parameters<ChainSource['guess']>): void {
    this.#source.guess(...asked)
  }

  assumeEmpty(...asked: Parameters<ChainSource['assumeEmpty']>): void {
    this.#source.assumeEmpty(...asked)
  }

  async proofNodes(): Promise<Answer<readonly Hex[]>> {
    return { ok: false, message: 'state that a request changed has no proof' }
  }

  call(...asked: Parameters<ChainSource['call']>) {
    return this.#source.call(...asked)
  }

  changedBlocks(...asked: Parameters<ChainSource['changedBlocks']>) {
    return this.#source.changedBlocks(...asked)
  }

  logs(...asked: Parameters<ChainSource['logs']>) {
    return this.#source.logs(...asked)
  }

  transaction(...asked: Parameters<ChainSource['transaction']>) {
    return this.#source.transaction(...asked)
  }

  note(...asked: Parameters<ChainSource['note']>): void {
    this.#source.note(...asked)
  }

  noted(...asked: Parameters<ChainSource['noted']>): string | null {
    return this.#source.noted(...asked)
  }

  prefetch(...asked: Parameters<ChainSource['prefetch']>) {
    return this.#source.prefetch(...asked)
  }

  status() {
    return this.#source.status()
  }

  close(): Promise<void> {
    return this.#source.close()
  }

  #changedTo(key: ItemKey): Hex | undefined {
    const { values, replaced } = this.#changes
    const isEmptied = isSlot(key) && replaced.has(addressOf(key))
    return values.get(key) ?? (isEmptied ? emptyValue(key) : undefined)
  }
}
