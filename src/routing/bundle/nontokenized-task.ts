/**
 * A route into a position without a token: takes fees, routes the rest to the underlying tokens, and deposits those.
 * Equals the bundle that a caller could write.
 */
import type { Reference, TypedAction, TypedBundle } from '../../domain/bundle.js'
import type { NontokenizedAnswer, NontokenizedRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  lessSlippage,
  type TokenAmount,
} from '../../domain/primitives.js'
import type { TaskRun } from '../context/task-context.js'
import { merge } from './actions/merge.js'
import { transfer } from './actions/transfer.js'
import { priceImpact, runBundle } from './bundle-task.js'
import { findTarget, positionIdOf, type Target } from './position-target.js'

const serviceName = 'svc'

export async function runNontokenized(
  run: TaskRun,
  { request, accountId }: { request: NontokenizedRequest; accountId: Hex },
): Promise<NontokenizedAnswer> {
  const target = await run.stage('state', () => findTarget(run, request.positionOut))
  const shares = await sharesOf(run, target)
  const inputs = inputsOf(request)
  const hasFees = request.inputs.some(({ feeBps }) => feeBps !== undefined)
  const { actions, deposits } = actionsOf(request, inputs, target, shares)
  const bundle: TypedBundle = {
    chainId: request.chainId,
    fromAddress: request.fromAddress,
    strategy: request.strategy,
    executionMode: request.executionMode,
    actions,
    receiver: request.receiver,
    ignoreAggregators: request.ignoreAggregators,
    ignoreStandards: request.ignoreStandards,
    skipQuote: false,
    ...(request.poolChoice && { poolChoice: request.poolChoice }),
    ...(request.refundReceiver && { refundReceiver: request.refundReceiver }),
    ...(request.referralCode !== undefined && { referralCode: request.referralCode }),
    ...(request.deadline && { deadline: request.deadline }),
  }
  const {
    reported,
    deposited,
    logs: _,
    knownRoutes: _knownRoutes,
    ...rest
  } = await runBundle(run, {
    request: bundle,
    accountId,
    reportedActions: deposits,
  })
  return {
    ...rest,
    // The fee is reported in a field of its own.
    route: rest.route.filter(({ protocol }) => protocol !== serviceName),
    priceImpact: await priceImpact(run, inputs, reported),
    deposits: reported.map(({ token, amount }) => {
      const amountOut = deposited.find((taken) => taken.token === token)?.amount ?? amount
      return { token, amountOut, minAmountOut: lessSlippage(amountOut, request.centiBps) }
    }),
    fees: hasFees ? inputs.map(({ token, fee }) => ({ token, amount: fee })) : [],
    positionOut: positionIdOf(run, target),
  }
}

/** What the sender gives, and the raw units of it that are the fee. */
interface Input extends TokenAmount {
  readonly fee: bigint
}

function inputsOf({ inputs }: NontokenizedRequest): Input[] {
  return inputs.map(({ token, amount, feeBps = 0n }) => ({
    token,
    amount,
    fee: (amount * feeBps) / bpsDenominator,
  }))
}

/** Basis points of the value, one per underlying token. */
async function sharesOf(
  run: TaskRun,
  { adapter, positions, position }: Target,
): Promise<readonly number[]> {
  const { chain } = run.block
  const count = position.underlyingTokens.length
  const whole = Number(bpsDenominator)
  if (count === 1) return [whole]
  const venue = chain.venues[adapter.slug] ?? {}
  const shares = await positions.enterShares?.({ reader: run.reader, chain, venue, position })
  const equal = Math.floor(whole / count)
  return (
    shares ??
    position.underlyingTokens.map((_token, index) => (index ? equal : whole - equal * (count - 1)))
  )
}

function actionsOf(
  request: NontokenizedRequest,
  inputs: readonly Input[],
  { adapter, positions, position }: Target,
  shares: readonly number[],
) {
  const { feeReceiver, receiver, centiBps } = request
  const actions: TypedAction[] = []
  for (const { token, fee } of inputs) {
    if (fee === 0n || !feeReceiver) continue
    actions.push(transfer.typed(serviceName, { token, recipient: feeReceiver, amount: fee }))
  }
  const amounts: { token: Address; amount: Reference }[] = []
  const left = new Map(inputs.map(({ token, amount, fee }) => [token, amount - fee]))
  const last = position.underlyingTokens.length - 1
  for (const [index, tokenOut] of position.underlyingTokens.entries()) {
    const share = BigInt(at(shares, index))
    const parts = inputs.flatMap(({ token, amount: given, fee }): TokenAmount[] => {
      const rest = left.get(token) ?? 0n
      const amount = index === last ? rest : ((given - fee) * share) / bpsDenominator
      left.set(token, rest - amount)
      return amount > 0n ? [{ token, amount }] : []
    })
    if (parts.length === 0) continue
    amounts.push({ token: tokenOut, amount: { useOutputOfCallAt: actions.length, index: 0 } })
    const args = {
      tokenIn: parts.map(({ token }) => token),
      amountIn: parts.map(({ amount }) => amount),
      tokenOut,
      slippage: centiBps,
    }
    actions.push(merge.typed(serviceName, args))
  }
  const deposits = amounts.map(({ amount }) => amount.useOutputOfCallAt)
  const entered = positions.enter?.(position, amounts)
  const values = { ...entered, receiver, slippage: centiBps }
  actions.push({ protocol: adapter.slug, action: 'deposit', of: 'protocol', values })
  return { actions, deposits }
}
