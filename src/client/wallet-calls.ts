/** Lists of calls that a wallet carries out as a whole or not at all (EIP-5792), and receipts. */
import type { Address, Chain, Client, Hash, Hex, TransactionReceipt } from 'viem'
import {
  getCapabilities,
  getTransactionReceipt,
  sendCalls,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from 'viem/actions'
import { ExecutionError, TransactionRevertedError } from './errors.js'
import type { Wallet } from './execution.js'

export interface WalletCall {
  readonly to: Address
  readonly data: Hex
  readonly value?: bigint
}

/**
 * Whether the wallet says that it carries out lists atomically for this account as it is. Not where it would change the
 * account's code first (`ready`): that is for its owner to decide. A local account has no wallet to ask.
 */
export async function takesCallLists(wallet: Wallet, chainId: number): Promise<boolean> {
  const { account } = wallet
  if (account.type === 'local') return false
  const { atomic } = await getCapabilities(wallet, { account, chainId }).catch(() => ({
    atomic: undefined,
  }))
  return atomic?.status === 'supported'
}

/** How a route was carried out. */
export interface Carried {
  /** The wallet's id of the list; null: it was no list. */
  readonly callsId: string | null
  /** Receipt of the transaction that carried the call. */
  readonly receipt: TransactionReceipt
  /** Transactions by which the account's count grew, where it is the sender. */
  readonly sent: number
}

/**
 * @throws TransactionRevertedError, ExecutionError where there was no transaction.
 */
export async function sendTogether(
  wallet: Wallet,
  chainId: number,
  calls: readonly WalletCall[],
): Promise<Carried> {
  const { account } = wallet
  const chain = { ...wallet.chain, id: chainId } as Chain
  const { id } = await sendCalls(wallet, { account, chain, calls, forceAtomic: true })
  const { status, statusCode, receipts } = await waitForCallsStatus(wallet, { id })
  const hash = receipts?.at(-1)?.transactionHash
  if (!hash) {
    throw new ExecutionError(`The wallet did not carry out the calls (status ${statusCode}).`)
  }
  if (status === 'success') return { callsId: id, receipt: await mined(wallet, hash), sent: 1 }
  // The transaction around a list that failed may have succeeded.
  throw new TransactionRevertedError(await getTransactionReceipt(wallet, { hash }))
}

/** @throws TransactionRevertedError */
export async function mined(client: Client, hash: Hash): Promise<TransactionReceipt> {
  const receipt = await waitForTransactionReceipt(client, { hash })
  if (receipt.status === 'reverted') throw new TransactionRevertedError(receipt)
  return receipt
}
