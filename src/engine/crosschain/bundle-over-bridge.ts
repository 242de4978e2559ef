/**
 * A bundle that leads over a bridge: what comes before and after it is the transaction on the source, its callback the
 * order on the destination. As of a route, the answer is a pair in which the order is made for what that very transaction
 * sends. Of a route inside of a bundle, all lanes are estimated, and the best is proven.
 */
import { canonicalToken } from '../../chains/chain.js'
import type { BundleAnswer, BundleRequest } from '../../domain/bundle.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import { type Address, nativeToken, type TokenAmount } from '../../domain/primitives.js'
import type { Estimate } from '../../routing/crosschain/estimate.js'
import type { BridgedPlan, BundleOverBridge } from './bridged-plan.js'
import { BundlePair, type Pair } from './bundle-pair.js'
import { actionName, planOver } from './bundle-plan.js'
import { extraThere } from './journey.js'
import { costOf, type Side, senderWarnings, worthOf } from './journey-answer.js'
import { isOfLane, type LaneFailure, noWay, warningsOf } from './lane-failures.js'
import { askedThere } from './prospects.js'
import { provenBest } from './proven-best.js'
import { type CrosschainParts, canOrder, lookAt, ourContracts, pinBoth } from './sides.js'

/** @throws ForkrouteError as `Engine.bundle`; INVALID_REQUEST names the argument of the bridge action that cannot be. */
export async function bundleOverBridge(
  parts: CrosschainParts,
  request: BundleRequest,
  context: CallContext,
): Promise<BundleAnswer> {
  const asked = planOver(parts.chains, request, context)
  const { lanes, destination, receiver, tokenOut } = asked
  const [sourcePin, destinationPin] = await pinBoth(
    { ...request, destinationChainId: destination.id },
    context,
    parts,
  )
  const source = parts.chains.of(request.chainId)
  const [here, there] = await Promise.all([
    lookAt(
      parts.tasks,
      {
        chain: source,
        pin: sourcePin,
        what: { accounts: [request.fromAddress], tokens: [nativeToken] },
      },
      context,
    ),
    lookAt(
      parts.tasks,
      {
        chain: destination,
        pin: destinationPin,
        what: {
          accounts: [receiver, ...ourContracts, ...lanes.flatMap((lane) => lane.orderContracts)],
          tokens: [
            nativeToken,
            ...lanes.map((lane) => lane.tokenOut),
            ...(tokenOut ? [tokenOut] : []),
          ],
        },
      },
      context,
    ),
  ])
  const isNamed = receiver !== request.fromAddress || request.receiver !== undefined
  if (!isNamed && here.kinds.get(receiver) === 'contract') {
    throw invalidRequest([
      `receiver is required: ${receiver} is a contract on chain ${source.id}, and its address may be nobody's on another.`,
    ])
  }
  const plans = asked.plansFor(there.kinds.get(receiver) ?? 'plain')
  const sides = { parts, asked, here, there, context }
  const best =
    tokenOut === undefined ? await onlyPair(sides, plans) : await bestPair(sides, plans, request)
  return toAnswer(request, asked, best, { here, there })
}

interface Sides {
  readonly parts: CrosschainParts
  readonly asked: BundleOverBridge
  readonly here: Side
  readonly there: Side
  readonly context: CallContext
}

interface Found {
  readonly plan: BridgedPlan
  readonly pair: Pair
  readonly warnings: readonly string[]
}

/** @throws ForkrouteError NO_ROUTE where its callback cannot run; as `BundlePair.prove`. */
async function onlyPair(sides: Sides, [plan]: readonly BridgedPlan[]): Promise<Found> {
  if (!plan) throw new RangeError('A bridge action has a lane.')
  const { there, asked } = sides
  if (plan.callback && !canOrder(plan.lane, there)) {
    throw new ForkrouteError(
      'NO_ROUTE',
      `The contracts that would run the callback on chain ${asked.destination.id} are not deployed there: npm run forkroute -- contracts deploy.`,
    )
  }
  const pair = await new BundlePair({ ...sides, plan, receiver: asked.receiver }).prove()
  return { plan, pair, warnings: [] }
}

interface Estimated {
  readonly proof: BundlePair
  readonly plan: BridgedPlan
  readonly value: number
}

