/**
 * A found route as executor steps, and as the step records of the answer.
 */
import { parseAbi } from 'viem'
import { type ChainDefinition, canonicalToken } from '../chains/chain.js'
import type { RouteStepRecord } from '../domain/engine.js'
import type { Amount, AmountRef, Step } from '../domain/plan.js'
import { type Address, isNative } from '../domain/primitives.js'
import type { Hop, Path } from './search.js'

/** One input token (or a share of it) and the path that it takes. */
export interface Leg {
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Raw units, fee already taken. */
  readonly amountIn: bigint
  /** Part of the Executor's balance of tokenIn at that moment, basis points; the last leg of a token takes all. */
  readonly bps: number
  readonly path: Path
}

export interface RoutePlan {
  readonly steps: readonly Step[]
  readonly records: readonly RouteStepRecord[]
  /** Inputs and intermediates: what may be left over. */
  readonly sweep: readonly Address[]
  /** True when every leg's last step pays the receiver itself. */
  readonly paysReceiver: boolean
}

const [deposit, withdraw] = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 amount)',
])

export interface PlanArgs {
  readonly chain: ChainDefinition
  readonly legs: readonly Leg[]
  readonly executor: Address
  readonly receiver: Address
  readonly helpers: Readonly<Record<string, Address>>
}

/**
 * First hops spend a share of the Executor's balance, so that transfer taxes are no surprise; later hops
 * of one of several legs spend exactly what the hop before produced, so that legs do not eat each other's tokens.
 */
export function planRoute(args: PlanArgs): RoutePlan {
  const steps: Step[] = []
  const records: RouteStepRecord[] = []
  const sweep = new Set<Address>()
  const single = args.legs.length === 1
  for (const leg of args.legs) {
    let amountIn: AmountRef = { ref: 'balance', token: leg.tokenIn, ...scale(leg.bps) }
    for (const [index, hop] of leg.path.hops.entries()) {
      const last = index === leg.path.hops.length - 1
      if (index > 0 && single) amountIn = { ref: 'balance', token: hop.tokenIn }
      sweep.add(hop.tokenIn)
      const tracked = !single && !last
      const made = stepsOf(args, hop, amountIn, last, tracked)
      steps.push(...made)
      if (tracked) amountIn = { ref: 'output', step: steps.length - 1 }
      records.push(toRecord(args.chain, hop, leg, index))
    }
  }
  const paysReceiver = args.legs.every(({ path }) => {
    const last = path.hops.at(-1)
    return last !== undefined && paysDirectly(last)
  })
  return { steps, records, sweep: [...sweep], paysReceiver }
}

function scale(bps: number): { bps?: number } {
  return bps === 10_000 ? {} : { bps }
}

function stepsOf(
  args: PlanArgs,
  hop: Hop,
  amountIn: Amount,
  last: boolean,
  tracked: boolean,
): Step[] {
  const made = encodeHop(args, hop, amountIn, last)
  const final = made.at(-1)
  if (!tracked || final?.kind !== 'call') return made
  return [...made.slice(0, -1), { ...final, output: { kind: 'balance', token: hop.tokenOut } }]
}

function encodeHop(args: PlanArgs, hop: Hop, amountIn: Amount, last: boolean): Step[] {
  const target = args.chain.wrappedNative
  if (hop.kind !== 'swap') {
    return hop.kind === 'wrap'
      ? [{ kind: 'call', target, abi: deposit, args: [], value: amountIn }]
      : [{ kind: 'call', target, abi: withdraw, args: [amountIn] }]
  }
  const { adapter, loaded } = hop.market
  return adapter.encodeSwap({
    chain: args.chain,
    venue: args.chain.venues[adapter.slug] ?? {},
    pool: loaded.pool,
    state: loaded.state,
    tokenIn: hop.tokenIn,
    tokenOut: hop.tokenOut,
    amountIn,
    executor: args.executor,
    helpers: args.helpers,
    recipient: last && paysDirectly(hop) ? args.receiver : args.executor,
  })
}

function paysDirectly(hop: Hop): boolean {
  return hop.kind === 'swap' && hop.market.adapter.paysRecipient && !isNative(hop.tokenOut)
}

function toRecord(chain: ChainDefinition, hop: Hop, leg: Leg, index: number): RouteStepRecord {
  const common = {
    tokenIn: [hop.tokenIn],
    tokenOut: [hop.tokenOut],
    positionInId: [],
    positionOutId: [],
    chainId: chain.id,
    ...(index === 0 && { args: { amountIn: leg.amountIn.toString() } }),
  }
  if (hop.kind !== 'swap') {
    return { action: hop.kind, protocol: 'wrapped-native', ...common, primary: chain.wrappedNative }
  }
  const { adapter, loaded } = hop.market
  return {
    action: adapter.action?.(loaded.pool, hop.tokenIn, hop.tokenOut) ?? 'swap',
    protocol: adapter.slug,
    ...common,
    primary: loaded.pool.address,
    internalRoutes: [
      {
        tokenIn: hop.tokenIn,
        tokenOut: hop.tokenOut,
        protocol: adapter.slug,
        pool: loaded.pool.id,
        share: 10_000,
      },
    ],
  }
}

/** Executor-side token of an input: native stays native. */
export function pairsOf(
  chain: ChainDefinition,
  tokensIn: readonly Address[],
  tokensOut: readonly Address[],
): (readonly [Address, Address])[] {
  const canonical = (token: Address) => canonicalToken(chain, token)
  const tokens = [
    ...new Set([...tokensIn, ...tokensOut, ...chain.connectorTokens].map(canonical)),
  ].sort()
  return tokens.flatMap((a, i) => tokens.slice(i + 1).map((b) => [a, b] as const))
}
