/**
 * A route into a position that has no token: fees are taken, the rest is routed to what the position is made of, and
 * that is deposited. The same as the bundle that a caller could write himself.
 */
import type { BundleAction, BundleRequest } from '../../domain/bundle.js'
import { notFound } from '../../domain/common-errors.js'
import type { NontokenizedAnswer, NontokenizedRequest } from '../../domain/engine.js'
import { at, tokenAmounts, zip } from '../../domain/lists.js'
import type { Amount } from '../../domain/plan.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  lessSlippage,
  type TokenAmount,
  toBps,
} from '../../domain/primitives.js'
import type { Position, PositionAdapter } from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import type { TaskRun } from '../context/task-context.js'
import { priceImpact, runBundle } from './bundle-task.js'

const serviceName = 'svc'

interface Target {
  readonly adapter: ProtocolAdapter
  readonly positions: PositionAdapter
  readonly position: Position
}

export async function runNontokenized(
  run: TaskRun,
  { request, accountId }: { request: NontokenizedRequest; accountId: Hex },
): Promise<NontokenizedAnswer> {
  const target = await run.stage('state', () => findTarget(run, request.positionOut))
  const shares = await sharesOf(run, target)
  const { actions, deposits, deposited } = actionsOf(request, target, shares)
  const bundle: BundleRequest = {
    chainId: request.chainId,
    fromAddress: request.fromAddress,
    strategy: request.strategy,
    executionMode: request.executionMode,
    actions,
    serviceName,
    receiver: request.receiver,
    ignoreAggregators: request.ignoreAggregators,
    ignoreStandards: request.ignoreStandards,
    skipQuote: false,
    ...(request.refundReceiver && { refundReceiver: request.refundReceiver }),
    ...(request.referralCode !== undefined && { referralCode: request.referralCode }),
  }
  const answer = await runBundle(run, { request: bundle, accountId, tell: deposits })
  const { told, ...rest } = answer
  const gained = tokenAmounts(deposited, told)
  const fees = feesOf(request)
  return {
    ...rest,
    // The fee is told by its own field.
    route: rest.route.filter(({ protocol }) => protocol !== serviceName),
    priceImpact: await priceImpact(run, request.inputs, gained),
    deposits: gained.map(({ token, amount }) => ({
      token,
      amountOut: amount,
      minAmountOut: lessSlippage(amount, request.centiBps),
    })),
    ...(fees.length > 0 && { fees }),
    positionOut: request.positionOut,
  }
}

/** @throws ForkrouteError NOT_FOUND. */
async function findTarget(run: TaskRun, id: string): Promise<Target> {
  const { chain } = run.block
  const [chainId, primary, key] = id.split(':')
  for (const adapter of chainId === String(chain.id) ? protocols : []) {
    const { positions } = adapter
    const venue = chain.venues[adapter.slug]
    if (!positions?.enter || !venue) continue
    const listed = await run.block.positions(run.reader, adapter)
    const position = listed.find((one) => one.primaryAddress === primary && one.key === key)
    if (position) return { adapter, positions, position }
  }
  throw notFound(`position ${id} that a route can enter`, { positionOut: id })
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

/** Empty without a fee. */
function feesOf({ inputs }: NontokenizedRequest): TokenAmount[] {
  return inputs.flatMap(({ token, amount, feeBps }) =>
    feeBps === undefined ? [] : { token, amount: (amount * feeBps) / bpsDenominator },
  )
}

function actionsOf(
  request: NontokenizedRequest,
  { adapter, positions, position }: Target,
  shares: readonly number[],
) {
  const actions: BundleAction[] = []
  const fees = feesOf(request)
  for (const { token, amount } of fees) {
    if (amount === 0n) continue
    const args = { token, recipient: request.feeReceiver, amount: amount.toString() }
    actions.push({ protocol: serviceName, action: 'transfer', args })
  }
  const feeOf = new Map(fees.map(({ token, amount }) => [token, amount]))
  const net = request.inputs.map(({ token, amount }) => ({
    token,
    amount: amount - (feeOf.get(token) ?? 0n),
  }))
  let left = net
  const amounts: { token: Address; amount: Amount }[] = []
  const deposits: number[] = []
  for (const [index, token] of position.underlyingTokens.entries()) {
    const isLast = index === position.underlyingTokens.length - 1
    const share = BigInt(at(shares, index))
    const parts = isLast
      ? left
      : net.map((one) => ({ token: one.token, amount: (one.amount * share) / bpsDenominator }))
    left = zip(left, parts).map(([rest, part]) => ({
      token: rest.token,
      amount: rest.amount - part.amount,
    }))
    const used = parts.filter((part) => part.amount > 0n)
    if (used.length === 0) continue
    deposits.push(actions.length)
    amounts.push({ token, amount: { useOutputOfCallAt: actions.length } as unknown as Amount })
    const args = {
      tokenIn: used.map((part) => part.token),
      amountIn: used.map((part) => String(part.amount)),
      tokenOut: token,
      slippage: toBps(request.centiBps),
    }
    actions.push({ protocol: serviceName, action: 'merge', args })
  }
  const given = positions.enter?.(position, amounts) ?? {}
  const args = { ...given, receiver: request.receiver }
  actions.push({ protocol: adapter.slug, action: 'deposit', args })
  return { actions, deposits, deposited: amounts.map(({ token }) => token) }
}
