/**
 * Crosschain quotes: pins both chains, has all lanes estimated by native math, and settles the best: its source leg is
 * simulated on a fork of the source, and what the logs of that send is delivered on a fork of the destination, with every
 * minimum on both sides.
 *
 * This folder owns what spans two chains. In comes a request of the engine, out goes its answer; tasks run in threads, each
 * at one block of one chain (`routing/crosschain`). `lanes.ts` and `bundle-request.ts` say which lanes a route and a bundle
 * may take, `plan.ts` what happens on either side of one, `estimates.ts` and `best-lane.ts` compare them, `settle.ts` makes
 * the pair of the answer. Errors are those of the tasks; NO_ROUTE where no lane can be used.
 */
import type { Lane } from '../../bridges/bridge.js'
import { lanesBetween } from '../../bridges/known-lanes.js'
import { bridgesWithout } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { invalidRequest } from '../../domain/common-errors.js'
import { defined } from '../../domain/defined.js'
import type { CallContext, RouteAnswer } from '../../domain/engine.js'
import { type BlockPin, nativeToken } from '../../domain/primitives.js'
import type { SurveyArgs } from '../../routing/crosschain/survey-task.js'
import { routeAnswer } from './answer.js'
import { settleBestLane } from './best-lane.js'
import { type CrosschainRequest, laneCandidates } from './lanes.js'
import { deliverLater } from './late-deliveries.js'
import { planOfRoute, type RouteQuote } from './plan.js'
import { receiverProblems } from './receivers.js'
import { settlementOf } from './settle.js'
import {
  type AmongMany,
  type CrosschainParts,
  canOrder,
  lookAt,
  ourContracts,
  pinBoth,
  type Side,
} from './sides.js'

const feeTakenOnSource =
  'The fee goes to feeReceiver on the source: contracts of this service, which would take it on the destination, are missing there.'

/** @throws ForkrouteError as `Engine.route`; NO_ROUTE says of each lane why it cannot be used. */
export async function routeOverBridges(
  parts: CrosschainParts,
  asked: { readonly mode: 'route' | 'quote'; readonly request: CrosschainRequest },
  context: CallContext,
  among?: AmongMany,
): Promise<RouteAnswer> {
  const { mode, request: given } = asked
  refuseWhatCannotBe(given, context)
  const { crosschain } = given
  const chains = {
    source: parts.chains.of(given.chainId),
    destination: parts.chains.of(crosschain.destinationChainId),
  }
  const pins = await pinBoth({ ...given, ...crosschain }, context, parts, among)
  const { possible, byName } = possibleLanes(given, chains)
  const receiver = given.receiver ?? given.fromAddress
  refuseReceivers(given, chains.destination)
  const [lanes, { source, destination }] = await Promise.all([
    parts.pastLanes.of({ lanes: possible, ...chains, pins }, context),
    lookAtBoth(parts, { given, chains, pins, lanes: possible }, context),
  ])
  const { position } = destination
  const request: CrosschainRequest = {
    ...given,
    ...defined({
      executionMode: mode === 'quote' ? ('backend' as const) : undefined,
      tokensOut: position?.underlyingTokens,
    }),
  }
  refuseAmbiguousReceiver(mode, request, source)
  const fee = feePlace(request, lanes, destination)
  const { candidates, undeployed, withoutOrders } = laneCandidates(lanes, {
    request,
    mode: crosschain.mode,
    source: chains.source,
    destination: chains.destination,
    takesDestinationFee: fee.isTakenOnDestination,
    entersPosition: position !== undefined,
    receiverKind: destination.kinds.get(receiver) ?? 'plain',
    canOrder: (lane) => canOrder(lane, destination),
  })
  const { tasks, payable } = parts
  const takesDestinationFee = fee.isTakenOnDestination
  const common = { tasks, payable, context, source, destination, receiver }
  const quote: RouteQuote = { ...common, request, takesDestinationFee, ...defined({ position }) }
  const settlement = settlementOf(quote)
  const plans = candidates.map((candidate) => planOfRoute(quote, candidate))
  const choice = { plans, undeployed, withoutOrders, lanes, byName }
  const { settled, warnings } = await settleBestLane(quote, choice, { ...parts, settlement })
  const more = fee.isMissed ? [...warnings, feeTakenOnSource] : warnings
  const answer = routeAnswer(quote, settled, more)
  const seconds = secondsOf(among, settled.plan.lane)
  if (!seconds || !answer.crosschain) return answer
  const sent = { settled, sentAt: source.pin }
  const deliveries = await deliverLater({ ...parts, settlement, context }, sent, seconds)
  return { ...answer, crosschain: { ...answer.crosschain, deliveries } }
}

