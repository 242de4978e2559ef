/**
 * A chain served from a cassette alone. Missing or damaged state is an error that names it; it never reads as zero.
 */
import { LRUCache } from 'lru-cache'
import { unknownBlock } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { BlockRow } from '../cassette/cassette-blocks.js'
import { type BlockState, decodeValue } from '../cassette/cassette-cells.js'
import type { CassetteState } from '../cassette/cassette-state.js'
import { createLaterState, type LaterAccounts, type LaterState } from '../cassette/later-state.js'
import { createForkReads, type ForkReads } from '../hints/fork-reads.js'
import type { Learned } from '../hints/learned.js'
import { createPoolSets, type PoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import { toPin } from '../node/header.js'
import {
  accountKeys,
  addressOf,
  describe,
  emptyValue,
  type ItemKey,
  isSlot,
  withAccounts,
} from '../node/state-item.js'
import type { ChainStatus } from './archive-messages.js'
import type { ChainSource } from './chain-source.js'

/** A replay reads nothing ahead. */
const nothingLearned: Learned = { get: () => null, put: () => undefined }

/** Blocks whose state is in memory; some thousand values each. */
const blocksKept = 64
const maxCodeChars = 128 * 1024 * 1024

export interface ReplayChainOptions {
  readonly chainId: number
  readonly cassette: CassetteState
  /** Number of the block that counts as the newest; null: the newest that is recorded. */
  readonly head: bigint | null
  readonly knownEmpty: ReadonlySet<Address>
  readonly later: readonly LaterAccounts[]
  readonly onHead: (head: BlockPin) => void
}

export class ReplayChain implements ChainSource {
  readonly chainId: number
  readonly firstAnswers = Promise.resolve()
  readonly learned = nothingLearned
  readonly poolSets: PoolSets = createPoolSets(nothingLearned)
  readonly forkReads: ForkReads = createForkReads()
  readonly #cassette: CassetteState
  readonly #knownEmpty: ReadonlySet<Address>
  readonly #later: readonly LaterState[]
  readonly #startedAt = Date.now()
  readonly #rows = new LRUCache<Hex, BlockRow>({ max: 4 * blocksKept })
  readonly #headers = new LRUCache<Hex, VerifiedBlock>({ max: 4 * blocksKept })
  readonly #states = new LRUCache<Hex, BlockState>({ max: blocksKept })
  readonly #codes = new LRUCache<number, Hex>({
    maxSize: maxCodeChars,
    sizeCalculation: (code) => code.length,
  })
  readonly #head: BlockPin | null
  readonly #problem: string | null

  constructor({ chainId, cassette, knownEmpty, later, ...options }: ReplayChainOptions) {
    this.chainId = chainId
    this.#cassette = cassette
    this.#knownEmpty = knownEmpty
    this.#later = later.map((accounts) =>
      createLaterState(accounts, () => cassette.cells.contracts()),
    )
    this.#head = this.#findHead(options.head)
    this.#problem = this.#head ? null : `Chain ${chainId} is not in the cassette.`
    if (this.#head) options.onHead(this.#head)
  }

  async pin(at: bigint | 'latest'): Promise<BlockPin> {
    const { chainId } = this
    if (at === 'latest') {
      if (this.#head) return this.#head
      throw new ForkrouteError('CHAIN_NOT_READY', this.#problem ?? '', { chainId })
    }
    const block = this.#findBlock(at)
    if (block.ok) return block.value.pin
    throw unknownBlock({ chainId, number: at }, `Block ${at} is not in the cassette.`)
  }

  async block(ref: bigint | Hex): Promise<Answer<VerifiedBlock>> {
    return this.#findBlock(ref)
  }

  read(key: ItemKey, at: BlockRef): Answer<Hex> {
    if (this.#knownEmpty.has(addressOf(key))) return { ok: true, value: emptyValue(key) }
    const state = this.#stateOf(at)
    const held = state?.values.get(key)
    const name = `${describe(key)} at block ${at.number}`
    if (!held) {
      if (this.#isNeedless(key, at)) return { ok: true, value: emptyValue(key) }
      const broken = state?.damaged.length ? ` (or it was in a damaged row: ${state.damaged})` : ''
      throw this.#fault('lacks', `${name}${broken}`)
    }
    if (held.kind === 'damaged') throw this.#fault('is damaged at', `${held.row}, ${name}`)
    if (held.kind === 'unreadable') return { ok: false, message: held.message }
    const value = decodeValue(key, held.bytes, (id) => this.#code(id))
    if (value === null) throw this.#fault('lacks', `the row of codes for ${name}`)
    if (value === 'damaged') throw this.#fault('is damaged at', `the row of codes for ${name}`)
    return { ok: true, value }
  }

  async ahead(): Promise<boolean> {
    return false
  }

  foresee(): void {}

  guess(): void {}

  assumeEmpty(): void {}

  held(slots: readonly ItemKey[], at: BlockRef): readonly (readonly [ItemKey, Hex])[] {
    const values = this.#stateOf(at)?.values ?? new Map()
    const isHeld = (key: ItemKey): boolean => values.get(key)?.kind === 'value'
    return withAccounts(slots, isHeld).flatMap((key) => {
      const answer = this.read(key, at)
      return answer.ok ? [[key, answer.value] as const] : []
    })
  }

  heldAccounts(accounts: readonly Address[], at: BlockRef): readonly Address[] {
    const here = this.#stateOf(at)?.values.size ?? 0
    // What other blocks lack, the next ones may lack as well, and a fork that knows it could not move on to these. A
    // block of which much less is held, such as the head, was asked for something else.
    const alike = [...this.#states.values()].filter(({ values }) => 2 * values.size >= here)
    const isHeld = (key: ItemKey): boolean =>
      alike.every(({ values }) => values.get(key)?.kind === 'value')
    return accounts.filter(
      (address) => this.#knownEmpty.has(address) || accountKeys(address).every(isHeld),
    )
  }

  async proofNodes(): Promise<Answer<readonly Hex[]>> {
    return { ok: false, message: 'a cassette holds no proofs of single values' }
  }

  async call(to: Address, data: Hex, at: BlockRef): Promise<Answer<Hex>> {
    const row = this.#findRow(at.hash)
    const value = row && this.#cassette.answers.call(row.id, to, data)
    const name = `the call of ${to} at block ${at.number}`
    if (value === 'damaged') throw this.#fault('is damaged at', name)
    return value === null
      ? { ok: false, message: `${name} is not in the cassette` }
      : { ok: true, value }
  }

  async changedBlocks(question: ChangesQuestion): Promise<readonly bigint[]> {
    const { chainId } = this
    const numbers = this.#cassette.answers.changes(chainId, question)
    const name = `the blocks from ${question.from} to ${question.to} with events of these contracts`
    if (numbers === 'damaged') throw this.#fault('is damaged at', name)
    if (numbers) return numbers
    throw new ForkrouteError('STATE_UNAVAILABLE', `The cassette lacks ${name}.`, { chainId })
  }

  async logs(): Promise<null> {
    return null
  }

  async transaction(): Promise<never> {
    const { chainId } = this
    const message = `A cassette holds no transactions of chain ${chainId}: ask a service with a node.`
    throw new ForkrouteError('STATE_UNAVAILABLE', message, { chainId })
  }

  note(): void {}

  noted(name: string, at: BlockRef): string | null {
    const row = this.#findRow(at.hash)
    const text = row && this.#cassette.answers.note(row.id, name)
    if (text === 'damaged') throw this.#fault('is damaged at', `a note at block ${at.number}`)
    return text
  }

  async prefetch(): Promise<{ items: number; failed: number }> {
    return { items: 0, failed: 0 }
  }

  status(): ChainStatus {
    return {
      connected: this.#head !== null,
      capabilities: {},
      problem: this.#problem,
      headSeenAt: this.#head ? this.#startedAt : null,
      nodes: [],
    }
  }

  async close(): Promise<void> {}

  /** Forks pass this text on to the caller, where `faults.ts` recognises it. */
  #fault(verb: 'lacks' | 'is damaged at', what: string): ForkrouteError {
    const { chainId } = this
    const text = `The cassette ${verb} ${what} of chain ${chainId}.`
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', text, { chainId })
  }

  #findHead(stated: bigint | null): BlockPin | null {
    const newest = this.#cassette.blocks.list(this.chainId).at(-1)
    const number = stated ?? (newest ? BigInt(newest.number) : null)
    const block = number === null ? null : this.#findBlock(number)
    return block?.ok ? block.value.pin : null
  }

  #findRow(ref: bigint | Hex): BlockRow | null {
    const known = typeof ref === 'bigint' ? undefined : this.#rows.get(ref)
    const row = known ?? this.#cassette.blocks.find(this.chainId, ref)
    if (row) this.#rows.set(row.hash, row)
    return row
  }

  #findBlock(ref: bigint | Hex): Answer<VerifiedBlock> {
    const row = this.#findRow(ref)
    const missing = { ok: false, message: `block ${ref} is not in the cassette` } as const
    if (!row) return missing
    const known = this.#headers.get(row.hash)
    if (known) return { ok: true, value: known }
    const json = this.#cassette.blocks.header(row.id)
    if (json === 'damaged') {
      throw this.#fault('is damaged at', `row ${row.id} of blocks, block ${row.number}`)
    }
    const pin = json && toPin(this.chainId, json)
    if (!json || !pin) return missing
    this.#headers.set(row.hash, { pin, json })
    return { ok: true, value: { pin, json } }
  }

  #stateOf(at: BlockRef): BlockState | null {
    const known = this.#states.get(at.hash)
    if (known) return known
    const row = this.#findRow(at.hash)
    if (!row) return null
    const state = this.#cassette.cells.stateOf(row)
    this.#states.set(at.hash, state)
    return state
  }

  #code(id: number): Hex | null | 'damaged' {
    const known = this.#codes.get(id)
    if (known) return known
    const read = this.#cassette.cells.code(id)
    if (read !== null && read !== 'damaged') this.#codes.set(id, read)
    return read
  }

  /**
   * Whether it is the account that simulations pay their tip to. No answer depends on it, and recordings in which
   * simulations paid nobody lack it.
   */
  #isPaidMiner(key: ItemKey, at: BlockRef): boolean {
    const block = this.#findBlock(at.hash)
    const isMiner = block.ok && addressOf(key) === block.value.pin.miner
    return isMiner && !isSlot(key)
  }

  /** Whether no recording needs to hold it. Not known where some row may have held it. */
  #isNeedless(key: ItemKey, at: BlockRef): boolean {
    if (this.#stateOf(at)?.damaged.length) return false
    return this.#isPaidMiner(key, at) || this.#later.some((state) => state.has(key, at.hash))
  }
}
