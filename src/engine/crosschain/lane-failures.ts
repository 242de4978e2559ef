/** Why lanes are not the answer: as warnings beside one that is, or as the error where none is. Pure. */
import type { Lane } from '../../bridges/bridge.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { CrosschainRequest } from './ways.js'

/** Why a lane is not the answer. */
export interface LaneFailure {
  readonly lane: Lane
  readonly error: ForkrouteError
}

/** Of one lane, and not of the request: another may do. */
export function isOfLane(error: unknown): error is ForkrouteError {
  return error instanceof ForkrouteError && laneErrors.has(error.code)
}

const laneErrors: ReadonlySet<string> = new Set([
  'NO_ROUTE',
  'SIMULATION_REVERTED',
  'STATE_UNAVAILABLE',
  'NOT_FUNDABLE',
])

function nameOf({ bridge, symbol }: Lane): string {
  return `${symbol} over ${bridge}`
}

export function warningsOf(
  failures: readonly LaneFailure[],
  undeployed: readonly Lane[],
): string[] {
  return [
    ...failures.map(({ lane, error }) => `${nameOf(lane)} was left out: ${error.message}`),
    ...(undeployed.length
      ? ['No swaps on the destination: contracts of this service are missing there.']
      : []),
  ]
}

/** Where none of the lanes is the answer. */
export function noWay(args: {
  readonly request: Pick<CrosschainRequest, 'chainId' | 'tokensOut' | 'crosschain'>
  readonly failures: readonly LaneFailure[]
  readonly undeployed: readonly Lane[]
  readonly lanes: readonly Lane[]
  readonly destination: { readonly id: number }
}): ForkrouteError {
  const { request, failures, undeployed, lanes, destination } = args
  const details = {
    lanes: failures.map(({ lane, error }) => ({
      bridge: lane.bridge,
      symbol: lane.symbol,
      code: error.code,
      message: error.message,
      ...(error.details?.limit !== undefined && { limit: error.details.limit }),
    })),
  }
  const between = `chain ${request.chainId} and chain ${destination.id}`
  if (!lanes.length) {
    return new ForkrouteError(
      'NO_ROUTE',
      `No bridge that may be used${request.crosschain.gasDrop === undefined ? '' : ' and has a gas drop'} connects ${between}.`,
      details,
    )
  }
  const unreadable = failures.find(({ error }) => error.code === 'STATE_UNAVAILABLE')
  if (unreadable) return new ForkrouteError('STATE_UNAVAILABLE', unreadable.error.message, details)
  if (!failures.length) {
    const why = undeployed.length
      ? `the contracts that would run a swap on chain ${destination.id} are not deployed there: npm run forkroute -- contracts deploy`
      : `none fits crosschainRouteMode ${request.crosschain.mode}`
    return new ForkrouteError(
      'NO_ROUTE',
      `No lane between ${between} can be used: ${why}.`,
      details,
    )
  }
  const ofReceiver = failures.filter(({ error }) => error.details?.receiver !== undefined)
  const wanted = request.tokensOut as readonly unknown[]
  const unpaid =
    ofReceiver.find(({ error }) => wanted.includes(error.details?.token)) ?? ofReceiver[0]
  if (unpaid) {
    const { code, message, details: facts } = unpaid.error
    return new ForkrouteError(code, `${message} Name another receiver, or another tokenOut.`, {
      ...facts,
      ...details,
    })
  }
  const reverted = failures.every(({ error }) => error.code === 'SIMULATION_REVERTED')
  const reasons = failures.map(({ lane, error }) => `${nameOf(lane)}: ${error.message}`)
  return new ForkrouteError(
    reverted ? 'SIMULATION_REVERTED' : 'NO_ROUTE',
    `No lane between ${between} can be used. ${reasons.join(' ')}`,
    details,
  )
}