interface Chains {
  readonly source: ChainDefinition
  readonly destination: ChainDefinition
}

/** Which lanes the request allows, and which it would, did it name their bridge. */
function possibleLanes({ crosschain }: CrosschainRequest, { source, destination }: Chains) {
  const { ignoreBridges, bridge: named, gasDrop } = crosschain
  const bridges = bridgesWithout(ignoreBridges)
    .filter(({ names }) => named === undefined || names.includes(named))
    .filter(({ hasGasDrop }) => hasGasDrop || gasDrop === undefined)
  const lanes = lanesBetween(bridges, source, destination)
  const isPossible = ({ afterwards }: Lane) => named !== undefined || !afterwards
  return {
    possible: lanes.filter(isPossible),
    byName: lanes.filter((lane) => !isPossible(lane)),
  }
}

async function lookAtBoth(
  { tasks }: CrosschainParts,
  at: {
    readonly given: CrosschainRequest
    readonly chains: Chains
    readonly pins: readonly [source: BlockPin, destination: BlockPin]
    readonly lanes: readonly Lane[]
  },
  context: CallContext,
) {
  const { given, chains, pins, lanes } = at
  const [sourcePin, destinationPin] = pins
  const { fromAddress, receiver = fromAddress, tokensOut } = given
  const onSource: SurveyArgs = {
    accounts: [fromAddress],
    tokens: [nativeToken, ...given.inputs.map(({ token }) => token)],
  }
  const onDestination: SurveyArgs = {
    accounts: [receiver, ...ourContracts, ...lanes.flatMap((lane) => lane.orderContracts)],
    tokens: [nativeToken, ...tokensOut, ...lanes.map(({ tokenOut }) => tokenOut)],
    ...defined({ position: given.crosschain.positionOut }),
  }
  const [source, destination] = await Promise.all([
    lookAt(tasks, { chain: chains.source, pin: sourcePin, what: onSource }, context),
    lookAt(tasks, { chain: chains.destination, pin: destinationPin, what: onDestination }, context),
  ])
  return { source, destination }
}

/** Where the fee of the request is taken; nothing takes one on the destination without contracts of this service there. */
function feePlace(
  { inputs, feeReceiver, crosschain }: CrosschainRequest,
  lanes: readonly Lane[],
  destination: Side,
) {
  const isWanted =
    crosschain.destinationFeeReceiver !== undefined &&
    inputs.some(({ feeBps }) => feeBps !== undefined)
  const isTakenOnDestination =
    isWanted && (feeReceiver === undefined || lanes.some((lane) => canOrder(lane, destination)))
  return { isTakenOnDestination, isMissed: isWanted && !isTakenOnDestination }
}

function refuseReceivers(
  { receiver, fromAddress, crosschain, tokensOut }: CrosschainRequest,
  destination: ChainDefinition,
): void {
  const { destinationFeeReceiver } = crosschain
  const problems = receiverProblems(
    { receiver: receiver ?? fromAddress, destinationFeeReceiver },
    { destination, tokensOut, fromAddress },
  )
  if (problems.length) throw invalidRequest(problems)
}

function refuseWhatCannotBe(request: CrosschainRequest, { whatIf }: CallContext): void {
  const problems: string[] = []
  if (whatIf)
    problems.push(
      'stateOverrides and blockOverrides are of one chain: a route over a bridge takes none.',
    )
  if (request.tokensOut.length !== 1 && request.crosschain.positionOut === undefined)
    problems.push('tokenOut of a route over a bridge is one token.')
  if (problems.length) throw invalidRequest(problems)
}

/** An address with code may be nobody's on another chain. */
function refuseAmbiguousReceiver(
  mode: 'route' | 'quote',
  { receiver, fromAddress }: CrosschainRequest,
  source: Side,
): void {
  if (mode === 'quote' || receiver || source.kinds.get(fromAddress) !== 'contract') return
  throw invalidRequest([
    `receiver is required: ${fromAddress} is a contract on chain ${source.chain.id}, and its address may be nobody's on another.`,
  ])
}

function secondsOf(among: AmongMany | undefined, lane: Lane) {
  const seconds = among?.deliverySeconds
  return seconds === 'estimated' ? [lane.estimatedSeconds] : seconds
}
