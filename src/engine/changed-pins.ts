/**
 * Calculations with a state or a block that is not the chain's. What their request changed has forks of its own, so only so
 * many run at a time, and nothing of them is seen by any other. What an overlay changes is shared by all that it is given to.
 */

import { accountsIn, type StateOverlay } from '../domain/changes/overlay.js'
import { type ChangedAccounts, toPinChanges, type WhatIf } from '../domain/changes/what-if.js'
import { invalidRequest } from '../domain/common-errors.js'
import type { BlockPin } from '../domain/primitives.js'
import type { Archive } from '../rpc/archive/archive.js'
import type { ChangedState } from '../rpc/archive/decided-states.js'
import { quietly } from '../telemetry/quietly.js'
import { createTurns } from './turns.js'

interface ChangedPins {
  /** Lets the work begin as there is room for it. @throws as `Turns.run`. */
  turn<T>(whatIf: WhatIf | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /**
   * Runs the work at the pin as changed; without changes, at the pin itself.
   * @throws ForkrouteError INVALID_REQUEST when the time asked for is not after the pinned block.
   */
  at<T>(pin: BlockPin, whatIf: WhatIf | undefined, work: (pin: BlockPin) => Promise<T>): Promise<T>
  /** Runs the work at the pin with the overlay, which must be meant for it. */
  overlaid<T>(pin: BlockPin, overlay: StateOverlay, work: (pin: BlockPin) => Promise<T>): Promise<T>
}

/** The state of an overlay in the archive, for as long as work uses it or it is the last one of its chain. */
interface SharedState {
  readonly overlay: StateOverlay
  readonly accounts: ChangedAccounts
  readonly state: Promise<ChangedState>
  users: number
}

/** Waiting calculations per thread; more are refused. */
const queuePerThread = 8

/** @param threads - as many such calculations run at a time. */
export function createChangedPins(archive: Pick<Archive, 'change'>, threads: number): ChangedPins {
  const turns = createTurns(threads, threads * queuePerThread)
  const shared = new WeakMap<StateOverlay, SharedState>()
  const last = new Map<number, SharedState>()

  function take(overlay: StateOverlay): SharedState {
    const known = shared.get(overlay)
    const accounts = known?.accounts ?? accountsIn(overlay)
    const one = known ?? { overlay, accounts, state: archive.change(accounts), users: 0 }
    shared.set(overlay, one)
    const before = last.get(overlay.chainId)
    last.set(overlay.chainId, one)
    one.users += 1
    if (before && before !== one) releaseUnused(before)
    return one
  }

  function releaseUnused(one: SharedState): void {
    if (one.users > 0 || last.get(one.overlay.chainId) === one) return
    shared.delete(one.overlay)
    void quietly(
      one.state.then((state) => state.release()),
      'A state that could not be told needs no release.',
    )
  }

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
    async overlaid(pin, overlay, work) {
      const one = take(overlay)
      try {
        const { id } = await one.state
        const changes = toPinChanges({ accounts: one.accounts, block: {} }, id)
        return await work({ ...pin, changes: { ...changes, isShared: true } })
      } catch (error) {
        // A state that could not be told is asked for again.
        if (await isRejected(one.state)) shared.delete(overlay)
        throw error
      } finally {
        one.users -= 1
        releaseUnused(one)
      }
    },
  }
}

function isRejected(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  )
}

function checkTime({ number, timestamp }: BlockPin, { block }: WhatIf): void {
  if (block.timestamp === undefined || block.timestamp > timestamp) return
  throw invalidRequest([
    `blockOverrides.timestamp must be after block ${number}, which has ${timestamp} (not ${block.timestamp})`,
  ])
}
