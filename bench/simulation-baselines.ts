/** Two ways that people simulate with Anvil, on one fork each: raw and tuned, and as viem's documentation shows it. */

import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  http,
  numberToHex,
} from 'viem'
import { foundry } from 'viem/chains'
import { ethereum } from '../src/chains/ethereum.js'
import type { BlockPin, Hex } from '../src/domain/primitives.js'
import { blockEnvironment, maxTransactionGas } from '../src/forks/block-environment.js'
import { createRpcClient } from '../src/rpc/node/json-rpc.js'
import { type Candidate, router, routerCode, sender } from './simulation-candidates.js'

/** The loop loses a receipt now and then and would wait three minutes for it. */
const receiptTimeoutMs = 2_000

/** Outcome of one candidate: gas of the receipt, or null when it failed. */
export type Outcome = bigint | null
export type Baseline = (candidate: Candidate) => Promise<Outcome>

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
}

async function prepare(url: string, candidates: readonly Candidate[]): Promise<void> {
  const client = createRpcClient(url)
  await client.request('anvil_setCode', [router, routerCode])
  await client.request('anvil_setBalance', [sender, numberToHex(10n ** 24n)])
  for (const { request } of candidates) {
    for (const [address, { stateDiff }] of Object.entries(request.overrides)) {
      for (const [slot, word] of Object.entries(stateDiff ?? {})) {
        await client.request('anvil_setStorageAt', [address, slot, word])
      }
    }
  }
  await client.close()
}

/**
 * Snapshot, send, mine, receipt, revert: raw requests over a kept connection; balances, allowances and
 * impersonation set once, gas and fees given. One batch would be fewer requests, but Anvil does not keep its order.
 */
export async function tunedBaseline(
  url: string,
  pin: BlockPin,
  candidates: readonly Candidate[],
): Promise<Baseline> {
  await prepare(url, candidates)
  const client = createRpcClient(url, { connections: 1 })
  await client.request('anvil_impersonateAccount', [sender])
  const { baseFeePerGas, time } = blockEnvironment(pin, ethereum)
  const environment = [
    { method: 'anvil_setNextBlockBaseFeePerGas', params: [numberToHex(baseFeePerGas)] },
    { method: 'evm_setNextBlockTimestamp', params: [numberToHex(time)] },
  ]
  const fees = { maxFeePerGas: numberToHex(baseFeePerGas), maxPriorityFeePerGas: '0x0' }
  const gas = numberToHex(maxTransactionGas)
  return async ({ request }) => {
    const snapshot = await client.request('evm_snapshot')
    await client.batch(environment)
    const hash = await client.request('eth_sendTransaction', [
      { from: sender, to: router, data: request.data, gas, ...fees },
    ])
    await client.request('evm_mine')
    const receipt = await client.request<Receipt | null>('eth_getTransactionReceipt', [hash])
    await client.request('evm_revert', [snapshot])
    return receipt?.status === '0x1' ? BigInt(receipt.gasUsed) : null
  }
}

/** Snapshot, impersonate, approve, send, wait for the receipts, read the balance, revert; Anvil mines by itself. */
export async function naiveBaseline(
  url: string,
  candidates: readonly Candidate[],
): Promise<Baseline> {
  await prepare(url, candidates)
  const options = { chain: foundry, transport: http(url), pollingInterval: 10 } as const
  const test = createTestClient({ ...options, mode: 'anvil' })
  const reader = createPublicClient(options)
  const wallet = createWalletClient({ ...options, account: sender })
  await test.setAutomine(true)
  return async ({ request, tokenIn, tokenOut, amountIn }) => {
    const snapshot = await test.snapshot()
    try {
      await test.impersonateAccount({ address: sender })
      const balanceArgs = { abi: erc20Abi, functionName: 'balanceOf', args: [sender] } as const
      await reader.readContract({ address: tokenOut, ...balanceArgs })
      for (const amount of [0n, amountIn]) {
        const hash = await wallet.writeContract({
          chain: null,
          address: tokenIn,
          abi: erc20Abi,
          functionName: 'approve',
          args: [router, amount],
        })
        await reader.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs })
      }
      const hash = await wallet.sendTransaction({ to: router, data: request.data, chain: null })
      const receipt = await reader.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs })
      await reader.readContract({ address: tokenOut, ...balanceArgs })
      await test.stopImpersonatingAccount({ address: sender })
      return receipt.status === 'success' ? receipt.gasUsed : null
    } catch {
      return null
    } finally {
      await test.revert({ id: snapshot })
    }
  }
}
