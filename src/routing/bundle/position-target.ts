/**
 * Finds the position without a token that a request names, by its id or by the address that it lies at, and makes the
 * actions that enter it.
 */
import type { Reference, TransactionOutput, TypedAction } from '../../domain/bundle.js'
import { invalidRequest, notFound } from '../../domain/common-errors.js'
import { addressPattern } from '../../domain/grammar.js'
import { type Address, bpsDenominator, lessSlippage } from '../../domain/primitives.js'
import type { Position, PositionAdapter } from '../../protocols/positions.js'
import type { ProtocolAdapter } from '../../protocols/protocol.js'
import { protocols } from '../../protocols/registry.js'
import type { Task } from '../block/task.js'
import { merge } from './actions/merge.js'
import type { MeasuredBundle } from './bundle-task.js'

export interface Target {
  readonly adapter: ProtocolAdapter
  readonly positions: PositionAdapter
  readonly position: Position
}

/** What goes to one token of a position. */
export interface Share {
  readonly tokenOut: Address
  readonly parts: readonly { readonly token: Address; readonly amount: bigint | Reference }[]
}

/** Ids that an error names. */
const shownIds = 10

export function positionIdOf(task: Task, { position }: Pick<Target, 'position'>): string {
  return `${task.chain.id}:${position.primaryAddress}:${position.key}`
}

/**
 * @param named - id, or the `address` under which /nontokenized lists it, in lower case.
 * @throws ForkrouteError NOT_FOUND; INVALID_REQUEST for the address of several positions.
 */
export async function findTarget(task: Task, named: string): Promise<Target> {
  const isNamed = addressPattern.test(named)
    ? ({ position }: Target) => position.poolAddress === named
    : (target: Target) => positionIdOf(task, target) === named
  const found = await firstOf(task, named, isNamed)
  const [target, ...others] = found
  if (!target) throw notFound(`position ${named} that a route can enter`, { positionOut: named })
  if (others.length === 0) return target
  const ids = found.map((one) => positionIdOf(task, one))
  const shown = ids.slice(0, shownIds).join(', ')
  throw invalidRequest([
    `positionOut must be the id of one of the ${ids.length} positions at ${named}: ${shown}`,
  ])
}

/** Targets of the first protocol that has any. */
async function firstOf(
  task: Task,
  named: string,
  isNamed: (target: Target) => boolean,
): Promise<readonly Target[]> {
  const { reader, chain, facts } = task
  const enterable = protocols.flatMap((adapter) => {
    const { positions } = adapter
    return positions?.enter && chain.venues[adapter.slug] ? [{ adapter, positions }] : []
  })
  for (const { adapter, positions } of enterable) {
    const all = await facts.positions(reader, adapter)
    const found = all.map((position) => ({ adapter, positions, position })).filter(isNamed)
    if (found.length > 0) return found
  }
  // A pool between other tokens than connectors is listed once it is known, and exists either way.
  const key = named.split(':').at(-1) ?? ''
  if (!addressPattern.test(key.slice(0, 42))) return []
  for (const { adapter, positions } of enterable) {
    const [a, b] = (await positions.tokensOf?.({ reader, key })) ?? []
    if (!a || !b) continue
    const all = await facts.positionsBetween(reader, adapter, [a, b])
    const found = all.map((position) => ({ adapter, positions, position })).filter(isNamed)
    if (found.length > 0) return found
  }
  return []
}

/** Basis points of the value, one per underlying token. */
export async function sharesOf(
  task: Task,
  { adapter, positions, position }: Target,
): Promise<readonly number[]> {
  const { chain } = task
  const count = position.underlyingTokens.length
  const whole = Number(bpsDenominator)
  if (count === 1) return [whole]
  const venue = chain.venues[adapter.slug] ?? {}
  const shares = await positions.enterShares?.({ reader: task.reader, chain, venue, position })
  const equal = Math.floor(whole / count)
  return (
    shares ??
    position.underlyingTokens.map((_token, index) => (index ? equal : whole - equal * (count - 1)))
  )
}

/**
 * Routes each share to its token and deposits all of them.
 * @param args.first - index of the first of these actions among those of the bundle.
 * @returns `deposits`: the actions whose outputs are deposited.
 */
export function enteringActions(
  { adapter, positions, position }: Target,
  shares: readonly Share[],
  args: {
    readonly first: number
    readonly serviceName: string
    readonly receiver: Address
    readonly centiBps: bigint
  },
): { readonly actions: TypedAction[]; readonly deposits: readonly number[] } {
  const { first, serviceName, receiver, centiBps: slippage } = args
  const given = shares.filter(({ parts }) => parts.length > 0)
  const merges = given.map(({ tokenOut, parts }) =>
    merge.typed(serviceName, {
      tokenIn: parts.map(({ token }) => token),
      amountIn: parts.map(({ amount }) => amount),
      tokenOut,
      slippage,
    }),
  )
  const amounts = given.map(({ tokenOut }, index) => ({
    token: tokenOut,
    amount: { useOutputOfCallAt: first + index, index: 0 },
  }))
  const values = { ...positions.enter?.(position, amounts), receiver, slippage }
  const deposit = { protocol: adapter.slug, action: 'deposit', of: 'protocol', values } as const
  return {
    actions: [...merges, deposit],
    deposits: amounts.map(({ amount }) => amount.useOutputOfCallAt),
  }
}

/** What enters the position of each of its tokens: less than what is given, where it takes less. */
export function depositsIn(
  { reported, deposited }: Pick<MeasuredBundle, 'reported' | 'deposited'>,
  centiBps: bigint,
): TransactionOutput[] {
  return reported.map(({ token, amount }) => {
    const amountOut = deposited.find((taken) => taken.token === token)?.amount ?? amount
    return { token, amountOut, minAmountOut: lessSlippage(amountOut, centiBps) }
  })
}
