/** What the nodes of a chain know of a transaction: mined with its logs, waiting, or nothing. */
import { ForkrouteError } from '../../../domain/errors.js'
import type { Hex } from '../../../domain/primitives.js'
import type { Answer } from '../answer.js'
import type { NodeRequest } from '../node-request.js'
import { type EventLog, toEventLog } from './event-logs.js'

export interface Receipt {
  readonly hash: Hex
  readonly isSuccess: boolean
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly logs: readonly EventLog[]
  /** Wei charged on a rollup for posting it to L1; null where the node does not tell. */
  readonly l1DataFee: bigint | null
}

/** Every node that does not know it says the same. */
const notKnown = 'the node does not know it'

/** The value is a Receipt. */
export function receiptRequest(hash: Hex): NodeRequest {
  return {
    call: { method: 'eth_getTransactionReceipt', params: [hash] },
    judge(value) {
      if (value === null) return { kind: 'refused', message: notKnown }
      const receipt = toReceipt(value, hash)
      return receipt
        ? { kind: 'value', value: receipt }
        : { kind: 'odd', message: 'the answer of the node is not a receipt' }
    },
  }
}

/** The value is true. */
export function transactionRequest(hash: Hex): NodeRequest {
  return {
    call: { method: 'eth_getTransactionByHash', params: [hash] },
    judge(value) {
      if (value === null) return { kind: 'refused', message: notKnown }
      const { hash: own } = value as { readonly hash?: unknown }
      return String(own).toLowerCase() === hash
        ? { kind: 'value', value: true }
        : { kind: 'odd', message: 'the answer of the node is not that transaction' }
    },
  }
}

/**
 * @param ask - of the nodes; another that knows it is asked where one does not.
 * @returns null: no node knows it.
 * @throws ForkrouteError STATE_UNAVAILABLE when nodes refuse to tell; what `ask` throws.
 */
export async function findTransaction(
  chainId: number,
  ask: {
    receipt(): Promise<Answer<Receipt>>
    transaction(): Promise<Answer<true>>
  },
): Promise<Receipt | 'pending' | null> {
  const receipt = await ask.receipt()
  if (receipt.ok) return receipt.value
  refuseUnlessNotKnown(chainId, receipt.message)
  const sent = await ask.transaction()
  if (sent.ok) return 'pending'
  refuseUnlessNotKnown(chainId, sent.message)
  return null
}

function refuseUnlessNotKnown(chainId: number, message: string): void {
  if (message.split('; ').every((part) => part === notKnown)) return
  throw new ForkrouteError(
    'STATE_UNAVAILABLE',
    `The nodes of chain ${chainId} do not tell of transactions: ${message}.`,
    { chainId },
  )
}

function toReceipt(value: unknown, hash: Hex): Receipt | null {
  const { transactionHash, status, blockNumber, blockHash, logs } = value as Record<string, unknown>
  const isOwn = String(transactionHash).toLowerCase() === hash
  const isMined = /^0x[01]$/.test(String(status)) && /^0x[0-9a-f]{1,16}$/i.test(String(blockNumber))
  const inBlock = /^0x[0-9a-f]{64}$/i.test(String(blockHash))
  const events = Array.isArray(logs) ? logs.map(toEventLog) : [null]
  const own = events.filter((log): log is EventLog => log?.transactionHash === hash)
  if (!isOwn || !isMined || !inBlock || own.length < events.length) return null
  return {
    hash,
    isSuccess: status === '0x1',
    blockNumber: BigInt(String(blockNumber)),
    blockHash: String(blockHash).toLowerCase() as Hex,
    logs: own,
    l1DataFee: dataFeeIn(value as Record<string, unknown>),
  }
}

/**
 * OP-stack chains tell the fee, Arbitrum how much of the gas was for L1. An operator's fee is told by parameters alone, whose
 * meaning has changed with the upgrades of the chain, so where there is one the whole is not known.
 */
function dataFeeIn(receipt: Record<string, unknown>): bigint | null {
  const quantityOf = (name: string) => {
    const text = String(receipt[name])
    return /^0x[0-9a-f]{1,64}$/i.test(text) ? BigInt(text) : null
  }
  if (quantityOf('operatorFeeScalar') || quantityOf('operatorFeeConstant')) return null
  const fee = quantityOf('l1Fee')
  if (fee !== null) return fee
  const [gas, price] = [quantityOf('gasUsedForL1'), quantityOf('effectiveGasPrice')]
  return gas !== null && price !== null ? gas * price : null
}
