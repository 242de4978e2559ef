/** What the choices really deliver: each is executed on an Anvil of its own, in the block after. */
import { concatHex, type Hex } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { executorAddress, executorContracts } from '../../src/executor/deployments.js'
import { gasPriceAfter } from '../../src/forks/block-environment.js'
import { executeOnFork, NotMined } from '../../test/support/execute.js'
import { type Choice, gasValue, sender, type Trade } from './contract.js'
import type { BenchContext, Warm, Way } from './measure.js'
import { placeCodes } from './venues.js'

/** The sender's Executor (ERC-1167): its first order deploys it, once. */
const clone: Hex = concatHex([
  '0x363d3d373d3d3d363d73',
  executorContracts.Executor.address,
  '0x5af43d82803e903d91602b57fd5bf3',
])

/** What a choice really delivers. */
export interface Delivered {
  readonly amountOut: bigint
  /** amountOut less gas. */
  readonly net: bigint
  readonly gas: bigint
}

/**
 * By trade and way; null where it has no answer, its transaction fails, or it leads where a recording holds no state.
 */
export async function judge(
  context: BenchContext,
  { trades, asked }: Warm,
): Promise<Record<Way, Delivered | null>[]> {
  const verdicts: Record<Way, Delivered | null>[] = []
  for (const [index, trade] of trades.entries()) {
    const done = new Map<string, Delivered | null>()
    const verdict: Partial<Record<Way, Delivered | null>> = {}
    for (const way of Object.keys(asked) as Way[]) {
      const choice = asked[way][index]?.choice
      if (!choice) {
        verdict[way] = null
        continue
      }
      const key = choice.tx.to + choice.tx.data
      if (!done.has(key)) done.set(key, await execute(context, trade, choice))
      verdict[way] = done.get(key) ?? null
    }
    verdicts.push(verdict as Record<Way, Delivered | null>)
  }
  return verdicts
}

async function execute(
  context: BenchContext,
  trade: Trade,
  { tx }: Choice,
): Promise<Delivered | null> {
  const executed = await executeOnFork({
    nodeUrl: context.nodeUrl,
    blockNumber: Number(context.head.number),
    tx: { from: sender, to: tx.to, data: tx.data, value: '0' },
    watch: [{ token: trade.tokenOut, owner: sender }],
    fund: [{ token: trade.tokenIn, amount: trade.amountIn }],
    approve: tx.to,
    deploy: true,
    prepare: (anvil) => placeCodes(anvil, { ...context.codes, [executorAddress(sender)]: clone }),
  }).catch((error: unknown) => {
    if (error instanceof NotMined) return null
    throw error
  })
  if (!executed) return null
  const { status, deltas, gasUsed } = executed
  const [amountOut = 0n] = deltas
  const gasPrice = gasPriceAfter(context.head, ethereum)
  const net = amountOut - gasValue(gasUsed, gasPrice, trade)
  return status === 'success' ? { amountOut, net, gas: gasUsed } : null
}
