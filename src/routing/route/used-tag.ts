/** Refuses a request whose tag was used before: each of its transactions would revert. */
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { RouteRequest } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { runnerAddress } from '../../executor/compile.js'
import { executorContracts } from '../../executor/deployments.js'
import type { Task } from '../block/task.js'

const { address, abi } = executorContracts.UsedTags

/** @throws ForkrouteError INVALID_REQUEST where the sender has carried out an order with the tag up to the block. */
export async function refuseUsedTag(
  { reader, pin }: Pick<Task, 'reader' | 'pin'>,
  { strategy, fromAddress, once }: RouteRequest,
): Promise<void> {
  if (once === undefined) return
  const args = [runnerAddress(strategy, fromAddress), once] as const
  const data = encodeFunctionData({ abi, functionName: 'isUsed', args })
  const [read] = await reader.call([{ to: address, data }])
  // What cannot be read is left to the simulation to find out.
  if (!read?.ok || !decodeFunctionResult({ abi, functionName: 'isUsed', data: read.value })) return
  throw new ForkrouteError(
    'INVALID_REQUEST',
    `The tag ${once} of once was used by ${fromAddress} up to block ${pin.number}: no further transaction with it can be carried out.`,
    { once, next: [{ parameter: 'once' }] },
  )
}
