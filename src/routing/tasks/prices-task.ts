/** USD prices of tokens at one block. */
import { type Address, type BlockPin, isNative, type Token } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'

export interface TokenPriceFact {
  readonly token: Token
  readonly priceUsd: number
  readonly confidence: number
  readonly source: string
}

export interface PriceFacts {
  readonly block: BlockPin
  /** In the order asked; null where a token or its price is unknown at this block. */
  readonly facts: readonly (TokenPriceFact | null)[]
}

export async function readPrices(
  task: Task,
  { addresses }: { readonly addresses: readonly Address[] },
): Promise<PriceFacts> {
  const facts = await Promise.all(
    addresses.map(async (address) => {
      const { token, price } = (await task.facts.tokenWithPrice(task.reader, address)) ?? {}
      if (!token || !price) return null
      // A stable anchor has a price of one dollar even at a block before its contract exists.
      const isThere =
        price.source !== 'anchor' || isNative(address) || task.archive.hasCode(address)
      return (await isThere) ? { token, ...price } : null
    }),
  )
  return { block: task.pin, facts }
}
