/** The query of a route request that is right, to be changed field by field. */
import { sender, usdc, weth } from './scene.js'

export const base = `chainId=1&fromAddress=${sender}&tokenIn=${weth}&tokenOut=${usdc}&amountIn=1000`

/** The base query with fields replaced; null leaves one out. */
export function query(change: Record<string, string | null>): string {
  const fields = new URLSearchParams(base)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) fields.delete(name)
    else fields.set(name, value)
  }
  return fields.toString()
}
