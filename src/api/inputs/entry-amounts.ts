/**
 * Two amounts by which older clients say how an account that is no contract enters: what it allows, and what is taken
 * from it. The transaction decides both, so they are taken as statements about it, and one that does not hold is refused.
 */
import { isNative, toAddress } from '../../domain/primitives.js'
import { type Given, textOf } from '../input.js'
import { AmountOrZero, described } from '../schemas.js'

export const entryAmountInputs = {
  tokenInAmountToApprove: described(
    AmountOrZero.optional(),
    'How much of the one tokenIn fromAddress allows: at least amountIn; of the native token, or with a delegate strategy, any. Left out, nothing changes.',
  ).meta({ deprecated: true }),
  tokenInAmountToTransfer: described(
    AmountOrZero.optional(),
    'How much of the one tokenIn is taken from fromAddress: amountIn. Left out, nothing changes.',
  ).meta({ deprecated: true }),
}

const names = ['tokenInAmountToApprove', 'tokenInAmountToTransfer'] as const

export function entryAmountRules(given: Given): string[] {
  const stated = names.filter((name) => given[name] !== undefined)
  if (stated.length === 0) return []
  const [tokens, amounts] = [given.tokenIn, given.amountIn].map((value) =>
    Array.isArray(value) ? value.map(textOf) : [],
  )
  if (given.amountIn === undefined) {
    return stated.map((name) => `${name} must not be given without amountIn, which it repeats`)
  }
  if (tokens?.length !== 1 || amounts?.length !== 1) {
    return stated.map((name) => `${name} must not be given with several tokenIn: it is one amount`)
  }
  const [token = '', amountIn = ''] = [tokens[0], amounts[0]]
  const isSpent = /^delegate/.test(textOf(given.routingStrategy ?? ''))
  return stated.flatMap((name) => {
    const text = textOf(given[name])
    if (!/^\d{1,78}$/.test(text) || !/^\d{1,78}$/.test(amountIn)) return []
    const [amount, needed] = [BigInt(text), BigInt(amountIn)]
    if (name === 'tokenInAmountToTransfer') {
      return amount === needed
        ? []
        : [
            `${name} must equal amountIn (${needed}), which is what the transaction takes from fromAddress`,
          ]
    }
    const isNeedless = isSpent || isNativeText(token)
    return isNeedless || amount >= needed
      ? []
      : [
          `${name} must be at least amountIn (${needed}): the transaction takes that much by the allowance`,
        ]
  })
}

function isNativeText(token: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(token) && isNative(toAddress(token))
}
