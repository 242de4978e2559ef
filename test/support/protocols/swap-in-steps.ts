/** One swap by an adapter's own steps on a bare Anvil, of which some take their amounts from what others answer. */
import { type Abi, encodeFunctionData, numberToHex } from 'viem'
import { type ExecutorStep, isAmountRef } from '../../../src/domain/order.js'
import type { Address } from '../../../src/domain/primitives.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { Swap } from '../../../src/protocols/protocol.js'
import { erc20Abi } from './pool-context.js'
import { loadOne, type SwapScene } from './swap-on-chain.js'

interface SwapInSteps<State> {
  readonly quote: Pick<Swap, 'amountOut' | 'exact'>
  /** Raw units of tokenOut; 0n where the chain refused, and the chain is then as it was. */
  readonly received: bigint
  /** Raw units of tokenIn that were spent. */
  readonly spent: bigint
  /** As the adapter foresees it, and as it is. */
  readonly next: State
  readonly found: State
}

let recipients = 0n

export async function swapInSteps<State>(
  scene: SwapScene<State>,
  pool: Pool,
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
): Promise<SwapInSteps<State>> {
  const { context, adapter, chain, venue, helpers } = scene
  const { state } = await loadOne(scene, pool)
  recipients += 1n
  const recipient: Address = numberToHex(0xfeed_0000_0000n + recipients, { size: 20 })
  const args = { chain, venue, pool, state, helpers, recipient, executor: context.trader }
  const firstStep = 7
  const steps = adapter.swaps.encodeSwap({ ...args, tokenIn, tokenOut, amountIn, firstStep })
  const held = await context.balanceOf(tokenIn, context.trader)
  await context.attempt(() => run(scene, steps, firstStep))
  const { amountOut, exact, after } = adapter.swaps.swap(
    pool,
    state,
    { tokenIn, tokenOut },
    amountIn,
  )
  return {
    quote: { amountOut, exact },
    received: await context.balanceOf(tokenOut, recipient),
    spent: held - (await context.balanceOf(tokenIn, context.trader)),
    next: after(),
    found: (await loadOne(scene, pool)).state,
  }
}

/** False where the chain refused one of them. */
async function run<State>(
  { context }: SwapScene<State>,
  steps: readonly ExecutorStep[],
  firstStep: number,
): Promise<boolean> {
  const results = new Map<number, bigint>()
  const resolved = (value: unknown) => {
    if (!isAmountRef(value)) return value
    const known = value.ref === 'output' ? results.get(value.step) : undefined
    if (known === undefined) throw new Error('a reference to nothing')
    return known
  }
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'transfer') throw new Error('a transfer')
    const [to, abi, name, args]: [Address, Abi, string, readonly unknown[]] =
      step.kind === 'approve'
        ? [step.token, erc20Abi, 'approve', [step.spender, resolved(step.amount)]]
        : [step.target, [step.abi], step.abi.name, step.args.map(resolved)]
    if (step.kind === 'call' && step.output) {
      if (step.output.kind !== 'word') throw new Error('a balance as a result')
      const data = encodeFunctionData({ abi, functionName: name, args })
      const answer = await context.call(to, data, undefined, context.trader).catch(() => null)
      if (answer === null) return false
      const at = 2 + step.output.index * 64
      results.set(firstStep + index, BigInt(`0x${answer.slice(at, at + 64)}`))
    }
    if (!(await context.send(to, abi, name, args))) return false
  }
  return true
}
