/**
 * A route into a position that has no token: fees are taken, the rest is routed to what the position is made of, and
 * that is deposited. The same as the bundle that a caller could write himself.
 */
import type { BundleAction, BundleRequest } from '../../domain/bundle.js'
import { notFound } from '../../domain/common-errors.js'
import type { NontokenizedAnswer, NontokenizedRequest } from '../../domain/engine.js'
import type { Amount } from '../../domain/plan.js'
import {
  type Address,
  bpsDenominator,
  type Hex,
  lessSlippage,
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
  return {
    ...rest,
    // The fee is told by its own field.
    route: rest.route.filter(({ protocol }) => protocol !== serviceName),
    priceImpact: await priceImpact(
      run,
      request.tokensIn.map((token, index) => ({ token, amount: request.amountsIn[index] ?? 0n })),
      deposited.map((token, index) => ({ token, amount: told[index] ?? 0n })),
    ),
    amountsDeposited: told,
    minAmountsOut: told.map((amount) => lessSlippage(amount, request.centiBps)),
    ...(request.feesBps && { feeAmounts: feesOf(request) }),
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

function feesOf({ amountsIn, feesBps = [] }: NontokenizedRequest): bigint[] {
  return amountsIn.map((amount, index) => (amount * (feesBps[index] ?? 0n)) / bpsDenominator)
}

function actionsOf(
  request: NontokenizedRequest,
  { adapter, positions, position }: Target,
  shares: readonly number[],
) {
  const actions: BundleAction[] = []
  const fees = feesOf(request)
  const { tokensIn, amountsIn } = request
  for (const [index, token] of tokensIn.entries()) {
    const amount = fees[index] ?? 0n
    if (amount === 0n) continue
    const args = { token, recipient: request.feeReceiver, amount: amount.toString() }
    actions.push({ protocol: serviceName, action: 'transfer', args })
  }
  const left = amountsIn.map((amount, index) => amount - (fees[index] ?? 0n))
  const amounts: { token: Address; amount: Amount }[] = []
  const deposits: number[] = []
  for (const [index, token] of position.underlyingTokens.entries()) {
    const isLast = index === position.underlyingTokens.length - 1
    const parts = amountsIn.map((amount, place) => {
      const net = amount - (fees[place] ?? 0n)
      const rest = left[place] ?? 0n
      const part = isLast ? rest : (net * BigInt(shares[index] ?? 0)) / bpsDenominator
      left[place] = rest - part
      return part
    })
    const used = parts.flatMap((part, place) => (part > 0n ? [place] : []))
    if (used.length === 0) continue
    deposits.push(actions.length)
    amounts.push({ token, amount: { useOutputOfCallAt: actions.length } as unknown as Amount })
    const args = {
      tokenIn: used.map((place) => tokensIn[place]),
      amountIn: used.map((place) => String(parts[place])),
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
