/** The least of both tokens that a position must take: arguments of the manager's calls, as its events tell them. */
import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem'
import { at, tokenAmounts } from '../../domain/lists.js'
import type { CallStep } from '../../domain/order.js'
import type { Address } from '../../domain/primitives.js'
import type { StatedMinimums } from '../positions.js'

const abi = parseAbi([
  'event IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])
const increased = toEventSelector(abi[0])

/**
 * @param step - call of the manager whose one argument is a tuple with `amount0Min` and `amount1Min`.
 * @param tokens - token0 and token1.
 */
export function statedMinimums(step: CallStep, tokens: readonly Address[]): StatedMinimums {
  const [params] = step.args as [Readonly<Record<string, unknown>>]
  return {
    step,
    amounts(logs) {
      const last = logs.findLast(
        ({ address, topics }) =>
          address.toLowerCase() === step.target && topics[0]?.toLowerCase() === increased,
      )
      if (!last) return null
      const topics = last.topics as [Hex, ...Hex[]]
      const { amount0, amount1 } = decodeEventLog({ abi, topics, data: last.data }).args
      return tokenAmounts(tokens, [amount0, amount1])
    },
    filled: (minimums) => ({
      ...step,
      args: [{ ...params, amount0Min: at(minimums, 0), amount1Min: at(minimums, 1) }],
    }),
  }
}
