/** Arguments of actions on NFTs that have several names. */
import type { Address } from '../../domain/primitives.js'
import type { ActionContext } from '../positions.js'

/** Fee and range by the names that stand for them as well. */
export function familyNames(
  context: ActionContext,
  args: {
    readonly fee?: number
    readonly poolFee?: number
    readonly tickLower?: number
    readonly tickUpper?: number
    readonly ticks?: readonly number[]
  },
): { readonly fee?: number; readonly tickLower?: number; readonly tickUpper?: number } {
  const { poolFee, ticks } = args
  const fee = args.fee ?? poolFee
  if (poolFee !== undefined && poolFee !== fee) context.refuse('poolFee', `the fee ${fee}`)
  const named = fee !== undefined && { fee }
  if (!ticks) return { ...named }
  const [tickLower, tickUpper, ...others] = ticks
  const isTwice = args.tickLower !== undefined || args.tickUpper !== undefined
  if (tickLower === undefined || tickUpper === undefined || others.length > 0 || isTwice) {
    return context.refuse('ticks', 'the lower and the upper tick, without tickLower and tickUpper')
  }
  return { ...named, tickLower, tickUpper }
}

/** The two tokens in the order asked for; refuses others. */
export function inOrder(
  context: ActionContext,
  tokens: readonly [Address, Address],
  asked: readonly Address[] | undefined,
): readonly [Address, Address] {
  if (!asked) return tokens
  const [first, second] = asked
  const isBoth =
    first !== second && asked.length === 2 && asked.every((one) => tokens.includes(one))
  if (first && second && isBoth) return [first, second]
  return context.refuse('tokenOut', `both tokens of the position: ${tokens.join(' and ')}`)
}
