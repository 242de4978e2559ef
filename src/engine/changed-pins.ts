/**
 * Calculations with a state or a block that their request changed. Each has forks of its own, so only so many run at a
 * time, and nothing of them is seen by any other.
 */
import { invalidRequest } from '../domain/common-errors.js'
import type { BlockPin } from '../domain/primitives.js'
import { toPinChanges, type WhatIf } from '../domain/what-if.js'
import type { Archive } from '../rpc/archive/archive.js'
import { createTurns } from './turns.js'

interface ChangedPins {
  /** Lets the work begin as there is room for it. @throws as `Turns.run`. */
  turn<T>(whatIf: WhatIf | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /**
   * Runs the work at the pin as changed; without changes, at the pin itself.
   * @throws ForkrouteError INVALID_REQUEST when the time asked for is not after the pinned block.
   */
  at<T>(pin: BlockPin, whatIf: WhatIf | undefined, work: (pin: BlockPin) => Promise<T>): Promise<T>
}

/** Waiting calculations per thread; more are refused. */
const queuePerThread = 8

/** @param threads - as many such calculations run at a time. */
export function createChangedPins(archive: Pick<Archive, 'change'>, threads: number): ChangedPins {
  const turns = createTurns(threads, threads * queuePerThread)
  return {
    turn: (whatIf, work, signal) => (whatIf ? turns.run(work, signal) : work()),
    async at(pin, whatIf, work) {
      if (!whatIf) return work(pin)
      checkTime(pin, whatIf)
      const isChanged = Object.keys(whatIf.accounts).length > 0
      const state = isChanged ? await archive.change(whatIf.accounts) : null
      try {
        return await work({ ...pin, changes: toPinChanges(whatIf, state?.id ?? null) })
      } finally {
        state?.release()
      }
    },
  }
}

function checkTime({ number, timestamp }: BlockPin, { block }: WhatIf): void {
  if (block.timestamp === undefined || block.timestamp > timestamp) return
  throw invalidRequest([
    `blockOverrides.timestamp must be after block ${number}, which has ${timestamp} (not ${block.timestamp})`,
  ])
}
