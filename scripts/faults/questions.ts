/** Quotes of which no two are of the same pair at the same block, and no two neighbours of the same pair or block. */

/** Raw units that are worth some thousands of dollars. */
const tokens = [
  ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', 10n ** 18n],
  ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 3_000n * 10n ** 6n],
  ['0x6b175474e89094c44da98b954eedeac495271d0f', 3_000n * 10n ** 18n],
  ['0x1f9840a85d5af5bf1d1762f925bdaddc4201f984', 300n * 10n ** 18n],
  ['0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 4n * 10n ** 6n],
] as const

interface Trade {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
}

/** Neighbours share as few tokens as can be. */
const trades: readonly Trade[] = [1, 2, 3, 4].flatMap((step) =>
  tokens.map(([tokenIn, amountIn], index) => {
    const [tokenOut] = tokens[(index + step) % tokens.length] ?? tokens[0]
    return { tokenIn, tokenOut, amountIn }
  }),
)

/** Blocks that are asked at, one after the other; a prime, so that pairs and blocks meet but once. */
const blocks = 151n
const distance = 2n
/** Of the first block below the head; and of the last of those that nodes keep no state of. */
const depth = 20n
/** More than the 128 blocks of which nodes keep the state. */
const prunedDepth = 131n

/** Different ones there are. */
export const mostQuestions = trades.length * Number(blocks)

/** @param args.head - of the chain. @param args.isPruned - at blocks that are more than 128 below it. */
export function questionAt(
  index: number,
  { head, isPruned }: { readonly head: bigint; readonly isPruned: boolean },
): Readonly<Record<string, string>> {
  const { tokenIn, tokenOut, amountIn } = trades[index % trades.length] as Trade
  const place = BigInt(index) % blocks
  const below = isPruned ? prunedDepth + place : depth + distance * place
  return {
    chainId: '1',
    fromAddress: '0x00000000000000000000000000000000000fa017',
    tokenIn,
    tokenOut,
    amountIn: String(amountIn + (amountIn * BigInt(index % 97)) / 100n),
    blockNumber: String(head - below),
  }
}
