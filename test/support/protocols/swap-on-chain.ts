/** One swap by an adapter's own steps on a bare Anvil, beside what the adapter says of it. */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../../src/chains/chain.js'
import type { Address } from '../../../src/domain/primitives.js'
import { executorContracts } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool, ProtocolAdapter, SwapQuote } from '../../../src/protocols/protocol.js'
import { erc20Abi, type PoolContext } from './pool-context.js'

const transferAbi = parseAbi(['function transfer(address, uint256)'])
const payAbi = parseAbi(['function callAndPay(address pool, address payToken, bytes data)'])

export interface SwapScene<State> {
  readonly context: PoolContext
  readonly adapter: ProtocolAdapter<State>
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly helpers: Readonly<Record<string, Address>>
}

interface SwapFound<State> {
  readonly quote: SwapQuote
  /** Raw units of tokenOut; 0n where the chain refused, and the chain is then as it was. */
  readonly received: bigint
  readonly before: State
  /** As the adapter foresees it, and as it is. */
  readonly next: State
  readonly found: State
}

/** Our helpers on the chain: those that the adapter declares, and the one that answers callbacks. */
export async function placeHelpers(
  context: PoolContext,
  names: readonly (keyof typeof executorContracts)[] = [],
): Promise<Readonly<Record<string, Address>>> {
  const helpers: Record<string, Address> = {}
  for (const name of ['CallbackPayer', ...names] as const) {
    helpers[name] = await context.deploy(executorContracts[name].initCode)
  }
  return helpers
}

export async function loadOne<State>(
  { context, adapter, chain, venue }: SwapScene<State>,
  pool: Pool,
): Promise<LoadedPool<State>> {
  const reader = await context.reader()
  const [loaded] = await adapter.load({ reader, chain, venue, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

let recipients = 0n

/** @param after - seconds until the block of the swap; absent: as Anvil has it. */
export async function swapOnChain<State>(
  scene: SwapScene<State>,
  pool: Pool,
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
  after?: number,
): Promise<SwapFound<State>> {
  const { context, adapter, chain, venue, helpers } = scene
  const { state } = await loadOne(scene, pool)
  recipients += 1n
  const recipient: Address = numberToHex(0xbeef_0000_0000n + recipients, { size: 20 })
  const quote = adapter.amountOut(pool, state, tokenIn, tokenOut, amountIn)
  const next = adapter.applySwap(pool, state, tokenIn, tokenOut, amountIn)
  const steps = adapter.encodeSwap({
    ...{ chain, venue, pool, state, tokenIn, tokenOut, amountIn, helpers, recipient },
    executor: context.trader,
  })
  await context.attempt(async () => {
    for (const step of steps) {
      if (step.kind === 'transfer') {
        await context.send(step.token, transferAbi, 'transfer', [step.to, amountIn])
      } else if (step.kind === 'approve') {
        await context.send(step.token, erc20Abi, 'approve', [step.spender, amountIn])
      } else if (step.kind === 'call') {
        const { target, abi, payToken } = step
        const args = step.args.map((value) => (isReference(value) ? amountIn : value))
        const payer = helpers.CallbackPayer
        if (payToken && payer) {
          await context.send(payToken, transferAbi, 'transfer', [payer, amountIn])
        }
        if (after !== undefined) await context.mineNextAfter(after)
        const data = encodeFunctionData({ abi: [abi], functionName: abi.name, args })
        const sent =
          payToken && payer
            ? await context.send(payer, payAbi, 'callAndPay', [target, payToken, data])
            : await context.send(target, [abi], abi.name, args)
        if (!sent) return false
      }
    }
    return true
  })
  const received = await context.balanceOf(tokenOut, recipient)
  const { state: found } = await loadOne(scene, pool)
  return { quote, received, before: state, next, found }
}

function isReference(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ref' in value
}
