/**
 * A route into a position without a token: takes fees, routes the rest to the underlying tokens, and deposits those.
 * Equals the bundle that a caller could write.
 */
import type { TypedAction, TypedBundle } from '../../domain/bundle.js'
import { defined } from '../../domain/defined.js'
import type { NontokenizedAnswer, NontokenizedRequest } from '../../domain/engine.js'
import { at } from '../../domain/lists.js'
import { bpsDenominator, type Hex, type TokenAmount } from '../../domain/primitives.js'
import type { Task } from '../block/task.js'
import { transfer } from './actions/transfer.js'
import { priceImpact, resultOf, runBundle } from './bundle-task.js'
import {
  depositsIn,
  enteringActions,
  findTarget,
  positionIdOf,
  sharesOf,
  type Target,
} from './position-target.js'

const serviceName = 'svc'

export async function runNontokenized(
  task: Task,
  { request, accountId }: { request: NontokenizedRequest; accountId: Hex },
): Promise<NontokenizedAnswer> {
  const target = await task.clock.stage('state', () => findTarget(task, request.positionOut))
  const shares = await sharesOf(task, target)
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
    ...defined({
      poolChoice: request.poolChoice,
      refundReceiver: request.refundReceiver,
      referralCode: request.referralCode,
      deadline: request.deadline,
    }),
  }
  const measured = await runBundle(task, { request: bundle, accountId, reportedActions: deposits })
  const result = resultOf(measured)
  return {
    ...result,
    // The fee is reported in a field of its own.
    route: result.route.filter(({ protocol }) => protocol !== serviceName),
    priceImpact: await priceImpact(task, inputs, measured.reported),
    deposits: depositsIn(measured, request.centiBps),
    fees: hasFees ? inputs.map(({ token, fee }) => ({ token, amount: fee })) : [],
    positionOut: positionIdOf(task, target),
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

function actionsOf(
  request: NontokenizedRequest,
  inputs: readonly Input[],
  target: Target,
  shares: readonly number[],
) {
  const { feeReceiver, receiver, centiBps } = request
  const fees = inputs.flatMap(({ token, fee }): TypedAction[] =>
    fee > 0n && feeReceiver
      ? [transfer.typed(serviceName, { token, recipient: feeReceiver, amount: fee })]
      : [],
  )
  const left = new Map(inputs.map(({ token, amount, fee }) => [token, amount - fee]))
  const { underlyingTokens } = target.position
  const last = underlyingTokens.length - 1
  const given = underlyingTokens.map((tokenOut, index) => {
    const share = BigInt(at(shares, index))
    const parts = inputs.flatMap(({ token, amount: all, fee }): TokenAmount[] => {
      const rest = left.get(token) ?? 0n
      const amount = index === last ? rest : ((all - fee) * share) / bpsDenominator
      left.set(token, rest - amount)
      return amount > 0n ? [{ token, amount }] : []
    })
    return { tokenOut, parts }
  })
  const { actions, deposits } = enteringActions(target, given, {
    first: fees.length,
    serviceName,
    receiver,
    centiBps,
  })
  return { actions: [...fees, ...actions], deposits }
}
