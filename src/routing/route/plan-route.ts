/**
 * Plans a found route: executor steps, and the step records of the answer.
 */
import type { ChainDefinition } from '../../chains/chain.js'
import { defined } from '../../domain/defined.js'
import { type Amount, type ExecutorStep, isAmountRef } from '../../domain/order.js'
import {
  type Address,
  bpsDenominator,
  isNative,
  type TokenAmount,
} from '../../domain/primitives.js'
import { type RouteStepRecord, wrappedNativeSlug } from '../../domain/route-step.js'
import { poolName } from '../../protocols/pool.js'
import { wrapStep } from '../../protocols/wrapped-native/index.js'
import type { MarketPool } from '../market/market-view.js'
import { type FlowEdge, toShares } from '../search/flow.js'
import type { Hop } from '../search/hop.js'

const whole = Number(bpsDenominator)

export interface RoutePlan {
  readonly steps: readonly ExecutorStep[]
  readonly records: readonly RouteStepRecord[]
  /** For each edge, the index of its last step. */
  readonly ends: readonly number[]
  /** Inputs and intermediates: what may be left over. */
  readonly sweep: readonly Address[]
  /** True when every step that makes an output pays the receiver itself. */
  readonly paysReceiver: boolean
  /** Where the input is expected, instead of in the Executor; null: there. */
  readonly inputPaidTo: Address | null
}

export interface PlanArgs {
  readonly chain: ChainDefinition
  readonly edges: readonly FlowEdge[]
  /** What the Executor holds at the start, each token once, fee already taken. */
  readonly inputs: readonly TokenAmount[]
  readonly tokensOut: readonly Address[]
  readonly executor: Address
  readonly receiver: Address
  /** False: every output goes through the Executor, so that its minimum counts what the route paid and nothing else. */
  readonly mayPayReceiver: boolean
  /** True: the one input goes to the pool that takes all of it, where that pool accepts payment in advance. */
  readonly mayPrepayInput?: boolean
  readonly helpers: Readonly<Record<string, Address>>
  /** Unix seconds, for calls that take one; absent: none. */
  readonly deadline?: bigint
  /** For a route inside a longer plan. */
  readonly within?: {
    /** Index of the route's first step in the plan. */
    readonly firstStep: number
    /** The input amount, in place of the Executor's whole balance of it. */
    readonly amountIn: Amount
  }
}

/** Edges spend parts of the Executor's balance rather than stated amounts, so that transfer taxes do no harm. */
export function planRoute(args: PlanArgs): RoutePlan {
  const { edges, tokensOut } = args
  const steps: ExecutorStep[] = []
  const ends: number[] = []
  const isFinal = edges.map(
    ({ hop }, index) => tokensOut.includes(hop.tokenOut) && edges[index + 1]?.spends !== 'previous',
  )
  // All or none: the Router counts either what the Executor paid, or what the receiver gained.
  const paysReceiver =
    args.mayPayReceiver && edges.every(({ hop }, index) => !isFinal[index] || paysDirectly(hop))
  const paidAhead = paymentsAhead(args)
  const { firstStep = 0 } = args.within ?? {}
  const stated = args.within && partsOf(args.within.amountIn)
  const [source] = args.inputs
  for (const [index, { hop, spends }] of edges.entries()) {
    const amountIn: Amount =
      spends === 'previous'
        ? { ref: 'output', step: firstStep + steps.length - 1 }
        : stated && hop.tokenIn === source?.token
          ? stated(spends)
          : { ref: 'balance', token: hop.tokenIn, ...scale(spends) }
    const recipient =
      isFinal[index] && paysReceiver
        ? args.receiver
        : (paidAhead.get(hop.tokenOut) ?? args.executor)
    const made = encodeHop(args, hop, {
      amountIn,
      recipient,
      isPrepaid: paidAhead.has(hop.tokenIn),
      firstStep: firstStep + steps.length,
    })
    steps.push(...(edges[index + 1]?.spends === 'previous' ? tracked(made, hop) : made))
    ends.push(firstStep + steps.length - 1)
  }
  return {
    steps,
    records: toRecords(args),
    ends,
    sweep: [...new Set(edges.map(({ hop }) => hop.tokenIn))].filter(
      (token) => !paidAhead.has(token),
    ),
    paysReceiver,
    inputPaidTo: (source && paidAhead.get(source.token)) ?? null,
  }
}

