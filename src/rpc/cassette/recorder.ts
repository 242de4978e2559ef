/**
 * Writes a cassette: answers of the archive are held until a request is done, and written together with it in one
 * transaction. So a file always holds what its requests need, however the recording ends. One recorder per file.
 */
import { LRUCache } from 'lru-cache'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import type { ChangesQuestion } from '../node/changed-blocks.js'
import { headerOnly } from '../node/header.js'
import { describe, type ItemKey } from '../node/state-item.js'
import { guarded, openCassetteFile } from './cassette-file.js'
import { type CassetteHead, cassetteRequests, type NumberedEntry } from './cassette-requests.js'
import { cassetteState, type HeldValue } from './cassette-state.js'

export interface Recorder {
  /** Records the block as the one that has its number. */
  number(pin: BlockPin): void
  block(block: VerifiedBlock): void
  state(chainId: number, key: ItemKey, block: BlockRef, answer: Answer<Hex>): void
  changes(chainId: number, question: ChangesQuestion, numbers: readonly bigint[]): void
  call(chainId: number, to: Address, data: Hex, block: BlockRef, value: Hex): void
  note(chainId: number, name: string, text: string, block: BlockRef): void
  /**
   * Writes everything held so far, and the request, into the file.
   * @returns its number in the cassette.
   * @throws ForkrouteError STORAGE_UNAVAILABLE; the request is then not in the file.
   */
  request(entry: NumberedEntry): number
  close(): void
}

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

/**
 * @param isResumed - an earlier recorder of this process died and lost what it held.
 * @throws ForkrouteError STORAGE_UNAVAILABLE when the file cannot be opened for writing.
 */
export function createRecorder(
  file: string,
  head: CassetteHead,
  options: { readonly isResumed: boolean; warn(message: string): void },
): Recorder {
  const db = openCassetteFile(file, 'write')
  const state = cassetteState(db)
  const requests = cassetteRequests(db)
  guarded(() => {
    if (Object.keys(requests.facts()).length === 0) requests.putFacts(head.facts)
  })
  /** The values of each block that were handed over, so that each is handed over only once. */
  const seen = new LRUCache<string, SeenBlock>({ max: blocksKept })
  const numbered = new LRUCache<string, true>({ max: 4 * blocksKept })
  const headed = new LRUCache<string, true>({ max: 4 * blocksKept })
  const open = new LRUCache<string, OpenBlock>({ max: blocksKept })
  /** Why requests at a block cannot be recorded any more, by chain and hash. */
  const conflicts = new Map<string, string>()
  let pending: (() => void)[] = []

  function later(write: () => void): void {
    pending.push(write)
    if (pending.length < maxPending) return
    try {
      flush()
    } catch (error) {
      options.warn((error as Error).message)
    }
  }

  /** All or nothing; values that could not be written are tried again with the next request. */
  function flush(last: () => void = () => undefined): void {
    try {
      guarded(() =>
        db.transaction(() => {
          for (const write of pending) write()
          last()
        })(),
      )
      pending = []
    } catch (error) {
      // The transaction was rolled back: row ids remembered during it are no longer valid.
      open.clear()
      throw error
    }
  }

  function openBlock(chainId: number, at: BlockRef): OpenBlock {
    const name = keyOf(chainId, at.hash)
    const known = open.get(name)
    if (known) return known
    const id = state.putBlock(chainId, at, null)
    const row = { id, chainId, number: Number(at.number), hash: at.hash }
    const opened = { id, values: new Map(state.stateOf(row).values) }
    open.set(name, opened)
    return opened
  }

  function write(chainId: number, key: ItemKey, at: BlockRef, answer: Answer<Hex>): void {
    const { id, values } = openBlock(chainId, at)
    const before = values.get(key)
    // A node may lose state between two reads, or find it: the value counts, not the refusal.
    if (before?.kind === 'value' && !answer.ok) return
    const cell = state.putCell(key, answer)
    if (before?.cell === cell && before.kind !== 'damaged') return
    if (before?.kind === 'value') {
      const what = `${describe(key)} at block ${at.number} of chain ${chainId}`
      conflicts.set(keyOf(chainId, at.hash), `the cassette has another value of ${what}`)
      return
    }
    if (before) state.removeRead(id, before.cell)
    state.putRead(id, cell)
    values.set(
      key,
      answer.ok
        ? { kind: 'value', cell, bytes: Buffer.alloc(0) }
        : { kind: 'unreadable', cell, message: answer.message },
    )
  }

  return {
    number(pin) {
      const name = `${pin.chainId}:${pin.number}:${pin.hash}`
      if (numbered.has(name)) return
      numbered.set(name, true)
      later(() => state.setCanonical(pin.chainId, pin))
    },
    block({ pin, json }) {
      const name = keyOf(pin.chainId, pin.hash)
      if (headed.has(name)) return
      headed.set(name, true)
      later(() => state.putBlock(pin.chainId, pin, headerOnly(json)))
    },
    state(chainId, key, at, answer) {
      const name = keyOf(chainId, at.hash)
      const block = seen.get(name) ?? { at, keys: new Set<ItemKey>() }
      seen.set(name, block)
      const mark = answer.ok ? `${key}=${answer.value.length > 66 ? '' : answer.value}` : `${key}!`
      if (block.keys.has(mark)) return
      block.keys.add(mark)
      later(() => write(chainId, key, at, answer))
    },
    call: (chainId, to, data, at, value) =>
      later(() => state.putCall(openBlock(chainId, at).id, to, data, value)),
    note: (chainId, name, text, at) =>
      later(() => state.putNote(openBlock(chainId, at).id, name, text)),
    changes: (chainId, question, numbers) =>
      later(() => state.putChanges(chainId, question, numbers)),
    request(entry) {
      if (options.isResumed) {
        throw failed('the archive was started again, and what it had read before is lost')
      }
      let id = 0
      flush(() => {
        const ids = entry.blocks.map(({ chainId, number, hash }) => {
          const conflict = conflicts.get(keyOf(chainId, hash))
          if (conflict) throw failed(conflict)
          return state.putBlock(chainId, { number, hash }, null)
        })
        id = requests.put(entry, head.version, ids)
      })
      return id
    },
    close() {
      try {
        flush()
      } catch (error) {
        options.warn((error as Error).message)
      }
      db.close()
    },
  }
}

function failed(reason: string): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `The answer is not recorded: ${reason}.`)
}

function keyOf(chainId: number, hash: Hex): string {
  return `${chainId}:${hash}`
}
