/** Sends simulations that several quotes request at about the same time as one batch. */
import type { SimulationRequest, SimulationResult } from '../../domain/state.js'
import { ForkLostError } from '../../forks/faults.js'
import type { Simulate } from '../block/simulator.js'

interface Waiting {
  readonly requests: readonly SimulationRequest[]
  resolve(results: SimulationResult[]): void
  reject(error: unknown): void
}

/**
 * Everything requested before the event loop turns is sent together. A failure that is not the fork's may be due to a
 * single quote, so each is then sent by itself.
 */
export function gather(send: Simulate): Simulate {
  let waiting: Waiting[] = []

  async function sendAll(): Promise<void> {
    const group = waiting
    waiting = []
    try {
      const results = await send(group.flatMap(({ requests }) => requests))
      let start = 0
      for (const { requests, resolve } of group) {
        resolve(results.slice(start, start + requests.length))
        start += requests.length
      }
    } catch (error) {
      if (group.length === 1 || error instanceof ForkLostError) {
        for (const { reject } of group) reject(error)
      } else {
        for (const { requests, resolve, reject } of group) send(requests).then(resolve, reject)
      }
    }
  }

  return (requests) =>
    new Promise((resolve, reject) => {
      waiting.push({ requests, resolve, reject })
      if (waiting.length === 1) setImmediate(sendAll)
    })
}
