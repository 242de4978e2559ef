/** One path as one call of a public router: SwapRouter02 for Uniswap V2 and V3 in any mix, Sushi's for Sushi alone. */
import { concatHex, encodeFunctionData, numberToHex } from 'viem'
import type { Address, Hex } from '../../src/domain/primitives.js'
import { type Path, sender, type Trade } from './contract.js'
import { swapRouter02, swapRouterAbi, v2RouterAbi, v2Routers } from './venues.js'

/** The word of SwapRouter02 and of the Universal Router for themselves as recipients. */
export const routerItself: Address = '0x0000000000000000000000000000000000000002'
/** SwapRouter02's word for all that it holds. */
export const heldAmount = 0n
const farDeadline = 2n ** 32n - 1n

export function swapCall(path: Path, { amountIn }: Trade): { to: Address; data: Hex } {
  if (path[0]?.venue === 'sushiswap-v2') {
    const data = encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'swapExactTokensForTokens',
      args: [amountIn, 0n, tokensOf(path), sender, farDeadline],
    })
    return { to: v2Routers['sushiswap-v2'], data }
  }
  const runs = runsOf(path)
  const calls = runs.map((run, index) =>
    runCall(
      run,
      index === 0 ? amountIn : heldAmount,
      index === runs.length - 1 ? sender : routerItself,
    ),
  )
  const [only] = calls
  if (only && calls.length === 1) return { to: swapRouter02, data: only }
  const data = encodeFunctionData({ abi: swapRouterAbi, functionName: 'multicall', args: [calls] })
  return { to: swapRouter02, data }
}

/** Consecutive hops of one venue. */
export function runsOf<T extends { readonly venue: string }>(path: readonly T[]): T[][] {
  const runs: T[][] = []
  for (const hop of path) {
    const last = runs.at(-1)
    if (last?.[0]?.venue === hop.venue) runs[runs.length - 1] = [...last, hop]
    else runs.push([hop])
  }
  return runs
}

/** Of SwapRouter02. @param minimum - raw units of the run's output. */
export function runCall(run: Path, amountIn: bigint, recipient: Address, minimum = 0n): Hex {
  const abi = swapRouterAbi
  const [first] = run
  if (first?.venue === 'uniswap-v2') {
    const args = [amountIn, minimum, tokensOf(run), recipient] as const
    return encodeFunctionData({ abi, functionName: 'swapExactTokensForTokens', args })
  }
  if (first && run.length === 1) {
    const { tokenIn, tokenOut, fee } = first
    const args = [{ tokenIn, tokenOut, fee, recipient, amountIn, minimum, limit: 0n }] as const
    return encodeFunctionData({ abi, functionName: 'exactInputSingle', args })
  }
  const args = [{ path: v3Path(run), recipient, amountIn, minimum }] as const
  return encodeFunctionData({ abi, functionName: 'exactInput', args })
}

/** Tokens with the fees between them, as Uniswap's routers read them. */
export function v3Path(run: Path): Hex {
  return concatHex(
    run.flatMap(({ tokenIn, tokenOut, fee }, index) => [
      ...(index === 0 ? [tokenIn] : []),
      numberToHex(fee, { size: 3 }),
      tokenOut,
    ]),
  )
}

export function tokensOf(path: Path): Address[] {
  return path.flatMap(({ tokenIn, tokenOut }, index) =>
    index === 0 ? [tokenIn, tokenOut] : [tokenOut],
  )
}
