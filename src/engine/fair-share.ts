import { createWaitingLine } from './turns.js'

/**
 * Decides who may calculate: live calls at once, background work in the capacity that they leave. Without live calls,
 * as many background calculations run as keep the threads busy; beside live calls one at a time, so that background
 * work progresses with little disturbance. A waiting calculation holds no thread, no fork and no place in the queue.
 */
export interface FairShare {
  live<T>(work: () => Promise<T>): Promise<T>
  /** First come, first served. @throws the signal's reason when it is aborted while waiting. */
  background<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** @param most - background calculations at a time while there are no live calls. */
export function createFairShare(most: number): FairShare {
  const line = createWaitingLine()
  let lives = 0
  let backgrounds = 0

  function startWaiting(): void {
    while (backgrounds < (lives ? 1 : most) && line.next()) backgrounds += 1
  }

  function turn(signal: AbortSignal): Promise<void> {
    const begun = line.join(signal)
    startWaiting()
    return begun
  }

  return {
    async live(work) {
      lives += 1
      try {
        return await work()
      } finally {
        lives -= 1
        startWaiting()
      }
    },
    async background(work, signal) {
      await turn(signal)
      try {
        return await work()
      } finally {
        backgrounds -= 1
        startWaiting()
      }
    },
  }
}
