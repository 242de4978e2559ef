/**
 * What each step of a route took and gave in the simulation of its transaction, from the transfers that it made. What a
 * step takes follows from what the steps before it gave, since it spends a stated part of that. Pure.
 */
import type { RouteRequest } from '../../domain/engine.js'
import {
  type Address,
  bpsDenominator,
  type TokenAmount,
  toAddress,
  zeroAddress,
} from '../../domain/primitives.js'
import type { RouteStepRecord } from '../../domain/route-step.js'
import type { SimulationLog, SimulationSuccess } from '../../domain/state.js'
import { runnerAddress } from '../../executor/compile.js'
import { contractAddress, executorAddress } from '../../executor/deployments.js'
import type { Task } from '../block/task.js'
import type { FlowEdge } from '../search/flow.js'
import type { Hop } from '../search/hop.js'
import { type Attempt, withoutFee } from './built.js'
import { stepsOf } from './plan-route.js'

/** Transfer(address,address,uint256); simulations log payments of native as such, too. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

interface Transfer extends TokenAmount {
  readonly from: Address
  readonly to: Address
}

export interface MeasuredRoute {
  readonly edges: readonly FlowEdge[]
  /** What the steps start with, fee already taken. */
  readonly inputs: readonly TokenAmount[]
  /** Who runs the steps, who pays for them and who gets the outputs. */
  readonly runner: Address
  readonly sender: Address
  readonly receiver: Address
  readonly wrappedNative: Address
  /** Logs of the whole transaction. */
  readonly logs: readonly SimulationLog[]
}

/** The steps of the answer with what its simulation shows of their amounts. */
export function measuredSteps(
  task: Task,
  { strategy, fromAddress }: RouteRequest,
  { built: { plan, candidate, taken, order }, result }: Attempt<SimulationSuccess>,
): RouteStepRecord[] {
  return withAmounts(plan.records, {
    edges: candidate.edges,
    inputs: taken.map(withoutFee),
    runner: runnerAddress(strategy, fromAddress),
    sender: fromAddress,
    receiver: order.receiver,
    wrappedNative: task.chain.wrappedNative,
    logs: result.logs,
  })
}

/** The records with their amounts, in raw units; a record stays without them where the transfers do not tell them. */
export function withAmounts(
  records: readonly RouteStepRecord[],
  route: MeasuredRoute,
): RouteStepRecord[] {
  const outputs = outputsOf(route)
  const held = new Map<Address, bigint | null>()
  for (const { token, amount } of route.inputs) held.set(token, amount)
  let previous: bigint | null = null
  let index = 0
  const groups = stepsOf(route.edges).map((group) => {
    let [amountIn, amountOut]: (bigint | null)[] = [0n, 0n]
    for (const { hop, spends } of group) {
      const balance: bigint | null = held.get(hop.tokenIn) ?? null
      const spent: bigint | null =
        spends === 'previous'
          ? previous
          : balance === null
            ? null
            : (balance * BigInt(spends)) / bpsDenominator
      const paid = hop.kind === 'swap' ? (outputs.get(index) ?? null) : spent
      held.set(hop.tokenIn, minus(balance, spent))
      held.set(hop.tokenOut, plus(held.has(hop.tokenOut) ? held.get(hop.tokenOut) : 0n, paid))
      amountIn = plus(amountIn, spent)
      amountOut = plus(amountOut, paid)
      previous = paid
      index += 1
    }
    return { amountIn, amountOut }
  })
  return records.map((record, position) => {
    const { amountIn = null, amountOut = null } = groups[position] ?? {}
    return amountIn === null || amountOut === null
      ? record
      : { ...record, amountIn: [amountIn], amountOut: [amountOut] }
  })
}

function plus(a: bigint | null | undefined, b: bigint | null | undefined): bigint | null {
  return a === null || a === undefined || b === null || b === undefined ? null : a + b
}

function minus(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a - b
}

/** Raw units that each swap gave, by the index of its edge; those are absent that cannot be told apart. */
function outputsOf(route: MeasuredRoute): ReadonlyMap<number, bigint> {
  const { edges } = route
  const all = arrivals(route)
  const found = new Map<number, bigint>()
  const groupOf = stepsOf(edges).flatMap((group, index) => group.map(() => index))
  for (const token of new Set(edges.map(({ hop }) => hop.tokenOut))) {
    const own = [...edges.entries()].flatMap(([index, { hop }]) =>
      hop.kind === 'swap' && hop.tokenOut === token ? [{ index, hop }] : [],
    )
    const transfers = all.filter((transfer) => transfer.token === token)
    const open = own.filter(({ index, hop }) => {
      const amount = paidBy(
        hop,
        own.map((one) => one.hop),
        transfers,
        route.logs,
      )
      if (amount !== null) found.set(index, amount)
      return amount === null
    })
    if (!open.length) continue
    const payers = new Set(own.filter((one) => !open.includes(one)).map(({ hop }) => payerOf(hop)))
    const rest = transfers.filter(({ from }) => !payers.has(from))
    if (rest.length === open.length) {
      for (const [place, { index }] of open.entries()) found.set(index, rest[place]?.amount ?? 0n)
    } else if (rest.length && new Set(open.map(({ index }) => groupOf[index])).size === 1) {
      // All of them belong to one step: what it gave in all is known, and nothing else is told of it.
      for (const [place, { index }] of open.entries()) found.set(index, place ? 0n : sum(rest))
    }
  }
  return found
}

/** Null where others may have paid through the same contract, or it paid nothing. */
function paidBy(
  hop: Swap,
  all: readonly Swap[],
  transfers: readonly Transfer[],
  logs: readonly SimulationLog[],
): bigint | null {
  const payer = payerOf(hop)
  const own = transfers.filter(({ from }) => from === payer)
  if (own.length && all.filter((other) => payerOf(other) === payer).length === 1) return sum(own)
  const { adapter, loaded } = hop.market
  return adapter.swaps.paidInLogs?.(loaded.pool, hop.tokenOut, logs) ?? null
}

type Swap = Extract<Hop, { kind: 'swap' }>

function payerOf({ market }: Swap): Address {
  return market.loaded.pool.address
}

function sum(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((total, { amount }) => total + amount, 0n)
}

/** Payments of pools to whoever runs the route or gets its outputs, and to the pool that swaps next. */
function arrivals({
  edges,
  runner,
  sender,
  receiver,
  wrappedNative,
  logs,
}: MeasuredRoute): Transfer[] {
  const pools = new Set(edges.flatMap(({ hop }) => (hop.kind === 'swap' ? payerOf(hop) : [])))
  const own = new Set([runner, executorAddress(sender), contractAddress('Router')])
  const ends = new Set([...own, sender, receiver])
  return logs.flatMap((log) => {
    const transfer = toTransfer(log)
    if (!transfer) return []
    const { from, to, token } = transfer
    const isWrapping = token === wrappedNative ? from === zeroAddress : from === wrappedNative
    if (isWrapping) return []
    const isPaid = ends.has(to)
      ? !own.has(from) && from !== sender
      : pools.has(to) && pools.has(from)
    return isPaid ? [transfer] : []
  })
}

function toTransfer({ address, topics, data }: SimulationLog): Transfer | null {
  const [topic, from, to] = topics
  if (topic !== transferTopic || !from || !to || data.length < 66) return null
  return {
    token: toAddress(address),
    from: toAddress(`0x${from.slice(-40)}`),
    to: toAddress(`0x${to.slice(-40)}`),
    amount: BigInt(data.slice(0, 66)),
  }
}
