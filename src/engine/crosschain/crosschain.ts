/**
 * Routes over bridges: pins both chains, has all lanes estimated by native math, and proves the best: its departure
 * simulated on the source and what its logs send delivered on the destination, with its minimums on both sides.
 */
import type { Lane } from '../../bridges/bridge.js'
import { bridgesWithout } from '../../bridges/registry.js'
import type { ChainDefinition } from '../../chains/chain.js'
import { invalidRequest } from '../../domain/common-errors.js'
import type { CallContext, RouteAnswer } from '../../domain/engine.js'
import { ForkrouteError } from '../../domain/errors.js'
import { zip } from '../../domain/lists.js'
import { type BlockPin, nativeToken } from '../../domain/primitives.js'
import type { SurveyArgs } from '../../routing/crosschain/messages.js'
import { nothingInTime } from '../../routing/route/failures.js'
import { Journey } from './journey.js'
import {
  type Final,
  type JourneyParts,
  type Promised,
  type Side,
  toAnswer,
} from './journey-answer.js'
import { isOfLane, type LaneFailure, noWay, warningsOf } from './lane-failures.js'
import { deliverLater } from './late-deliveries.js'
import { provenBest } from './proven-best.js'
import { receiverProblems } from './receivers.js'
import {
  type AmongMany,
  type CrosschainParts,
  canOrder,
  lookAt,
  ourContracts,
  pinBoth,
} from './sides.js'
import { type CrosschainRequest, waysOver } from './ways.js'

const feeTakenHere =
  'The fee goes to feeReceiver on the source: contracts of this service, which would take it on the destination, are missing there.'