/** Parts of an amount, each relative to what the previous ones left; for a reference in whole basis points. */
function partsOf(total: Amount): (bps: number) => Amount {
  if (!isAmountRef(total)) {
    let left = total
    return (bps) => {
      const part = bps === whole ? left : (left * BigInt(bps)) / bpsDenominator
      left -= part
      return part
    }
  }
  let left = total.bps ?? whole
  /** A balance shrinks as it is spent; an output keeps its value. */
  let base = whole
  return (bps) => {
    const part = bps === whole ? left : Math.round((left * bps) / whole)
    const share = Math.round((part / base) * whole)
    left -= part
    if (total.ref === 'balance') base -= part
    return { ...total, bps: share }
  }
}

function scale(bps: number): { bps?: number } {
  return bps === whole ? {} : { bps }
}

/**
 * Tokens that never enter the Executor: the pools that yield them, or the sender, pay the one pool that spends them. Saves
 * a transfer, and the tax of a taxed token.
 */
function paymentsAhead(args: PlanArgs): ReadonlyMap<Address, Address> {
  const { edges, inputs, tokensOut } = args
  // The Router sends one part of the inputs to one other address at most.
  const mayPrepayInput = args.mayPrepayInput && inputs.length === 1
  const ahead = new Map<Address, Address>()
  for (const [index, { hop, spends }] of edges.entries()) {
    const { tokenIn } = hop
    const place = hop.kind === 'swap' && prepaidAt(hop.market)
    if (!place || spends !== whole) continue
    const isInput = inputs.some(({ token }) => token === tokenIn)
    if ((isInput && !mayPrepayInput) || tokensOut.includes(tokenIn)) continue
    const isAlone = edges.every(({ hop: other }, i) => i === index || other.tokenIn !== tokenIn)
    const sources = edges.filter(({ hop: other }) => other.tokenOut === tokenIn)
    if (isAlone && sources.every(({ hop: source }) => paysDirectly(source)))
      ahead.set(tokenIn, place)
  }
  return ahead
}

function prepaidAt({ adapter, loaded }: MarketPool): Address | undefined {
  return adapter.swaps.prepaidAt?.(loaded.pool, loaded.state)
}

/** Makes the last step's output available to references. */
function tracked(made: readonly ExecutorStep[], { tokenOut }: Hop): ExecutorStep[] {
  const final = made.at(-1)
  if (final?.kind !== 'call') return [...made]
  return [...made.slice(0, -1), { ...final, output: { kind: 'balance', token: tokenOut } }]
}

function encodeHop(
  args: PlanArgs,
  hop: Hop,
  terms: {
    readonly amountIn: Amount
    readonly recipient: Address
    /** Whether the pool has its input already. */
    readonly isPrepaid: boolean
    readonly firstStep: number
  },
): ExecutorStep[] {
  if (hop.kind !== 'swap') return [wrapStep(args.chain, hop.kind, terms.amountIn)]
  const { adapter, loaded } = hop.market
  return adapter.swaps.encodeSwap({
    chain: args.chain,
    venue: args.chain.venues[adapter.slug] ?? {},
    pool: loaded.pool,
    state: loaded.state,
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    executor: args.executor,
    helpers: args.helpers,
    ...terms,
    ...defined({ deadline: args.deadline }),
  })
}

function paysDirectly(hop: Hop): boolean {
  if (hop.kind !== 'swap' || isNative(hop.tokenOut)) return false
  const { adapter, loaded } = hop.market
  const { pool, state } = loaded
  return adapter.swaps.paysRecipient && (adapter.swaps.canPay?.(pool, state, hop.tokenOut) ?? true)
}

