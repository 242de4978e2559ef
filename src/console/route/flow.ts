/** How the parts of a route flow from token to token: what the picture draws, and what each pool takes and gives. */
import type { Route } from '../../client/client.js'

type Step = Route['route'][number]
type Candidate = NonNullable<Route['candidates']>[number]

/** A token on a chain. */
export interface FlowToken {
  readonly id: string
  readonly chainId: number
  readonly token: string
  /** What arrives there, or leaves where nothing does, in the smallest unit; null where not all of it is measured. */
  readonly amount: bigint | null
}

/** What one pool, or a step without pools such as wrapping, takes from one token to another. */
export interface Flow {
  readonly from: string
  readonly to: string
  readonly action: string
  readonly protocol: string
  /** Null: a step without pools. */
  readonly pool: string | null
  /** Part of the whole input, 0 to 1. */
  readonly part: number
  /** Part of what arrives at its token, 0 to 1. */
  readonly share: number
  /** In the smallest units, as measured; null where the simulation does not tell it of this pool alone. */
  readonly amountIn: bigint | null
  readonly amountOut: bigint | null
}

export interface FlowChart {
  readonly tokens: readonly FlowToken[]
  readonly flows: readonly Flow[]
}

/**
 * Flow chart of a route with one tokenIn. Steps come in the order in which they run, so a token is full before it is
 * spent.
 */
export function flowOf(route: Pick<Route, 'route' | 'candidates' | 'trace'>): FlowChart {
  const { route: steps, candidates = [] } = route
  const chosen = candidates.find(({ status }) => status === 'chosen')
  const tokens = new Map<string, Omit<FlowToken, 'amount'>>()
  const parts = new Map<string, number>()
  const flows: Flow[] = []
  const shares = sharesOf(steps, chosen)
  for (const [index, step] of steps.entries()) {
    const [tokenIn, tokenOut] = [step.tokenIn[0], step.tokenOut[0]]
    if (!tokenIn || !tokenOut) continue
    const start = place(step.sourceChainId ?? step.chainId, tokenIn)
    const end = place(step.destinationChainId ?? step.chainId, tokenOut)
    tokens.set(start.id, start)
    tokens.set(end.id, end)
    const share = shares[index] ?? 1
    const part = (parts.get(start.id) ?? 1) * share
    parts.set(end.id, (parts.get(end.id) ?? 0) + part)
    const { action, protocol } = step
    const common = { from: start.id, to: end.id, action }
    const pools = step.internalRoutes ?? []
    if (pools.length < 2) {
      const amounts = {
        amountIn: step.amountIn?.[0] ?? null,
        amountOut: step.amountOut?.[0] ?? null,
      }
      flows.push({ ...common, protocol, pool: pools[0]?.pool ?? null, part, share, ...amounts })
      continue
    }
    for (const one of pools) {
      const its = one.share / 10_000
      flows.push({
        ...common,
        protocol: one.protocol,
        pool: one.pool,
        part: part * its,
        share: share * its,
        ...paidTo(route, one.pool, tokenIn, tokenOut),
      })
    }
  }
  const amountAt = (id: string) =>
    amountOf(steps, id, 'tokenOut') ?? (parts.has(id) ? null : amountOf(steps, id, 'tokenIn'))
  return {
    tokens: [...tokens.values()].map((one) => ({ ...one, amount: amountAt(one.id) })),
    flows,
  }
}

const place = (chainId: number, token: string) => ({ id: idOf(chainId, token), chainId, token })
const idOf = (chainId: number, token: string | undefined) => `${chainId} ${token}`

/** Sum over the steps that give to a token or take of it; null where one of them is not measured, or there is none. */
function amountOf(steps: readonly Step[], id: string, side: 'tokenIn' | 'tokenOut'): bigint | null {
  const its = steps.filter(
    (step) =>
      idOf(
        (side === 'tokenIn' ? step.sourceChainId : step.destinationChainId) ?? step.chainId,
        step[side][0],
      ) === id,
  )
  const amounts = its.map((step) => (side === 'tokenIn' ? step.amountIn : step.amountOut)?.[0])
  if (its.length === 0 || amounts.includes(undefined)) return null
  return amounts.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
}

/** Part of its token that each step takes: as measured, or as the search had it where not all of them were measured. */
function sharesOf(steps: readonly Step[], chosen: Candidate | undefined): readonly number[] {
  const startOf = (step: Step) => idOf(step.sourceChainId ?? step.chainId, step.tokenIn[0])
  return steps.map((step) => {
    const beside = steps.filter((one) => startOf(one) === startOf(step))
    const isMeasured = beside.every(({ amountIn }) => amountIn?.[0] !== undefined)
    const weight = (one: Step) =>
      isMeasured ? Number(one.amountIn?.[0] ?? 0n) : plannedShare(one, chosen)
    const all = beside.reduce((sum, one) => sum + weight(one), 0)
    return all > 0 ? weight(step) / all : 1 / beside.length
  })
}

function plannedShare(
  { tokenIn, tokenOut, internalRoutes = [] }: Step,
  chosen?: Candidate,
): number {
  const pools = internalRoutes.map(({ pool }) => pool)
  return (chosen?.path ?? [])
    .filter((hop) => hop.tokenIn === tokenIn[0] && hop.tokenOut === tokenOut[0])
    .filter(({ pool }) => (pool ? pools.includes(pool) : pools.length === 0))
    .reduce((sum, { share }) => sum + share, 0)
}

/**
 * Amounts that the movements of the trace show for a pool with an account of its own, as far as only this use of it can
 * have moved them.
 */
function paidTo(
  { route, trace }: Pick<Route, 'route' | 'trace'>,
  pool: string,
  tokenIn: string,
  tokenOut: string,
): Pick<Flow, 'amountIn' | 'amountOut'> {
  const uses = route
    .flatMap(({ internalRoutes = [] }) => internalRoutes)
    .filter((one) => one.pool === pool)
  const moved = (token: string, side: 'from' | 'to') => {
    const ofToken = uses.filter((one) => one.tokenIn === token || one.tokenOut === token)
    const its = (trace?.movements ?? []).filter((one) => one.token === token && one[side] === pool)
    if (ofToken.length !== 1 || its.length === 0) return null
    return its.reduce((all, { amount }) => all + amount, 0n)
  }
  return { amountIn: moved(tokenIn, 'to'), amountOut: moved(tokenOut, 'from') }
}
