/**
 * How much gas the simulations of one request may use together. Gas bounds the time that forks work, whatever the
 * machine and its load, so that an answer does not depend on them. Figures: docs/explanation/reliability.md.
 */
import { blockFacts } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import type { BlockPin } from '../domain/primitives.js'
import { maxTransactionGas } from './block-environment.js'

/** Thirteen transactions of the largest size; a quote with 24 candidates takes half of one. */
const gasPerRequest = 13n * maxTransactionGas

export interface GasBudget {
  /** Requests that share it. */
  readonly requests: number
  spend(gas: bigint): void
  /** @throws ForkrouteError SIMULATION_TOO_LARGE once all is spent. */
  check(pin: BlockPin): void
}

/** @param requests - that share the budget, each with its part; actions of a bundle count as requests. */
export function createGasBudget(requests = 1): GasBudget {
  const most = gasPerRequest * BigInt(requests)
  let left = most
  return {
    requests,
    spend(gas) {
      left -= gas
    },
    check(pin) {
      if (left > 0n) return
      throw new ForkrouteError(
        'SIMULATION_TOO_LARGE',
        `The simulations of the request use more than ${most} gas together, which is the limit. Ask for fewer quotes or actions at once.`,
        { ...blockFacts(pin), maxGas: most.toString() },
      )
    },
  }
}
