/** Transfers between chains of the sandbox that run together with their relayer. */
import { parseAbi } from 'viem'
import { stargatePools } from '../../../src/bridges/stargate/pools.js'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { chainById } from '../../../src/chains/registry.js'
import type { Order } from '../../../src/domain/order.js'
import { type Address, type Hex, isNative } from '../../../src/domain/primitives.js'
import { bridgeAddresses } from '../../../src/sandbox/bridges/bridge-addresses.js'
import { sandboxPlan } from '../../../src/sandbox/plans/registry.js'
import { startSandboxes } from '../../../src/sandbox/sandbox.js'
import { type AcrossTransfer, rawTransfers, type StargateTransfer } from './raw-transfers.js'

export const chainIds = [1, 42161, 8453]
export const directions = chainIds.flatMap((from) =>
  chainIds.filter((to) => to !== from).map((to) => ({ from, to })),
)

const v3Abi = parseAbi([
  'function swap(address recipient, bool zeroForOne, int256 amount, uint160 limit, bytes data) returns (int256, int256)',
])
const lowestPrice = 4_295_128_740n
const highestPrice = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n

export function definitionOf(chainId: number): ChainDefinition {
  const found = chainById(chainId)
  if (!found) throw new RangeError(`no chain ${chainId}`)
  return found
}

/** @throws for a token that Across does not move on the chain. */
export function acrossToken(chainId: number, symbol: string): Address {
  const token = bridgeAddresses(definitionOf(chainId)).acrossTokens.get(symbol)
  if (!token) throw new RangeError(`Across has no ${symbol} on ${chainId}`)
  return token
}

export function stargatePool(chainId: number, symbol: string) {
  const pool = stargatePools(definitionOf(chainId)).find((entry) => entry.symbol === symbol)
  if (!pool) throw new RangeError(`no pool of ${symbol} on ${chainId}`)
  return pool
}

export interface Route {
  readonly from: number
  readonly to: number
}

/** What is common to all transfers. */
interface Sent {
  readonly symbol: string
  readonly amount: bigint
  readonly receiver: Address
  readonly message?: Hex
}

export function stargateTransfer({ from, to }: Route, sent: Sent): StargateTransfer {
  const { pool, token } = stargatePool(from, sent.symbol)
  const { eid } = bridgeAddresses(definitionOf(to))
  return {
    pool,
    eid,
    amount: sent.amount,
    to: sent.receiver,
    ...(!isNative(token) && { token }),
    ...(sent.message && { message: sent.message }),
  }
}

export function acrossTransfer(
  { from, to }: Route,
  { symbol, amount, receiver, message, outputAmount }: Sent & { readonly outputAmount: bigint },
): AcrossTransfer {
  return {
    spokePool: bridgeAddresses(definitionOf(from)).spokePool,
    destinationChainId: to,
    inputToken: acrossToken(from, symbol),
    outputToken: acrossToken(to, symbol),
    inputAmount: amount,
    outputAmount,
    to: receiver,
    ...(message && { message }),
  }
}

/** All USDC that is delivered into the chain's deepest pool, for at least so many wei of wrapped ether. */
export function etherOrder(chainId: number, receiver: Address, minAmountOut: bigint) {
  const { market } = sandboxPlan(chainId)
  const [usdc, weth] = [market.token('USDC').address, market.token('WETH').address]
  const spec = market.v3Pools.find(
    ({ symbols, fee }) => symbols.join('/') === 'WETH/USDC' && fee === 500,
  )
  if (!spec) throw new RangeError(`no pool on ${chainId}`)
  const pool = market.addressOf(spec)
  const isFirst = usdc < weth
  const order: Order = {
    inputs: [{ token: usdc, amount: 0n }],
    feeReceiver: receiver,
    steps: [
      {
        kind: 'call',
        target: pool,
        abi: v3Abi[0],
        payToken: usdc,
        args: [
          ...[receiver, isFirst, { ref: 'balance', token: usdc } as const],
          ...[isFirst ? lowestPrice : highestPrice, '0x'],
        ],
      },
    ],
    outputs: [{ token: weth, minAmountOut }],
    outputsPaidBySteps: true,
    receiver,
    refundReceiver: receiver,
    sweep: [],
    deadline: 2n ** 40n,
    accountId: `0x${'ac'.padStart(64, '0')}`,
    referralCode: `0x${'4d'.padStart(32, '0')}`,
  }
  return { order, pool, usdc, weth }
}

export type RelayedSandboxes = Awaited<ReturnType<typeof startRelayedSandboxes>>

export interface RelayerReport {
  readonly mode: string
  readonly waiting: readonly {
    readonly bridge: string
    readonly id: string
    readonly hasFailed: boolean
  }[]
  readonly hostile?: Readonly<Record<string, number>>
}

/** All chains, and what tests ask of them. */
export async function startRelayedSandboxes(among: readonly number[] = chainIds) {
  const sandboxes = await startSandboxes(among)
  const urlOf = (chainId: number): string => {
    const found = sandboxes.find((sandbox) => sandbox.chainId === chainId)
    if (!found) throw new RangeError(`no sandbox ${chainId}`)
    return found.url
  }
  async function rpc<T>(chainId: number, method: string, params: readonly unknown[]): Promise<T> {
    const response = await fetch(urlOf(chainId), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as {
      result?: T
      error?: { message: string }
    }
    if (error) throw new Error(error.message)
    return result as T
  }
  return {
    sandboxes,
    rpc,
    on: (chainId: number) => rawTransfers(chainId, urlOf(chainId)),
    /** Answers when all that can be delivered is. */
    relay: (...params: readonly unknown[]) => rpc<RelayerReport>(1, 'sandbox_setRelayer', params),
    async stop() {
      await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
    },
  }
}
