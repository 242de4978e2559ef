/** The custom errors of our contracts and of Permit2, for decoding what a transaction reverts with. */
import type { Abi } from 'viem'
import { contracts, standalone } from './generated/contracts.js'
import { permit2ErrorsAbi } from './permit2.js'

type AbiError = Extract<Abi[number], { type: 'error' }>

/**
 * Every error once, by name. The `reason` of `StepFailed` is the revert data of the step's target,
 * which has to be decoded in turn.
 */
export const executorErrorsAbi: readonly AbiError[] = [
  ...new Map(
    [...Object.values({ ...contracts, ...standalone }).map(({ abi }): Abi => abi), permit2ErrorsAbi]
      .flatMap((abi) => abi.filter((item) => item.type === 'error'))
      .map((error): [string, AbiError] => [error.name, error]),
  ).values(),
]