/** The edges of each step of the answer: adjacent ones between the same two tokens are one step with several pools. */
export function stepsOf(edges: readonly FlowEdge[]): FlowEdge[][] {
  const groups: FlowEdge[][] = []
  for (const edge of edges) {
    const last = groups.at(-1)
    if (last?.[0] && edge.spends !== 'previous' && isSameStep(last[0].hop, edge.hop))
      last.push(edge)
    else groups.push([edge])
  }
  return groups
}

function toRecords({ chain, edges, inputs }: PlanArgs): RouteStepRecord[] {
  const held = new Map<Address, bigint | null>(inputs.map(({ token, amount }) => [token, amount]))
  return stepsOf(edges).map((group) => toRecord(chain, group, held))
}

function isSameStep(a: Hop, b: Hop): boolean {
  const isSamePair = a.tokenIn === b.tokenIn && a.tokenOut === b.tokenOut
  return a.kind === b.kind && isSamePair && actionOf(a) === actionOf(b)
}

function actionOf(hop: Hop): string {
  if (hop.kind !== 'swap') return hop.kind
  const { adapter, loaded } = hop.market
  return adapter.swaps.action?.(loaded.pool, hop.tokenIn, hop.tokenOut) ?? 'swap'
}

/** @param held - raw units of inputs that are left; null once a step has added an amount known only on chain. */
function toRecord(
  chain: ChainDefinition,
  group: readonly FlowEdge[],
  held: Map<Address, bigint | null>,
): RouteStepRecord {
  const { hop } = group[0] as FlowEdge
  const before = group[0]?.spends === 'previous' ? undefined : held.get(hop.tokenIn)
  let left = before
  let part = 1
  const parts = group.map(({ spends }) => {
    const bps = spends === 'previous' ? whole : spends
    if (left) left -= (left * BigInt(bps)) / bpsDenominator
    const own = (part * bps) / whole
    part -= own
    return own
  })
  if (left !== undefined) held.set(hop.tokenIn, left)
  held.set(hop.tokenOut, null)
  const amountIn = typeof before === 'bigint' && typeof left === 'bigint' ? before - left : null
  const common = {
    tokenIn: [hop.tokenIn],
    tokenOut: [hop.tokenOut],
    positionInId: positionOf(chain, hop, exits, hop.tokenIn),
    positionOutId: positionOf(chain, hop, entries, hop.tokenOut),
    chainId: chain.id,
    ...(amountIn !== null && { args: { amountIn: amountIn.toString() } }),
  }
  if (hop.kind !== 'swap') {
    return {
      action: hop.kind,
      protocol: wrappedNativeSlug,
      ...common,
      primary: chain.wrappedNative,
    }
  }
  const shares = toShares(parts)
  const legs = group.flatMap(({ hop: each }, index) =>
    each.kind === 'swap'
      ? [
          {
            tokenIn: hop.tokenIn,
            tokenOut: hop.tokenOut,
            protocol: each.market.adapter.slug,
            pool: poolName(each.market.loaded.pool),
            share: shares[index] ?? 0,
            primary: each.market.loaded.pool.address,
          },
        ]
      : [],
  )
  const main = legs.reduce((a, b) => (b.share > a.share ? b : a))
  return {
    action: actionOf(hop),
    protocol: main.protocol,
    ...common,
    primary: main.primary,
    internalRoutes: legs,
  }
}

const entries: ReadonlySet<string> = new Set(['deposit', 'wrap'])
const exits: ReadonlySet<string> = new Set(['redeem', 'withdraw', 'unwrap'])

/** The id of the position that a step enters or leaves, as in the list of positions. */
function positionOf(
  chain: ChainDefinition,
  hop: Hop,
  actions: ReadonlySet<string>,
  token: Address,
): string[] {
  if (hop.kind !== 'swap' || !actions.has(actionOf(hop))) return []
  return [`${chain.id}:${hop.market.loaded.pool.address}:${token}`]
}
