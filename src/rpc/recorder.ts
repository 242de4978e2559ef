/**
 * Writes everything that the archive answers into a cassette, and reads a cassette for a replay.
 * A cassette that cannot be written is reported: a replay would name what it lacks.
 */
import type { BlockPin, Hex } from '../domain/primitives.js'
import { type AnswerRow, openAnswerDb } from './answer-db.js'
import type { VerifiedBlock } from './block-check.js'
import { layout, unreadableMark } from './chain-source.js'
import type { CodeStore } from './code-book.js'
import { type ItemKey, isCode } from './state-item.js'
import type { Answer, BlockRef } from './upstream.js'

export interface Recorder {
  head(pin: BlockPin): void
  /** The block is the one of its number. */
  number(pin: BlockPin): void
  block(block: VerifiedBlock, full: boolean): void
  state(chainId: number, key: ItemKey, block: BlockRef, answer: Answer<Hex>): void
  close(): void
}

const flushAfterMs = 500

/** @throws When the file cannot be opened for writing. */
export function createRecorder(
  file: string,
  codes: CodeStore,
  warn: (message: string) => void,
): Recorder {
  const db = openAnswerDb(file, 'record')
  const written = new Map<string, string>()
  let pending: AnswerRow[] = []
  let timer: NodeJS.Timeout | null = null

  function put(row: AnswerRow): void {
    const id = `${row.scope}|${row.item}`
    const { length } = row.value
    // Blocks and code are named by their hash, so their length tells enough; holding them twice would not.
    const mark = length > 100 ? String(length) : row.value
    if (written.get(id) === mark) return
    written.set(id, mark)
    pending.push(row)
    timer ??= setTimeout(flush, flushAfterMs)
  }

  function flush(): void {
    if (timer) clearTimeout(timer)
    timer = null
    const rows = pending
    pending = []
    try {
      db.put(rows)
    } catch (error) {
      pending = rows.concat(pending)
      const code = (error as { code?: string }).code ?? 'unknown reason'
      warn(`The recording cannot be written: ${code}.`)
    }
  }

  return {
    head(pin) {
      put({ scope: layout.chainScope(pin.chainId), item: 'head', value: pin.hash })
      this.number(pin)
    },
    number(pin) {
      const scope = layout.chainScope(pin.chainId)
      put({ scope, item: `number:${pin.number}`, value: pin.hash })
    },
    block({ pin, json }, full) {
      const scope = layout.blockScope(pin.chainId, pin.hash)
      put({ scope, item: layout.block(full), value: JSON.stringify(json) })
    },
    state(chainId, key, block, answer) {
      const scope = layout.blockScope(chainId, block.hash)
      if (!answer.ok) return put({ scope, item: key, value: `${unreadableMark}${answer.message}` })
      if (!isCode(key) || answer.value === '0x') {
        return put({ scope, item: key, value: answer.value })
      }
      const id = codes.put(answer.value)
      put({ scope: layout.codeScope, item: id, value: answer.value })
      put({ scope, item: key, value: id })
    },
    close() {
      flush()
      db.close()
    },
  }
}
