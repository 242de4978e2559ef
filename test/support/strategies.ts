/** What every routing strategy is asked to do, and what its execution says. */
import { decodeEventLog, decodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'
import { type Address, nativeToken, toAddress } from '../../src/domain/primitives.js'
import { executorContracts } from '../../src/executor/deployments.js'
import { swapSelector } from '../../src/executor/swap-order.js'
import { sandboxToken } from '../../src/sandbox/tokens.js'
import type { Execution } from './execute.js'
import type { Answer } from './service/service.js'

const token = (symbol: string): Address => sandboxToken(symbol).address
const ether = 10n ** 18n

/** USDC that goes into a bundle. */
export const bundled = 700_000_000n
export const usdcToWeth = {
  tokenIn: token('USDC'),
  amountIn: 3_000_000_000n,
  tokenOut: token('WETH'),
}
export const etherToDai = { tokenIn: nativeToken, amountIn: ether, tokenOut: token('DAI') }
export const wethToEther = { tokenIn: token('WETH'), amountIn: 2n * ether, tokenOut: nativeToken }
export const trades = [
  ['USDC to WETH', usdcToWeth],
  ['ether to DAI', etherToDai],
  ['WETH to ether', wethToEther],
] as const

export interface Asked {
  readonly routingStrategy: string
  readonly from: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly tokenOut: Address
  readonly more?: Readonly<Record<string, string>>
}

/** The two balances that a bundle changes. */
export function expectBundle(done: Execution, { body }: Answer): void {
  expect(done.status).toBe('success')
  expect(done.deltas).toEqual([-bundled, BigInt(body.amountsOut[token('DAI')])])
}

export const ofBundle = (owner: Address) => [
  { token: token('USDC'), owner },
  { token: token('DAI'), owner },
]

/** What `Routed` says, however often it stands in the logs, with who emitted it. */
export function routed({ logs }: Execution) {
  const { abi } = executorContracts.Router
  return logs.flatMap(({ address, topics, data }) => {
    try {
      const { args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
      if (!('referralCode' in args)) return []
      const { accountId, sender, receiver } = args
      const code = Buffer.from(args.referralCode.slice(2), 'hex').toString().replace(/\0+$/, '')
      const [from, to] = [sender, receiver].map(toAddress)
      return [{ emitter: address, accountId, referralCode: code, sender: from, receiver: to }]
    } catch {
      return []
    }
  })
}

/** Whether pools pay the receiver of a Router's order themselves. */
export function isPaidByPools({ body }: Answer): boolean {
  if (body.tx.data.startsWith(swapSelector)) return true
  const { abi } = executorContracts.Router
  const { functionName, args } = decodeFunctionData({ abi, data: body.tx.data })
  if (functionName !== 'execute' && functionName !== 'executeLegacy') throw new Error('no order')
  return args[0].paidBySteps
}
