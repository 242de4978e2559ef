/**
 * Brings together what is asked for within one turn of the event loop: adapters run concurrently, and each reads a
 * little.
 */
import type { LimitFunction } from 'p-limit'
import { chunksOf } from '../domain/lists.js'

interface Waiting<Asked, Result> {
  readonly asked: Asked
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface TurnBatchesParts<Asked, Result> {
  /** How many go in one batch. */
  readonly size: number
  /** Batches in flight. */
  readonly limit: LimitFunction
  /** Results in the order asked; what it throws fails all of the batch. */
  readonly send: (batch: readonly Asked[]) => Promise<readonly Result[]>
}

export class TurnBatches<Asked, Result> {
  readonly #parts: TurnBatchesParts<Asked, Result>
  #waiting: Waiting<Asked, Result>[] = []

  constructor(parts: TurnBatchesParts<Asked, Result>) {
    this.#parts = parts
  }

  add(asked: Asked): Promise<Result> {
    if (this.#waiting.length === 0) setImmediate(() => this.#sendAll())
    return new Promise((resolve, reject) => this.#waiting.push({ asked, resolve, reject }))
  }

  #sendAll(): void {
    const { size, limit, send } = this.#parts
    const all = this.#waiting
    this.#waiting = []
    for (const batch of chunksOf(all, size)) {
      limit(() => send(batch.map(({ asked }) => asked))).then(
        (results) => {
          for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
        },
        (error) => {
          for (const { reject } of batch) reject(error)
        },
      )
    }
  }
}
