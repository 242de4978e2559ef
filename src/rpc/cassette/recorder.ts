/**
 * Writes a cassette: answers of the archive are held until a request is done, and written together with it in one
 * transaction. So a file always holds what its requests need, however the recording ends. One recorder per file.
 */
import type Database from 'better-sqlite3'
import { LRUCache } from 'lru-cache'
import { ForkrouteError } from '../../domain/errors.js'
import type { BlockPin, Hex } from '../../domain/primitives.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { MadeCall } from '../node/bulk/bulk-code.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import { headerOnly } from '../node/header.js'
import { describe, type ItemKey } from '../node/state-item.js'
import type { HeldValue } from './cassette-cells.js'
import { guarded, openCassetteFile } from './cassette-file.js'
import { type CassetteHead, CassetteRequests, type NumberedEntry } from './cassette-requests.js'
import { CassetteState } from './cassette-state.js'

/** Blocks whose rows are remembered without reading the file. */
const blocksKept = 32
/** Values held; beyond this they are written without waiting for a request. */
const maxPending = 20_000

interface OpenBlock {
  readonly id: number
  readonly values: Map<ItemKey, HeldValue>
}

interface SeenBlock {
  readonly at: BlockRef
  readonly keys: Set<ItemKey>
}

export interface RecorderOptions {
  /** An earlier recorder of this process died and lost what it held. */
  readonly isResumed: boolean
  warn(message: string): void
}

export class Recorder {
  readonly #db: Database.Database
  readonly #head: CassetteHead
  readonly #options: RecorderOptions
  readonly #state: CassetteState
  readonly #requests: CassetteRequests
  /** The values of each block that were handed over, so that each is handed over only once. */
  readonly #seen = new LRUCache<string, SeenBlock>({ max: blocksKept })
  readonly #numbered = new LRUCache<string, true>({ max: 4 * blocksKept })
  readonly #headed = new LRUCache<string, true>({ max: 4 * blocksKept })
  readonly #open = new LRUCache<string, OpenBlock>({ max: blocksKept })
  /** Why requests at a block cannot be recorded any more, by chain and hash. */
  readonly #conflicts = new Map<string, string>()
  #pending: (() => void)[] = []

  /** @throws ForkrouteError STORAGE_UNAVAILABLE when the file cannot be opened for writing. */
  constructor(file: string, head: CassetteHead, options: RecorderOptions) {
    this.#db = openCassetteFile(file, 'write')
    this.#head = head
    this.#options = options
    this.#state = new CassetteState(this.#db)
    this.#requests = new CassetteRequests(this.#db)
    guarded(() => {
      const isNew = Object.keys(this.#requests.facts()).length === 0
      if (isNew) this.#requests.putFacts(head.facts)
    })
  }

  /** Records the block as the one that has its number. */
  number(pin: BlockPin): void {
    const name = `${pin.chainId}:${pin.number}:${pin.hash}`
    if (this.#numbered.has(name)) return
    this.#numbered.set(name, true)
    this.#later(() => this.#state.blocks.setCanonical(pin.chainId, pin))
  }

  block({ pin, json }: VerifiedBlock): void {
    const name = keyOf(pin.chainId, pin.hash)
    if (this.#headed.has(name)) return
    this.#headed.set(name, true)
    this.#later(() => this.#state.blocks.put(pin.chainId, pin, headerOnly(json)))
  }

  state(chainId: number, key: ItemKey, at: BlockRef, answer: Answer<Hex>): void {
    const name = keyOf(chainId, at.hash)
    const block = this.#seen.get(name) ?? { at, keys: new Set<ItemKey>() }
    this.#seen.set(name, block)
    const mark = answer.ok ? `${key}=${answer.value.length > 66 ? '' : answer.value}` : `${key}!`
    if (block.keys.has(mark)) return
    block.keys.add(mark)
    this.#later(() => this.#write(chainId, key, at, answer))
  }

  call(chainId: number, { to, data }: MadeCall, at: BlockRef, value: Hex): void {
    this.#later(() => this.#state.answers.putCall(this.#openBlock(chainId, at).id, to, data, value))
  }

  note(chainId: number, name: string, text: string, at: BlockRef): void {
    this.#later(() => this.#state.answers.putNote(this.#openBlock(chainId, at).id, name, text))
  }

  changes(chainId: number, question: ChangesQuestion, numbers: readonly bigint[]): void {
    this.#later(() => this.#state.answers.putChanges(chainId, question, numbers))
  }

  /**
   * Writes everything held so far, and the request, into the file.
   *
   * @returns its number in the cassette.
   * @throws ForkrouteError STORAGE_UNAVAILABLE; the request is then not in the file.
   */
  request(entry: NumberedEntry): number {
    if (this.#options.isResumed) {
      throw failed('the archive was started again, and what it had read before is lost')
    }
    let id = 0
    this.#flush(() => {
      const ids = entry.blocks.map(({ chainId, number, hash }) => {
        const conflict = this.#conflicts.get(keyOf(chainId, hash))
        if (conflict) throw failed(conflict)
        return this.#state.blocks.put(chainId, { number, hash }, null)
      })
      id = this.#requests.put(entry, this.#head.version, ids)
    })
    return id
  }

  close(): void {
    this.#flushOrWarn()
    this.#db.close()
  }

  #later(write: () => void): void {
    this.#pending.push(write)
    if (this.#pending.length >= maxPending) this.#flushOrWarn()
  }

  #flushOrWarn(): void {
    try {
      this.#flush()
    } catch (error) {
      this.#options.warn((error as Error).message)
    }
  }

  /** All or nothing; values that could not be written are tried again with the next request. */
  #flush(last: () => void = () => undefined): void {
    try {
      guarded(() =>
        this.#db.transaction(() => {
          for (const write of this.#pending) write()
          last()
        })(),
      )
      this.#pending = []
    } catch (error) {
      // The transaction was rolled back: row ids remembered during it are no longer valid.
      this.#open.clear()
      throw error
    }
  }

  #openBlock(chainId: number, at: BlockRef): OpenBlock {
    const name = keyOf(chainId, at.hash)
    const known = this.#open.get(name)
    if (known) return known
    const id = this.#state.blocks.put(chainId, at, null)
    const opened = { id, values: new Map(this.#state.cells.stateOf({ id }).values) }
    this.#open.set(name, opened)
    return opened
  }

  #write(chainId: number, key: ItemKey, at: BlockRef, answer: Answer<Hex>): void {
    const { cells } = this.#state
    const { id, values } = this.#openBlock(chainId, at)
    const before = values.get(key)
    // A node may lose state between two reads, or find it: the value counts, not the refusal.
    if (before?.kind === 'value' && !answer.ok) return
    const cell = cells.put(key, answer)
    if (before?.cell === cell && before.kind !== 'damaged') return
    if (before?.kind === 'value') {
      const what = `${describe(key)} at block ${at.number} of chain ${chainId}`
      this.#conflicts.set(keyOf(chainId, at.hash), `the cassette has another value of ${what}`)
      return
    }
    if (before) cells.removeRead(id, before.cell)
    cells.putRead(id, cell)
    values.set(
      key,
      answer.ok
        ? { kind: 'value', cell, bytes: Buffer.alloc(0) }
        : { kind: 'unreadable', cell, message: answer.message },
    )
  }
}

function failed(reason: string): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `The answer is not recorded: ${reason}.`)
}

function keyOf(chainId: number, hash: Hex): string {
  return `${chainId}:${hash}`
}
