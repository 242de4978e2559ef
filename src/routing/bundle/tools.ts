/** Small helpers that planning and simulating a bundle share. */
import { type AbiFunction, toEventSelector } from 'viem'
import { ForkrouteError } from '../../domain/errors.js'
import type { Amount, ExecutorStep } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { SimulationLog, SimulationResult } from '../../domain/state.js'
import { executorContracts } from '../../executor/deployments.js'

/** Requirement on an amount that a route is searched for. */
export const moreThanZero = 'more than zero at this point'

/** Address of a helper contract. */
export function helper(name: string): Address {
  const known: Record<string, { readonly address: Address }> = executorContracts
  const contract = known[name]
  if (!contract) throw new RangeError(`There is no helper contract ${name}.`)
  return contract.address
}

const { Values } = executorContracts
const notedTopic = toEventSelector('Noted(uint256 indexed key, uint256 value)')

function valuesFunction(name: 'note' | 'requireAtLeast'): AbiFunction {
  const found = Values.abi.find((item) => item.type === 'function' && item.name === name)
  if (found?.type !== 'function') throw new RangeError(`Values has no function ${name}.`)
  return found
}

/** Reverts the transaction where the amount is below the minimum; its output is the amount. */
export function minimumStep(amount: Amount, minimum: Amount): ExecutorStep {
  const output = { kind: 'word', index: 0 } as const
  const abi = valuesFunction('requireAtLeast')
  return { kind: 'call', target: Values.address, abi, args: [amount, minimum], output }
}

/** Reverts the transaction where the amount is above the maximum; its output is the maximum. */
export function maximumStep(amount: Amount, maximum: bigint): ExecutorStep {
  return minimumStep(maximum, amount)
}

/** A call that only reports an amount to simulations; its output is the amount. */
export function noteStep(key: bigint, amount: Amount): ExecutorStep {
  const output = { kind: 'word', index: 0 } as const
  const abi = valuesFunction('note')
  return { kind: 'call', target: Values.address, abi, args: [key, amount], output }
}

/** What a `noteStep` call reported. */
interface Noted {
  readonly value: bigint
  /** Logs of the transaction up to the call. */
  readonly logs: readonly SimulationLog[]
}

/** The amounts that `noteStep` calls reported, by key. */
export function notedIn(result: SimulationResult): ReadonlyMap<bigint, Noted> {
  const noted = new Map<bigint, Noted>()
  const logs = result.status === 'success' ? result.logs : []
  for (const [index, { address, topics, data }] of logs.entries()) {
    const [topic, key] = topics
    if (topic !== notedTopic || key === undefined) continue
    if (address.toLowerCase() !== Values.address) continue
    noted.set(BigInt(key), { value: BigInt(data), logs: logs.slice(0, index) })
  }
  return noted
}

/** A transaction that cannot be simulated shows nothing about its actions. */
export function unreadable(message: string): ForkrouteError {
  return new ForkrouteError('STATE_UNAVAILABLE', `The bundle cannot be simulated: ${message}.`)
}
