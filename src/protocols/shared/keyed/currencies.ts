/** Pools of one contract that are told apart by the hash of a key, whose currencies may be native. */
import { keccak256 } from 'viem'
import {
  type Address,
  type Hex,
  isNative,
  nativeToken,
  zeroAddress,
} from '../../../domain/primitives.js'
import type { SimulationLog } from '../../../domain/state.js'
import type { Pool } from '../../pool.js'
import { wordsOf } from '../../pool-events.js'
import { toWord } from '../storage-slots.js'

/** In place of a fee: the hooks set it, and slot0 holds the one that is valid. */
export const dynamicFee = 0x800000

/** The zero address for the native token. */
export function toCurrency(token: Address): Address {
  return isNative(token) ? zeroAddress : token
}

/** The native token for the zero address. */
export function toToken(currency: Address): Address {
  return currency === zeroAddress ? nativeToken : currency
}

/** keccak256 of the words of an ABI-encoded key. */
export function hashOfWords(words: readonly bigint[]): Hex {
  return keccak256(`0x${words.map((word) => toWord(word).slice(2)).join('')}`)
}

/** The ordered pair, and for pairs with the wrapped native token the one with native itself. */
export function withNative(
  [token0, token1]: readonly [Address, Address],
  wrapped: Address,
): (readonly [Address, Address])[] {
  const pairs: (readonly [Address, Address])[] = [[token0, token1]]
  // The zero address, which stands for native in a key, sorts before every token.
  if (token0 === wrapped) pairs.push([nativeToken, token1])
  if (token1 === wrapped) pairs.push([nativeToken, token0])
  return pairs
}

/**
 * What a pool paid by the event of its swap, whose first two words are the amounts of the swapper, negative where it pays.
 * @param topic - of the event, whose first argument is the id.
 * @returns raw units; null where there is none.
 */
export function paidBySwapEvent(
  topic: Hex,
  pool: Pool,
  tokenOut: Address,
  logs: readonly SimulationLog[],
): bigint | null {
  const swap = logs.find(
    ({ address, topics }) =>
      address === pool.address && topics[0] === topic && topics[1] === pool.id,
  )
  const word = swap && wordsOf(swap.data)[tokenOut === pool.tokens[0] ? 0 : 1]
  const amount = word === undefined ? 0n : BigInt.asIntN(256, word)
  return amount > 0n ? amount : null
}
