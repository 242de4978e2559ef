/** Requests that are right: the query of a route, to be changed field by field, and a quote. */
import { sender, usdc, weth } from './test-api.js'

export const base = `chainId=1&fromAddress=${sender}&tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000`

export const quote = `/shortcuts/quote?tokenIn=${weth}&tokenOut=${usdc}&amountIn=1`

/** The base query with fields replaced; null leaves one out. */
export function query(change: Record<string, string | null>): string {
  const fields = new URLSearchParams(base)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) fields.delete(name)
    else fields.set(name, value)
  }
  return fields.toString()
}
