import { type Hash, type Hex, numberToHex, type PublicClient, type TransactionReceipt } from 'viem'
import { expect, vi } from 'vitest'
import type { Address } from '../../src/domain/primitives.js'

interface Receipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly contractAddress: Address | null
}

/**
 * Sends a transaction to a node that mines by itself, and waits until it has. It has to succeed.
 * @param request - asks the node.
 */
export async function mined(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  sent: { readonly from: Address; readonly to?: Address | null; readonly data?: Hex },
): Promise<Receipt> {
  const { to, ...rest } = sent
  const tx = { ...rest, ...(to && { to }), gas: numberToHex(8_000_000n) }
  const hash = await request('eth_sendTransaction', [tx])
  const receipt = await vi.waitFor(
    async () => {
      const found = await request('eth_getTransactionReceipt', [hash])
      if (!found) throw new Error('it is not mined yet')
      return found as Receipt
    },
    { timeout: 60_000 },
  )
  expect(receipt.status).toBe('0x1')
  return receipt
}

/**
 * Waits for the receipt of a transaction on a chain whose blocks come with transactions alone. viem ignores a new block
 * while it looks for a transaction that replaces this one, and no other block would follow it here.
 */
export function receiptOf(client: PublicClient, hash: Hash): Promise<TransactionReceipt> {
  return client.waitForTransactionReceipt({ hash, checkReplacement: false, pollingInterval: 20 })
}
