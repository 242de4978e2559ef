/** USD prices of tokens at one block. */
import { type Address, isNative, type Token } from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'

export interface TokenPriceFact {
  readonly token: Token
  readonly priceUsd: number
  readonly confidence: number
  readonly source: string
}

/** In the order asked; null where a token or its price is unknown at this block. */
export function readPrices(
  run: TaskRun,
  { addresses }: { readonly addresses: readonly Address[] },
): Promise<(TokenPriceFact | null)[]> {
  return Promise.all(
    addresses.map(async (address) => {
      const { token, price } = (await run.block.tokenWithPrice(run.reader, address)) ?? {}
      if (!token || !price) return null
      // A stable anchor has a price of one dollar even at a block before its contract exists.
      const isThere = price.source !== 'anchor' || isNative(address) || run.hasCode(address)
      return (await isThere) ? { token, ...price } : null
    }),
  )
}