/** @throws ForkrouteError as of a route over bridges where no lane can be used. */
async function bestPair(
  sides: Sides,
  plans: readonly BridgedPlan[],
  request: BundleRequest,
): Promise<Found> {
  const { asked, here, there } = sides
  const { destination, receiver, lanes, tokenOut = nativeToken } = asked
  const usable = plans.filter(({ callback, lane }) => !callback || canOrder(lane, there))
  const undeployed = plans.filter((plan) => !usable.includes(plan)).map(({ lane }) => lane)
  const failures: LaneFailure[] = []
  const fail = ({ lane }: BridgedPlan, error: unknown) => {
    if (!isOfLane(error)) throw error
    failures.push({ lane, error })
  }
  const value = (
    amounts: readonly TokenAmount[],
    cost: { gas: bigint; nativeFee: bigint; costThere?: number },
  ) => worthOf({ here, there }, { amounts, ...cost }) ?? Number(amounts[0]?.amount ?? 0n)
  const estimates = await Promise.allSettled(
    usable.map(async (plan): Promise<Estimated> => {
      const proof = new BundlePair({ ...sides, plan, receiver })
      const first = await proof.first()
      const { amountOut: amount, gas } = await prospectOf(sides, first.delivery, request)
      const costs = { ...first, costThere: extraThere(there, plan, gas) }
      return { proof, plan, value: value([{ token: tokenOut, amount }], costs) }
    }),
  )
  const estimated = zip(usable, estimates).flatMap(([plan, one]) => {
    if (one.status === 'fulfilled') return [one.value]
    fail(plan, one.reason)
    return []
  })
  const best = await provenBest<Estimated, Estimated & { readonly pair: Pair }>(estimated, {
    valueOf: (one) => one.value,
    async prove(one) {
      const pair = await one.proof.prove()
      const amounts = pair.outputs.map(({ token, amountOut: amount }) => ({ token, amount }))
      const paid = amounts.filter(({ token }) => token === tokenOut)
      return { ...one, pair, value: value(paid, pair.crossed) }
    },
    onFailed: ({ plan }, error) => fail(plan, error),
  })
  if (best) return { ...best, warnings: warningsOf(failures, undeployed) }
  const { id: destinationChainId } = destination
  const asRoute = {
    chainId: request.chainId,
    tokensOut: [tokenOut],
    crosschain: { destinationChainId, mode: 'full' as const, ignoreBridges: [] },
  }
  throw noWay({ request: asRoute, failures, undeployed, lanes, destination })
}

/** By native math alone. @throws ForkrouteError NO_ROUTE. */
async function prospectOf(
  { parts, asked, there, context }: Sides,
  { token, amount }: TokenAmount,
  request: BundleRequest,
): Promise<Estimate> {
  const { tokenOut = token } = asked
  const canonical = (one: Address) => canonicalToken(there.chain, one)
  if (canonical(token) === canonical(tokenOut)) return { amountOut: amount, gas: 0n }
  const args = {
    request: askedThere({ request, there }, { token, amount }, tokenOut),
    amounts: [amount],
  }
  const [given] = await parts.tasks.runAt('prospects', args, there.pin, context)
  if (given) return given
  throw new ForkrouteError('NO_ROUTE', `No way leads on from ${token} on the destination.`)
}

function toAnswer(
  request: BundleRequest,
  { receiver }: BundleOverBridge,
  { plan: { lane }, pair: { crossed, callback, outputs }, warnings }: Found,
  { here, there }: { readonly here: Side; readonly there: Side },
): BundleAnswer {
  const { result, nativeFee, delivery } = crossed
  const onArrival = callback?.result
  return {
    ...result,
    route: [
      // The steps after a bridge are those of its destination, wherever in the bundle it sends.
      ...result.route.filter(({ action }) => action !== actionName),
      ...result.route
        .filter(({ action }) => action === actionName)
        .map((step) => ({ ...step, amountOut: [delivery.amount] })),
      ...(onArrival?.route ?? []),
    ],
    // What has arrived is on another chain.
    priceImpact: null,
    warnings: [
      ...new Set([
        ...result.warnings,
        ...(onArrival?.warnings ?? []),
        ...senderWarnings(lane, request.fromAddress, here),
        ...warnings,
      ]),
    ],
    actions: request.actions,
    crosschain: {
      destinationBlock: there.pin,
      bridgeFee: costOf(here, nativeFee),
      estimates: [
        {
          bridge: lane.bridge,
          fromChainId: lane.sourceChainId,
          toChainId: lane.destinationChainId,
          token: lane.tokenIn,
          estimatedSeconds: lane.estimatedSeconds,
        },
      ],
      arrival: {
        receiver,
        outputs,
        delivered: { token: delivery.token, amount: delivery.amount },
        payments: onArrival?.payments ?? [],
        unprotected: onArrival?.unprotected ?? [],
      },
    },
  }
}
