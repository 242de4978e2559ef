/** Parts shared by several of the service's own actions. */
import type { Reference } from '../../domain/bundle.js'
import { tokenAmounts } from '../../domain/lists.js'
import { type Amount, isAmountRef } from '../../domain/order.js'
import { type Address, defaultCentiBps } from '../../domain/primitives.js'
import type { ActionOutput } from '../../protocols/positions.js'
import { addMinimum } from './protect.js'
import { planRouteAction, type RouteActionArgs } from './route-action.js'
import {
  type CheckContext,
  type Outcome,
  optional,
  type PerformContext,
  type Refuse,
  required,
} from './service-action.js'
import { minimumStep, moreThanZero } from './tools.js'

export const receiver = optional(
  'address',
  "Who gets what comes out, in place of the bundle's receiver.",
)

export const slippage = optional('slippage', 'Basis points, 50 when absent.')

export const swapInputs = {
  tokenIn: required('address', 'Token to give.'),
  tokenOut: required('address', 'Token or position to get.'),
  amountIn: required('amount', 'Raw units of tokenIn, or a reference.'),
  slippage,
  receiver,
}

interface SwapArgs<A> {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: A
  readonly slippage?: bigint
}

export function checkSwap(
  { tokenIn, tokenOut, amountIn }: SwapArgs<bigint | Reference>,
  { refuse }: CheckContext,
): void {
  if (tokenIn === tokenOut) refuse('tokenOut', 'another token than tokenIn')
  if (amountIn === 0n) refuse('amountIn', moreThanZero)
}

/** The best route by the pools that are allowed. */
export async function performSwap(
  { tokenIn, tokenOut, amountIn, slippage: centiBps = defaultCentiBps }: SwapArgs<Amount>,
  context: PerformContext,
  limits: Pick<RouteActionArgs, 'isAllowed' | 'ignored' | 'search'>,
): Promise<Outcome> {
  const { builder, index } = context
  const args = { action: index, tokenIn, tokenOut, amountIn, ...limits }
  const routed = await planRouteAction(builder, args)
  keepMinimum(context, 0, { amount: routed.output, centiBps, quoted: routed.quoted })
  return {
    spends: [{ token: tokenIn, amount: amountIn }],
    outputs: [{ token: tokenOut, amount: routed.output }],
    leftovers: routed.leftovers,
    route: routed.route,
    warnings: routed.warnings,
    centiBps,
  }
}

/**
 * Checks what later actions spend at this point; what remains to the end is checked there, unless no simulation says
 * how much that is.
 */
export function keepMinimum(
  { builder, index }: PerformContext,
  output: number,
  limit: { readonly amount: Amount; readonly centiBps: bigint; readonly quoted: bigint | null },
): void {
  if (!builder.isReferenced(index, output) && !builder.args.request.skipQuote) return
  addMinimum(builder, index, limit)
}

/** The output to check and the minimum for it; its output is what it looks at. */
export function performMinimum(
  checked: ActionOutput,
  { builder, index, add }: PerformContext,
  limit: { readonly centiBps: bigint } | { readonly minimum: Amount },
): Outcome {
  const { amount, isPaid } = checked
  let step: number
  if ('centiBps' in limit) {
    step = addMinimum(builder, index, { amount, centiBps: limit.centiBps, quoted: null })
  } else {
    step = add(minimumStep(amount, limit.minimum))
    builder.draft.markChecked(amount, step, true)
  }
  // What has been paid to somebody can be checked, and not be spent.
  const token = isPaid ? null : checked.token
  const same: Amount = isAmountRef(amount) ? { ref: 'output', step } : amount
  return {
    spends: token ? [{ token, amount }] : [],
    outputs: [{ token, amount: same }],
    checks: checked,
    ...('centiBps' in limit && { centiBps: limit.centiBps }),
  }
}

/** Each token with its amount. Refuses lists of different lengths. */
export function pairsOf<A>(
  tokens: readonly Address[],
  amounts: readonly A[],
  refuse: Refuse,
  [tokenName, amountName]: readonly [string, string],
): { readonly token: Address; readonly amount: A }[] {
  if (tokens.length === amounts.length) return tokenAmounts(tokens, amounts)
  return refuse(amountName, `a list of ${tokens.length} amounts, one per ${tokenName}`)
}

export const nftInputs = {
  amount: optional('amount', 'Raw units.'),
  id: optional('amount', 'Id of the token, of an ERC-721 contract.'),
  tokenId: optional('amount', 'Id of the token, of an ERC-721 contract.'),
}

/** One NFT, or an amount of a token. Refuses arguments that give neither. */
export function idOrAmount<A>(
  { id, tokenId, amount }: { readonly id?: A; readonly tokenId?: A; readonly amount?: A },
  refuse: Refuse,
): { readonly id: A } | { readonly amount: A } {
  const nft = id ?? tokenId
  if (nft !== undefined) return { id: nft }
  return amount === undefined ? refuse('amount', 'given, or an id') : { amount }
}
