/** An SY split into PT and YT, and both redeemed for it: the PT alone once it has expired. */
import { nextBlockTime } from '../../domain/changes/what-if.js'
import type { Address } from '../../domain/primitives.js'
import { type ActionContext, type ActionDefinition, defineAction } from '../positions.js'
import {
  addressArgument,
  amountArgument,
  expectAddress,
  optionalAddress,
} from '../shared/arguments.js'
import { balanceChanges } from '../shared/balance-changes.js'
import { addPaying, payeeOf } from '../shared/paid-output.js'
import { readWord } from '../shared/read-word.js'
import { addressesIn, getter, isYt, mintPyAbi, redeemPyAbi } from './abi.js'
import { yieldFactoriesOf } from './pools.js'

interface YieldContract {
  readonly sy: Address
  readonly pt: Address
  readonly yt: Address
  /** In the next block. */
  readonly isExpired: boolean
}

const primaryAddress = addressArgument('the YT')

const mint = defineAction({
  action: 'mint',
  name: 'Split into PT and YT',
  functionNames: ['mintPY'],
  inputs: {
    primaryAddress,
    tokenIn: optionalAddress('its SY'),
    amountIn: amountArgument('raw units of the SY'),
  },
  async build({ primaryAddress: named, tokenIn, amountIn }, context) {
    const { sy, pt, yt, isExpired } = await yieldContractOf(context, named)
    expectAddress(context, 'tokenIn', tokenIn, { address: sy, what: `the SY of the YT, ${sy}` })
    if (isExpired) context.refuse('primaryAddress', 'a YT that has not expired')
    context.add({ kind: 'transfer', token: sy, to: yt, amount: amountIn })
    const call = { target: yt, abi: mintPyAbi, args: [context.runner, context.runner] }
    return {
      spends: [{ token: sy, amount: amountIn }],
      outputs: balanceChanges(context, call, [pt, yt]),
      positionsOut: [pt, yt],
    }
  },
})

const redeem = defineAction({
  action: 'redeem',
  name: 'Redeem PT and YT',
  functionNames: ['redeemPY'],
  inputs: {
    primaryAddress,
    tokenIn: {
      kind: 'addresses',
      description: 'PT and YT, or the PT alone once it has expired; absent: these.',
      optional: true,
    },
    amountIn: amountArgument('raw units of each of them'),
    tokenOut: optionalAddress('their SY'),
  },
  async build({ primaryAddress: named, tokenIn, amountIn, tokenOut, receiver }, context) {
    const { sy, pt, yt, isExpired } = await yieldContractOf(context, named)
    expectAddress(context, 'tokenOut', tokenOut, { address: sy, what: `the SY of the YT, ${sy}` })
    const tokens = isExpired ? [pt] : [pt, yt]
    const isSame = tokenIn && new Set([...tokens, ...tokenIn]).size === tokens.length
    if (tokenIn && !(isSame && tokenIn.length === tokens.length)) {
      const when = isExpired ? 'which has expired' : 'as much of each'
      context.refuse('tokenIn', `${tokens.join(' and ')}, ${when}`)
    }
    for (const token of tokens) {
      context.add({ kind: 'transfer', token, to: yt, amount: amountIn })
    }
    const call = { target: yt, abi: redeemPyAbi, args: [payeeOf(context, receiver)] }
    return {
      spends: tokens.map((token) => ({ token, amount: amountIn })),
      outputs: [addPaying(context, call, sy, receiver)],
      positionsIn: tokens,
    }
  },
})

export const pendleActions: readonly ActionDefinition[] = [mint, redeem]

/** Tokens are sent to it before it is called, so it has to be one that a factory of Pendle has made. */
async function yieldContractOf(context: ActionContext, yt: Address): Promise<YieldContract> {
  const { reader, chain, venue } = context
  const factories = yieldFactoriesOf(venue)
  const [ofSy, ofPt, ends, ...made] = await reader.call([
    ...(['SY', 'PT', 'expiry'] as const).map((name) => ({ to: yt, data: getter(name) })),
    ...factories.map((to) => ({ to, data: isYt(yt) })),
  ])
  const failed = [ofSy, ...made].find((one) => one && !one.ok && one.reason === 'unreadable')
  if (failed && !failed.ok) {
    return context.refuse('primaryAddress', `a YT; it could not be read: ${failed.message}`)
  }
  const [sy] = addressesIn(ofSy, 1) ?? []
  const [pt] = addressesIn(ofPt, 1) ?? []
  const expiry = readWord(ends)
  const isMade = made.some((answer) => readWord(answer) === 1n)
  if (!sy || !pt || expiry === null || !isMade) {
    return context.refuse('primaryAddress', 'a YT that a factory of Pendle has made')
  }
  const time = nextBlockTime(reader.block, chain.blockTimeSeconds)
  return { sy, pt, yt, isExpired: expiry <= time }
}
