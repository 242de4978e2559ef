/**
 * How much gas the simulations of one request may use together. Gas bounds the time that a fork works, on every
 * machine alike; the costliest instructions take Anvil 18 ns per gas, so a budget is two seconds on each of two forks.
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

/** @param requests - that share the budget, each with its part. */
export function createGasBudget(requests = 1): GasBudget {
  let left = gasPerRequest * BigInt(requests)
  return {
    requests,
    spend(gas) {
      left -= gas
    },
    check(pin) {
      if (left > 0n) return
      throw new ForkrouteError(
        'SIMULATION_TOO_LARGE',
        `The simulations of one request may use ${gasPerRequest} gas together.`,
        { ...blockFacts(pin), maxGas: gasPerRequest.toString() },
      )
    },
  }
}
