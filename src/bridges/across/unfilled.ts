/** What is to be said of a deposit that no relayer has filled, and what anybody with the tokens may do. Pure. */
import { encodeFunctionData } from 'viem'
import type { ChainDefinition } from '../../chains/chain.js'
import type { BlockPin } from '../../domain/primitives.js'
import type { DeliveryStatus } from '../bridge.js'
import { addressOf, type Relay, spokePoolAbi } from './spoke-pool.js'
import { spokePoolOf } from './tokens.js'

/** @param block - of the destination. */
export function unfilledStatus(
  relay: Relay,
  destination: ChainDefinition,
  block: Pick<BlockPin, 'timestamp'>,
): DeliveryStatus {
  const depositor = addressOf(relay.depositor)
  const refund = `Across pays ${relay.inputAmount} of ${addressOf(relay.inputToken)} back to ${depositor} on chain ${relay.originChainId}`
  const until = timeOf(relay.fillDeadline)
  if (BigInt(relay.fillDeadline) < block.timestamp) {
    const error = `Nobody filled the deposit until ${until}. ${refund} by itself, with one of its next settlements, some hours after that. No transaction is needed, and none is faster.`
    return { status: 'failed', transactionHash: null, error }
  }
  const isExclusive = BigInt(relay.exclusivityDeadline) >= block.timestamp
  const to = spokePoolOf(destination)
  const waiting = `No relayer has filled the deposit. Without one until ${until}, ${refund}, some hours after that.`
  const status = { status: 'inflight', transactionHash: null } as const
  if (isExclusive) {
    const error = `${waiting} Until ${timeOf(relay.exclusivityDeadline)} only ${addressOf(relay.exclusiveRelayer)} may fill it.`
    return { ...status, error }
  }
  if (!to) return { ...status, error: waiting }
  const args = [relay, relay.originChainId, relay.depositor] as const
  const fill = {
    to,
    data: encodeFunctionData({ abi: spokePoolAbi, functionName: 'fillRelay', args }),
    value: 0n,
    token: addressOf(relay.outputToken),
    amount: relay.outputAmount,
    repaidTo: depositor,
    repaidOnChainId: Number(relay.originChainId),
  }
  return { ...status, error: waiting, fill }
}

/** @param seconds - unix time. */
function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}
