/** The transaction that proves a withdrawal: a node of its chain proves the slot, at the block of the dispute game. */
import type { Delivery, DeliveryStatus } from '../../bridges/bridge.js'
import { proveTransaction, slotOfWithdrawal } from '../../bridges/canonical/prove.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { TaskRunner } from '../task-runner.js'

/** The status with the transaction, or with why there is none; as it is where nothing is to be proven. */
export async function withProof(
  tasks: Pick<TaskRunner, 'pin' | 'runAt'>,
  delivery: Delivery,
  found: DeliveryStatus,
  context: CallContext,
): Promise<DeliveryStatus> {
  const { withdrawal } = found
  if (withdrawal?.phase !== 'provable' || withdrawal.provenBlockNumber === undefined) return found
  const without = (why: string) => ({ ...found, error: `${found.error} ${why}` })
  const blockNumber = BigInt(withdrawal.provenBlockNumber)
  try {
    const pin = await tasks.pin({ chainId: delivery.sourceChainId, blockNumber }, context)
    const proven = await tasks.runAt('slotProof', slotOfWithdrawal(delivery), pin, context)
    if (!proven) return without('No node of the source gives this proof.')
    const retry = proveTransaction(delivery, withdrawal, { ...proven, hash: pin.hash })
    if (retry) return { ...found, retry }
    return without('The game says something else of that block than the node of the source does.')
  } catch (error) {
    if (!(error instanceof ForkrouteError) || context.signal.aborted) throw error
    return without(`The proof cannot be read: ${error.message}`)
  }
}
