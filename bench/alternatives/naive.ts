/** The naive loop: viem on one Anvil fork; per path a snapshot, funds, approval, swap, receipts, balance, revert. */
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  erc20Abi,
  http,
  numberToHex,
} from 'viem'
import { foundry } from 'viem/chains'
import type { TestAnvil } from '../../test/support/anvil.js'
import { type Choice, describePath, gasValue, type Question, sender } from './contract.js'
import { swapCall } from './swap-call.js'

/** viem's default is three minutes. */
const receiptTimeoutMs = 10_000

/**
 * @param fork - of the block, with the routers in place. Mines when asked: with automining, a transaction that is
 * the same as one before the revert, such as an approval, is now and then never mined.
 */
export async function chooseNaively(fork: TestAnvil, question: Question): Promise<Choice> {
  const { trade, gasPrice, paths } = question
  const options = {
    chain: { ...foundry, id: question.pin.chainId },
    transport: http(fork.url),
    pollingInterval: 10,
  } as const
  const test = createTestClient({ ...options, mode: 'anvil' })
  const reader = createPublicClient(options)
  const wallet = createWalletClient({ ...options, account: sender })
  const balance = () =>
    reader.readContract({
      address: trade.tokenOut,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [sender],
    })
  let best: { net: bigint; choice: Choice } | undefined
  for (const path of paths) {
    const tx = swapCall(path, trade)
    const snapshot = await test.snapshot()
    try {
      await test.setBalance({ address: sender, value: 10n ** 20n })
      await fork.rpc('anvil_dealERC20', [sender, trade.tokenIn, numberToHex(trade.amountIn)])
      await test.impersonateAccount({ address: sender })
      const approval = await wallet.writeContract({
        address: trade.tokenIn,
        abi: erc20Abi,
        functionName: 'approve',
        args: [tx.to, trade.amountIn],
      })
      await test.mine({ blocks: 1 })
      await reader.waitForTransactionReceipt({ hash: approval, timeout: receiptTimeoutMs })
      const before = await balance()
      const hash = await wallet.sendTransaction(tx)
      await test.mine({ blocks: 1 })
      const receipt = await reader.waitForTransactionReceipt({ hash, timeout: receiptTimeoutMs })
      const amountOut = (await balance()) - before
      const net = amountOut - gasValue(receipt.gasUsed, gasPrice, trade)
      if (receipt.status === 'success' && (!best || net > best.net)) {
        best = { net, choice: { tx, route: describePath(path), paths: [] } }
      }
    } catch {
      // A path that reverts or loses its receipt is none.
    } finally {
      await test.revert({ id: snapshot })
    }
  }
  if (!best) throw new Error('no path went through')
  return best.choice
}
