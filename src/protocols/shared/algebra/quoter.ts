/** Algebra's Quoter, which swaps and takes the swap back: the fee that it answers is the one that the swap paid. */
import { encodeFunctionData, parseAbiItem } from 'viem'
import type { Address } from '../../../domain/primitives.js'
import type { ReadCall, ReadResult } from '../../../domain/state.js'

const byPairAbi = parseAbiItem(
  'function quoteExactInputSingle(address tokenIn, address tokenOut, uint256 amountIn, uint160 limitSqrtPrice) returns (uint256 amountOut, uint16 fee)',
)
const byDeployerAbi = parseAbiItem(
  'function quoteExactInputSingle(address tokenIn, address tokenOut, address deployer, uint256 amountIn, uint160 limitSqrtPrice) returns (uint256 amountOut, uint16 fee)',
)
/** Names no deployer: the quoter then asks a pool that the factory itself lists by its tokens. */
const noDeployer: Address = '0x0000000000000000000000000000000000000000'

export interface QuoteWanted {
  readonly quoter: Address
  /** Whether the exchange has pools of other deployers beside those of the factory, as since Integral 1.1. */
  readonly hasDeployers?: boolean
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units, > 0. */
  readonly amountIn: bigint
  /** Unix seconds of the swap: fees depend on them. */
  readonly timestamp: bigint
}

export function quoteCall(wanted: QuoteWanted): ReadCall {
  const { quoter, hasDeployers, tokenIn, tokenOut, amountIn, timestamp } = wanted
  const data = hasDeployers
    ? encodeFunctionData({
        abi: [byDeployerAbi],
        args: [tokenIn, tokenOut, noDeployer, amountIn, 0n],
      })
    : encodeFunctionData({ abi: [byPairAbi], args: [tokenIn, tokenOut, amountIn, 0n] })
  return { to: quoter, data, timestamp }
}

/** @returns raw units of tokenOut and the fee in 1/1_000_000; null where the quoter refused. */
export function quoteAnswer(
  answer: ReadResult | undefined,
): { readonly amountOut: bigint; readonly fee: bigint } | null {
  if (!answer?.ok || answer.value.length !== 130) return null
  return {
    amountOut: BigInt(answer.value.slice(0, 66)),
    fee: BigInt(`0x${answer.value.slice(66)}`),
  }
}