/** @throws ForkrouteError as `Engine.route`; NO_ROUTE says of each lane why it cannot be used. */
export async function routeOverBridges(
  parts: CrosschainParts,
  mode: 'route' | 'quote',
  given: CrosschainRequest,
  context: CallContext,
  among?: AmongMany,
): Promise<RouteAnswer> {
  refuseWhatCannotBe(given, context)
  const { crosschain } = given
  const source = parts.chains.of(given.chainId)
  const destination = parts.chains.of(crosschain.destinationChainId)
  const [sourcePin, destinationPin] = await pinBoth(
    { ...given, ...crosschain },
    context,
    parts,
    among,
  )
  const lanes = bridgesWithout(crosschain.ignoreBridges)
    .filter(({ hasGasDrop }) => hasGasDrop || crosschain.gasDrop === undefined)
    .flatMap((bridge) => bridge.lanes(source, destination))
  const receiver = given.receiver ?? given.fromAddress
  const problems = receiverProblems(
    { receiver, destinationFeeReceiver: crosschain.destinationFeeReceiver },
    { destination, tokensOut: given.tokensOut, fromAddress: given.fromAddress },
  )
  if (problems.length) throw invalidRequest(problems)
  const look = (chain: ChainDefinition, pin: BlockPin, what: SurveyArgs) =>
    lookAt(parts.tasks, { chain, pin, what }, context)
  const [here, there] = await Promise.all([
    look(source, sourcePin, {
      accounts: [given.fromAddress],
      tokens: [nativeToken, ...given.inputs.map(({ token }) => token)],
    }),
    look(destination, destinationPin, {
      accounts: [receiver, ...ourContracts, ...lanes.flatMap((lane) => lane.orderContracts)],
      tokens: [nativeToken, ...given.tokensOut, ...lanes.map(({ tokenOut }) => tokenOut)],
      ...(crosschain.positionOut !== undefined && { position: crosschain.positionOut }),
    }),
  ])
  const { position } = there
  const request: CrosschainRequest = {
    ...given,
    ...(mode === 'quote' && { executionMode: 'backend' }),
    ...(position && { tokensOut: position.underlyingTokens }),
  }
  refuseAmbiguousReceiver(mode, request, here)
  const wantsFeeThere =
    crosschain.destinationFeeReceiver !== undefined &&
    request.inputs.some(({ feeBps }) => feeBps !== undefined)
  // Without our contracts over there nothing takes a fee there.
  const takesFeeThere =
    wantsFeeThere &&
    (request.feeReceiver === undefined || lanes.some((lane) => canOrder(lane, there)))
  const { ways, undeployed } = waysOver(lanes, {
    request,
    mode: crosschain.mode,
    source,
    destination,
    takesFeeThere,
    entersPosition: position !== undefined,
    receiverKind: there.kinds.get(receiver) ?? 'plain',
    canOrder: (lane) => canOrder(lane, there),
  })
  const journeyParts: JourneyParts = {
    request,
    context,
    here,
    there,
    receiver,
    takesFeeThere,
    ...(position && { position }),
    tasks: parts.tasks,
    payable: parts.payable,
  }
  const journey = new Journey(journeyParts)
  const failures: LaneFailure[] = []
  const fail = (lane: Lane, error: unknown) => {
    // Its task knows of what had remained for it alone.
    if (isLate(error)) throw nothingInTime(request)
    if (!isOfLane(error)) throw error
    failures.push({ lane, error })
  }
  const pair = `${sourcePin.hash}:${destinationPin.hash}`
  const promises = await journey.promises(ways, { isCold: !parts.seenPins.has(pair) })
  parts.seenPins.set(pair, true)
  for (const [{ lane }, one] of zip(ways, promises)) {
    if (one.status === 'rejected') fail(lane, one.reason)
  }
  const promised = promises.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const best = await provenBest<Promised, Final>(promised, {
    valueOf: (one) => journey.valueOf(one),
    prove: (one) => journey.prove(one),
    onFailed: ({ way }, error) => fail(way.lane, error),
  })
  if (!best) throw noWay({ request, failures, undeployed, lanes, destination })
  const answer = toAnswer(journeyParts, best, [
    ...warningsOf(failures, undeployed),
    ...(wantsFeeThere && !takesFeeThere ? [feeTakenHere] : []),
  ])
  const seconds = secondsOf(among, best.way.lane)
  if (!seconds || !answer.crosschain) return answer
  const sent = { final: best, sentAt: sourcePin }
  const deliveries = await deliverLater({ ...parts, journey, context }, sent, seconds)
  return { ...answer, crosschain: { ...answer.crosschain, deliveries } }
}

function isLate(error: unknown): boolean {
  return error instanceof ForkrouteError && error.code === 'DEADLINE_EXCEEDED'
}

function refuseWhatCannotBe(request: CrosschainRequest, { whatIf }: CallContext): void {
  const problems: string[] = []
  if (whatIf)
    problems.push(
      'stateOverrides and blockOverrides are of one chain: a route over a bridge takes none.',
    )
  if (request.permit)
    problems.push('permit is not available for a route over a bridge: allow the token.')
  if (request.amountOut !== undefined) {
    problems.push('amountOut is not available for a route over a bridge: give amountIn.')
  }
  if (request.tokensOut.length !== 1 && request.crosschain.positionOut === undefined)
    problems.push('tokenOut of a route over a bridge is one token.')
  if (problems.length) throw invalidRequest(problems)
}

/** An address with code may be nobody's on another chain. */
function refuseAmbiguousReceiver(
  mode: 'route' | 'quote',
  { receiver, fromAddress }: CrosschainRequest,
  here: Side,
): void {
  if (mode === 'quote' || receiver || here.kinds.get(fromAddress) !== 'contract') return
  throw invalidRequest([
    `receiver is required: ${fromAddress} is a contract on chain ${here.chain.id}, and its address may be nobody's on another.`,
  ])
}

function secondsOf(among: AmongMany | undefined, { estimatedSeconds }: Lane) {
  const seconds = among?.deliverySeconds
  return seconds === 'estimated' ? [estimatedSeconds] : seconds
}
