/** One swap by an adapter's own steps on a bare Anvil, beside what the adapter says of it. */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import type { ChainDefinition, VenueParameters } from '../../../src/chains/chain.js'
import type { Address } from '../../../src/domain/primitives.js'
import { executorContracts } from '../../../src/executor/deployments.js'
import type { Pool } from '../../../src/protocols/pool.js'
import type { LoadedPool, Swap, SwapAdapter } from '../../../src/protocols/protocol.js'
import { erc20Abi, type PoolContext } from './pool-context.js'

const transferAbi = parseAbi(['function transfer(address, uint256)'])
const payAbi = parseAbi(['function callAndPay(address pool, address payToken, bytes data)'])

export interface SwapScene<State> {
  readonly context: PoolContext
  readonly adapter: SwapAdapter<State>
  readonly chain: ChainDefinition
  readonly venue: VenueParameters
  readonly helpers: Readonly<Record<string, Address>>
}

interface SwapFound<State> {
  readonly quote: Pick<Swap, 'amountOut' | 'exact'>
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
  const [loaded] = await adapter.swaps.load({ reader, chain, venue, pools: [pool] })
  if (!loaded || !('state' in loaded)) throw new Error(`not loaded: ${loaded?.message}`)
  return loaded
}

let recipients = 0n

/** The swap is in the block for which the state was read, as a simulated one is. */
export async function swapOnChain<State>(
  scene: SwapScene<State>,
  pool: Pool,
  [tokenIn, tokenOut]: readonly [Address, Address],
  amountIn: bigint,
): Promise<SwapFound<State>> {
  const { context, adapter, chain, venue, helpers } = scene
  const { state: planned } = await loadOne(scene, pool)
  recipients += 1n
  const recipient: Address = numberToHex(0xbeef_0000_0000n + recipients, { size: 20 })
  const steps = adapter.swaps.encodeSwap({
    chain,
    venue,
    pool,
    tokenIn,
    tokenOut,
    amountIn,
    helpers,
    recipient,
    state: planned,
    executor: context.trader,
  })
  const last = steps.at(-1)
  if (last?.kind !== 'call') throw new Error('the last step is no call')
  const { target, abi, args, payToken } = last
  const payer = payToken && helpers.CallbackPayer
  let state = planned
  await context.attempt(async () => {
    for (const step of steps.slice(0, -1)) {
      if (step.kind === 'transfer') {
        await context.send(step.token, transferAbi, 'transfer', [step.to, amountIn])
      } else if (step.kind === 'approve') {
        await context.send(step.token, erc20Abi, 'approve', [step.spender, amountIn])
      } else throw new Error('a swap of several calls')
    }
    if (payer) await context.send(payToken, transferAbi, 'transfer', [payer, amountIn])
    state = (await loadOne(scene, pool)).state
    await context.mineNextAfter(chain.blockTimeSeconds)
    if (!payer) return (await context.send(target, [abi], abi.name, args)) !== null
    const data = encodeFunctionData({ abi: [abi], functionName: abi.name, args })
    const sent = await context.send(payer, payAbi, 'callAndPay', [target, payToken, data])
    // What liquidity did not take has come back: the order would not be one for all of the amount.
    return sent !== null && isAllSpent(sent, amountIn, payToken, target)
  })
  const { amountOut, exact, after } = adapter.swaps.swap(
    pool,
    state,
    { tokenIn, tokenOut },
    amountIn,
  )
  const received = await context.balanceOf(tokenOut, recipient)
  const { state: found } = await loadOne(scene, pool)
  return { quote: { amountOut, exact }, received, before: state, next: after(), found }
}

/** Whether the pool was paid all of it, by the transfers of the transaction. */
function isAllSpent(
  { logs }: NonNullable<Awaited<ReturnType<PoolContext['send']>>>,
  amountIn: bigint,
  token: Address,
  pool: Address,
): boolean {
  const paid = logs.filter(
    ({ address, topics }) =>
      address.toLowerCase() === token &&
      `0x${topics[2]?.slice(26)}` === pool &&
      topics.length === 3,
  )
  return paid.reduce((sum, { data }) => sum + BigInt(data), 0n) === amountIn
}
